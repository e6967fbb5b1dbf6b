import CampipeKit
import Testing

@testable import CampipeHTTP

/// What follows a picture in its own part: the further views of a camera with two lenses, a preview.
@Suite struct SecondViewTests {
    private static let splits = [1, 5, 1460, Int.max / 2]

    private static func jpeg(_ name: String) throws -> [UInt8] { try #require(Case.named(name)).bytes() }

    /// The same picture with an APP2 segment behind its start.
    private static func marked(_ jpeg: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return Array(jpeg[..<2]) + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + payload + jpeg[2...]
    }

    /// An MP index that says so many pictures, in either byte order.
    private static func index(_ count: UInt8, isLittle: Bool) -> [UInt8] {
        func short(_ value: UInt16) -> [UInt8] {
            let bytes = [UInt8(value >> 8), UInt8(value & 255)]
            return isLittle ? bytes.reversed() : bytes
        }
        func long(_ value: UInt8) -> [UInt8] { isLittle ? [value, 0, 0, 0] : [0, 0, 0, value] }
        let mark: [UInt8] = Array("MPF".utf8) + [0]
        let header: [UInt8] = isLittle ? [0x49, 0x49, 0x2A, 0] : [0x4D, 0x4D, 0, 0x2A]
        let version = short(0xB000) + short(7) + long(4) + Array("0100".utf8)
        let number = short(0xB001) + short(4) + long(1) + long(count)
        return mark + header + long(8) + short(2) + version + number + long(0)
    }

    /// What the further pictures have: attributes, no index.
    private static let attributes: [UInt8] =
        Array("MPF".utf8) + [
            0, 0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0xB1, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0,
        ]

    private static func part(_ bytes: [UInt8], length: Int?) -> [UInt8] {
        let field = length.map { "Content-Length: \($0)\r\n" } ?? ""
        return Array("--b\r\nContent-Type: image/jpeg\r\n\(field)\r\n".utf8) + bytes + [13, 10]
    }

    private static func parsed(_ body: [UInt8], type: String? = "multipart/x-mixed-replace;boundary=b", _ split: Int)
        -> Parsed
    { parse(body, type: type, chunk: split, isComplete: true) }

    @Test("Of a file of two or three views the first is the picture", arguments: [true, false], splits)
    func views(isLittle: Bool, split: Int) throws {
        let plain = try Self.jpeg("jpeg-422")
        let view = Self.marked(try Self.jpeg("jpeg-odd-161x121"), Self.attributes)
        for count in 2...3 {
            let first = Self.marked(plain, Self.index(UInt8(count), isLittle: isLittle))
            // Between the pictures such files have padding, too.
            let file = first + (1..<count).flatMap { _ in [0, 0, 0] + view }
            let drops = Array(repeating: "second_view", count: (count - 1) * 3)
            for length in [nil, file.count, first.count] {
                let body = (0..<3).flatMap { _ in Self.part(file, length: length) }
                let parsed = Self.parsed(body, split)
                #expect(
                    parsed.pictures == [first, first, first] && parsed.drops == drops,
                    "\(count), \(String(describing: length))")
            }
            // Without delimiters, and as the only answer.
            let bare = Self.parsed(file + file + file, type: nil, split)
            #expect(bare.pictures == [first, first, first] && bare.drops == drops)
        }
    }

    @Test("A picture behind another, where the part's length ends with it, belongs to it", arguments: splits)
    func length(split: Int) throws {
        let (first, second) = (try Self.jpeg("jpeg-422"), try Self.jpeg("jpeg-grayscale"))
        let file = first + [1, 2, 3] + second
        let body = (0..<3).flatMap { _ in Self.part(file, length: file.count) }
        let parsed = Self.parsed(body, split)
        #expect(parsed.pictures == [first, first, first])
        #expect(parsed.drops == ["second_view", "second_view", "second_view"])
    }

    @Test(
        "Without a sign each picture is one of the stream, and a sign reaches no further than its part",
        arguments: splits)
    func own(split: Int) throws {
        let (first, second) = (try Self.jpeg("jpeg-422"), try Self.jpeg("jpeg-grayscale"))
        // A length that is far too large, and one that is the first one's own.
        for length in [nil, first.count, 1_000_000] {
            let parsed = Self.parsed(Self.part(first + second + first, length: length), split)
            #expect(parsed.pictures == [first, second, first] && parsed.drops.isEmpty, "\(String(describing: length))")
        }
        // The index promises a second one, and the next part is the camera's next picture.
        let marked = Self.marked(first, Self.index(2, isLittle: false))
        let body = Self.part(marked, length: nil) + Self.part(second, length: nil) + Self.part(marked, length: nil)
        let parsed = Self.parsed(body, split)
        #expect(parsed.pictures == [marked, second, marked] && parsed.drops.isEmpty)
        // Each promises another, and none comes.
        let promises = Self.parsed(marked + marked + marked, type: nil, split)
        #expect(promises.pictures == [marked, marked, marked])
    }

    @Test("An answer that is one file of two views is one picture, to be asked for again")
    func still() throws {
        let first = Self.marked(try Self.jpeg("jpeg-422"), Self.index(2, isLittle: true))
        let file = first + Self.marked(try Self.jpeg("jpeg-422"), Self.attributes)
        var stream = MJPEGStream(
            head: ResponseHead(status: 200, headers: ["Content-Type": "image/jpeg"]), source: "http://cam/")
        var actions: [MultipartParser.Action] = []
        try file.withUnsafeBytes { try stream.receive($0, into: &actions) }
        try stream.finish(isComplete: true, into: &actions)
        #expect(stream.pictures == 1 && stream.isOnePicture(isComplete: true))
    }
}
