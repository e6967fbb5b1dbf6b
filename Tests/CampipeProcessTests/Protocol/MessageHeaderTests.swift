import CampipeKit
import Testing

@testable import CampipeProcess

@Suite("The header of a message")
struct MessageHeaderTests {
    @Test("what is written is what is read", arguments: MessageHeader.Kind.allCases)
    func roundTrip(_ kind: MessageHeader.Kind) throws {
        var header = MessageHeader(kind)
        header.port = 1
        header.flags = [.key, .shared]
        header.wanted = 3
        header.textCount = 70_000
        header.dataCount = 1 << 20
        header.place = 1 << 40
        header.captured = -5
        header.pts = 40_000_000
        header.dts = .max
        header.duration = 1
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        #expect(bytes.count == MessageHeader.byteCount)
        #expect(try MessageHeader(bytes) == header)
    }

    @Test("the bytes are those that docs/exec-protocol.md says")
    func layout() {
        var header = MessageHeader(.item)
        header.flags = .key
        header.textCount = 1
        header.dataCount = 0x0102
        header.captured = 3
        header.pts = 4
        header.dts = 5
        header.duration = 6
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        let expected: [UInt8] =
            Array("cpx1i".utf8) + [0, 1, 0] + [1, 0, 0, 0] + [2, 1, 0, 0] + [UInt8](repeating: 0, count: 8)
            + [3, 4, 5, 6].flatMap { [$0, 0, 0, 0, 0, 0, 0, 0] as [UInt8] }
        #expect(bytes == expected)
    }

    @Test(
        "what is no header, or announces too much, is refused",
        arguments: [
            ("Hello, world, this is a print of the program on stdout\n!!", "begins with \"Hello, world, th\""),
            ("cpx1?\0\0\0" + String(repeating: "\0", count: 48), "of the unknown kind 63"),
            ("cpx1i\0\0\0\0\0\u{20}\0" + String(repeating: "\0", count: 44), "2097152 bytes of text"),
            ("cpx1i\0\0\0\0\0\0\0\0\0\0\u{10}" + String(repeating: "\0", count: 40), "268435456 of data"),
            ("cpx1", "no message"),
        ])
    func refusals(_ text: String, _ expected: String) {
        let bytes = Array(text.utf8.prefix(MessageHeader.byteCount))
        let failure = #expect(throws: CampipeError.self) { try MessageHeader(bytes) }
        #expect(failure?.kind == .badData)
        #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "")")
    }
}
