import Testing

@testable import CampipeMedia

@Suite("QR codes")
struct QRCodeTests {
    private static let finder = [
        "1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111",
    ]

    @Test("a link is a code with its three finders, as large as it must be")
    func finders() throws {
        let code = try #require(QRCode("https://campipe:abcd-efgh-jkmn-pqrs@192.168.1.5:8080/"))
        // 53 bytes of version 3, ISO/IEC 18004 table 7.
        #expect(code.side == 29)
        for (x, y) in [(0, 0), (22, 0), (0, 22)] {
            let rows = (0..<7).map { row in String((0..<7).map { code.isDark(x + $0, y + row) ? "1" : "0" }) }
            #expect(rows == Self.finder)
        }
        #expect(!code.isDark(-1, 0) && !code.isDark(0, 29))
    }

    @Test("in a terminal two rows are a line, with two modules of quiet zone around")
    func text() throws {
        let code = try #require(QRCode("a"))
        let lines = code.terminalText.split(separator: "\n")
        #expect(code.side == 21 && lines.count == 13)
        let first = try #require(lines.dropFirst().first)
        #expect(
            first.hasPrefix("  \u{1B}[38;5;16;48;5;231m  \u{2588}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2588} "))
        #expect(lines.allSatisfy { $0.hasSuffix("\u{1B}[0m") })
    }

    @Test("what no code can hold is none")
    func tooLong() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 3000)) == nil)
    }
}
