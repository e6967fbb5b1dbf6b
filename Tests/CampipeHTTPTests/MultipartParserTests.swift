import CampipeKit
import Testing

@testable import CampipeHTTP

/// What came out of a parser, in a form that compares.
struct Parsed: Equatable, Sendable {
    var pictures: [[UInt8]] = []
    var damaged: [Bool] = []
    var sizes: [[Int]] = []
    var drops: [String] = []

    mutating func add(_ actions: [MultipartParser.Action]) {
        for action in actions {
            switch action {
            case .picture(let picture):
                pictures.append(picture.bytes.array)
                damaged.append(picture.isDamaged)
                sizes.append([picture.width, picture.height])
            case .dropped(let reason): drops.append(reason.name)
            }
        }
    }
}

func parse(
    _ body: [UInt8], type: String?, chunk: Int, isComplete: Bool = false, limits: JPEGStructure.Limits = .init()
) -> Parsed {
    var parser = MultipartParser(boundary: type.flatMap { MediaType($0).boundary }, limits: limits)
    var parsed = Parsed()
    var actions: [MultipartParser.Action] = []
    var position = 0
    body.withUnsafeBytes { bytes in
        while position < bytes.count {
            let end = min(position + chunk, bytes.count)
            parser.receive(UnsafeRawBufferPointer(rebasing: bytes[position..<end]), into: &actions)
            position = end
        }
    }
    parser.finish(isComplete: isComplete, into: &actions)
    parsed.add(actions)
    return parsed
}

private let splits = [1, 7, 1460, Int.max / 2]

@Suite struct MultipartParserTests {
    @Test(
        "Every kept answer gives its exact pictures, however its bytes are split",
        arguments: Case.of("http").filter { $0.result == "ok" }, splits)
    func cases(_ one: Case, split: Int) throws {
        let (type, body) = try one.answer()
        let parsed = parse(body, type: type, chunk: split, isComplete: one.name == "http-single-jpeg")
        #expect(parsed.pictures.count == one.frames)
        if let expected = one.frame_sha256 { #expect(parsed.pictures.map(sha256) == expected) }
        if let sizes = one.sizes { #expect(parsed.sizes == sizes) }
        #expect(!parsed.damaged.contains(true))
    }

    @Test("Answers with a status line in the wrong place still give their pictures", arguments: splits)
    func oddStatusLines(split: Int) throws {
        for name in ["http-no-status-line", "http-blank-status"] {
            let one = try #require(Case.named(name))
            #expect(parse(try one.bytes(), type: nil, chunk: split).pictures.count == 4, "\(name)")
        }
    }

    @Test("A picture that the connection's end cuts is dropped as truncated", arguments: splits)
    func cutByTheEnd(split: Int) throws {
        let (type, body) = try #require(Case.named("mp-drop-mid-frame")).answer()
        let parsed = parse(body, type: type, chunk: split)
        #expect(parsed.pictures.count == 2)
        #expect(parsed.drops == ["truncated"])
    }

    @Test("Parts of H.264 are dropped as unsupported, naming their type", arguments: splits)
    func h264(split: Int) throws {
        let (type, body) = try #require(Case.named("mp-h264-parts")).answer()
        let parsed = parse(body, type: type, chunk: split)
        #expect(parsed.pictures.isEmpty)
        #expect(parsed.drops == ["unsupported_part", "unsupported_part", "unsupported_part"])
    }

    @Test("A text part is counted as unsupported and an empty picture part as no JPEG", arguments: splits)
    func otherParts(split: Int) throws {
        let (type, body) = try #require(Case.named("mp-non-jpeg-part")).answer()
        #expect(parse(body, type: type, chunk: split).drops == ["unsupported_part", "not_jpeg"])
    }

    @Test("What one part's headers say does not hold for the next part", arguments: splits)
    func headersOfEachPart(split: Int) throws {
        let picture = try #require(Case.named("jpeg-444")).bytes()
        func part(_ headers: String, _ content: [UInt8]) -> [UInt8] {
            Array("--b\r\n\(headers)\r\n".utf8) + content + Array("\r\n".utf8)
        }
        let jpeg = part("CONTENT-type:  image/jpeg \r\nX-Timestamp: 7.25\r\n", picture)
        let text = part("Content-Type: text/plain\r\n", Array("no picture".utf8))
        let body = jpeg + text + jpeg + part("X-Other: text/plain\r\n", picture) + text
        var parser = MultipartParser(boundary: "b")
        var actions: [MultipartParser.Action] = []
        for start in stride(from: 0, to: body.count, by: split) {
            let rest = body[start...].prefix(split)
            rest.withUnsafeBytes { parser.receive($0, into: &actions) }
        }
        var parsed = Parsed()
        parsed.add(actions)
        #expect(parsed.pictures == [picture, picture, picture])
        #expect(parsed.drops == ["unsupported_part", "unsupported_part"])
        let times = actions.map { if case .picture(let picture) = $0 { picture.timestamp } else { nil } as WallTime? }
        let known = WallTime(microseconds: 7_250_000)
        #expect(times == [known, nil, known, nil, nil])
    }

    @Test(
        "A single picture gives what its structure deserves",
        arguments: Case.of("jpeg"), splits)
    func singlePictures(_ one: Case, split: Int) throws {
        let parsed = parse(try one.bytes(), type: "image/jpeg", chunk: split, isComplete: true)
        if one.result == "error" {
            #expect(parsed.pictures.isEmpty)
        } else {
            #expect(parsed.pictures == [try one.bytes()])
            if one.name != "jpeg-grayscale-2x2", let size = one.size { #expect(parsed.sizes == [size]) }
        }
    }

    @Test("A picture of too many pixels is dropped as too large before anybody allocates them")
    func pixelLimit() throws {
        let bomb = try #require(Case.named("jpeg-dimension-bomb")).bytes()
        let good = try #require(Case.named("jpeg-444")).bytes()
        let parsed = parse(bomb + good, type: nil, chunk: 100)
        #expect(parsed.drops == ["too_large"])
        #expect(parsed.pictures == [good])
    }

    @Test("A picture of too many bytes is dropped as too large and the next one is found", arguments: splits)
    func byteLimit(split: Int) throws {
        let small = try #require(Case.named("jpeg-grayscale")).bytes()
        let large = try #require(Case.named("jpeg-444")).bytes()
        let parsed = parse(large + small + large + small, type: nil, chunk: split, limits: .init(bytes: 1500))
        #expect(parsed.drops == ["too_large", "too_large"])
        #expect(parsed.pictures == [small, small])
    }

    @Test("A picture without an end is handed on as damaged up to the delimiter", arguments: splits)
    func noEndDelimiter(split: Int) throws {
        let whole = try #require(Case.named("jpeg-444")).bytes()
        let cut = Array(whole.dropLast(40))
        let head = Array("--b\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
        let body =
            head + cut + Array("\r\n".utf8) + head + whole + Array("\r\n".utf8) + head + cut
            + Array("\r\n--b--\r\n".utf8)
        let parsed = parse(body, type: "multipart/x-mixed-replace; boundary=b", chunk: split)
        #expect(parsed.pictures == [cut, whole, cut])
        #expect(parsed.damaged == [true, false, true])
        #expect(parsed.drops.isEmpty)
    }

    @Test("A picture without an end is handed on as damaged up to the next picture", arguments: splits)
    func noEndNextPicture(split: Int) throws {
        let whole = try #require(Case.named("jpeg-exif-thumbnail")).bytes()
        let cut = Array(whole.dropLast(40))
        let parsed = parse(cut + whole + cut + whole, type: "image/jpeg", chunk: split)
        #expect(parsed.pictures == [cut, whole, cut, whole])
        #expect(parsed.damaged == [true, false, true, false])
    }

    @Test("A length that has been right ends a picture without an end at once, before the delimiter comes")
    func trustedLength() throws {
        let whole = try #require(Case.named("jpeg-444")).bytes()
        let cut = Array(whole.dropLast(40))
        func part(_ bytes: [UInt8]) -> [UInt8] {
            Array("--b\r\nContent-Type: image/jpeg\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
        }
        var parser = MultipartParser(boundary: "b")
        var actions: [MultipartParser.Action] = []
        (part(whole) + [13, 10] + part(cut)).withUnsafeBytes { parser.receive($0, into: &actions) }
        var parsed = Parsed()
        parsed.add(actions)
        #expect(parsed.pictures == [whole, cut])
        #expect(parsed.damaged == [false, true])
    }

    @Test("A length that lies short does not cut a picture", arguments: splits)
    func shortLength(split: Int) throws {
        let whole = try #require(Case.named("jpeg-444")).bytes()
        let part =
            Array("--b\r\nContent-Type: image/jpeg\r\nContent-Length: \(whole.count - 200)\r\n\r\n".utf8) + whole + [
                13, 10,
            ]
        let parsed = parse(part + part + part, type: "multipart/x-mixed-replace;boundary=b", chunk: split)
        #expect(parsed.pictures == [whole, whole, whole])
    }

    @Test("Bytes behind a picture's end belong to nothing", arguments: splits)
    func bytesAfterEnd(split: Int) throws {
        let whole = try #require(Case.named("jpeg-444")).bytes()
        let part =
            Array("--b\r\nContent-Type: image/jpeg\r\nContent-Length: \(whole.count + 64)\r\n\r\n".utf8) + whole
            + [UInt8](repeating: 0, count: 64) + [13, 10]
        let parsed = parse(part + part, type: "multipart/x-mixed-replace;boundary=b", chunk: split)
        #expect(parsed.pictures == [whole, whole])
        #expect(parsed.drops.isEmpty)
    }

    @Test("A picture with a broken header is dropped as no JPEG and loses no other", arguments: splits)
    func brokenHeader(split: Int) throws {
        let whole = try #require(Case.named("jpeg-exif-thumbnail")).bytes()
        var broken = whole
        broken[4] = 0xFF  // a segment of 65 KB: it swallows what follows
        func part(_ bytes: [UInt8]) -> [UInt8] {
            Array("--b\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + bytes + [13, 10]
        }
        let many = (0..<40).flatMap { _ in part(whole) }
        let parsed = parse(
            part(whole) + part(broken) + many, type: "multipart/x-mixed-replace;boundary=b", chunk: split)
        #expect(parsed.pictures.count == 41)
        #expect(parsed.pictures.allSatisfy { $0 == whole })
        #expect(parsed.drops == ["not_jpeg"])
    }

    @Test("A picture is handed on with its last byte, not a byte later")
    func promptness() throws {
        let (type, body) = try #require(Case.named("mp-plain")).answer()
        var parser = MultipartParser(boundary: type.flatMap { MediaType($0).boundary })
        var ends: [Int] = []
        for (position, byte) in body.enumerated() {
            var actions: [MultipartParser.Action] = []
            withUnsafeBytes(of: byte) { parser.receive($0, into: &actions) }
            if !actions.isEmpty { ends.append(position) }
        }
        #expect(ends.count == 4)
        for end in ends { #expect(body[end] == 0xD9 && body[end - 1] == 0xFF) }
    }

    @Test("The camera's own time comes from X-Timestamp")
    func timestamp() throws {
        let whole = try #require(Case.named("jpeg-444")).bytes()
        var parser = MultipartParser(boundary: "b")
        var actions: [MultipartParser.Action] = []
        (Array("--b\r\nX-Timestamp: 1690526144.25\r\n\r\n".utf8) + whole).withUnsafeBytes {
            parser.receive($0, into: &actions)
        }
        guard case .picture(let picture) = actions.first else {
            Issue.record("no picture")
            return
        }
        #expect(picture.timestamp == WallTime(microseconds: 1_690_526_144_250_000))
    }

    @Test("Any bytes, split in any way, give the same answers and end", arguments: 0..<60)
    func splitsAgree(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let pictures = try ["jpeg-444", "jpeg-exif-thumbnail", "jpeg-progressive", "jpeg-restart-markers"].map {
            try #require(Case.named($0)).bytes()
        }
        var body: [UInt8] = []
        for _ in 0..<6 {
            var bytes = pictures[Int(random.next() % 4)]
            switch random.next() % 5 {
            case 0: bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
            case 1: bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            default: break
            }
            if random.next() % 3 > 0 { body += Array("--b\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8) }
            body += bytes
            if random.next() % 2 > 0 { body += [13, 10] }
        }
        let whole = parse(body, type: "multipart/x-mixed-replace; boundary=b", chunk: .max / 2)
        for split in [1, 3, 100, 1000] {
            #expect(parse(body, type: "multipart/x-mixed-replace; boundary=b", chunk: split) == whole, "split \(split)")
        }
    }
}

/// A small seeded generator (Steele, Lea, Flood 2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
