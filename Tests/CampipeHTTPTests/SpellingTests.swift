import CampipeKit
import Foundation
import Testing

@testable import CampipeHTTP

/// One way in which a camera may write its stream; every field is a habit seen in the field, and they are combined.
private struct Spelling: CustomStringConvertible {
    /// The header's parameter and the delimiter in the body.
    var boundary: (parameter: String?, delimiter: String)
    var lineEnd: String
    var headers: String
    /// What stands for LENGTH.
    var length: String
    var before: String
    var between: String
    var after: [UInt8]
    var isClosed: Bool
    var description: String {
        "\(boundary) \(lineEnd.utf8.count) \(headers.debugDescription) \(length) \(between.debugDescription) \(after)"
    }

    static let boundaries: [(parameter: String?, delimiter: String)] = [
        ("cam", "--cam"), ("--cam", "--cam"), ("cam", "cam"), ("--cam", "----cam"), ("\"my cam\"", "--my cam"),
        ("=cam=", "--=cam="), (nil, "--cam"), ("cam--", "--cam--"), ("\"cam\"", "--cam"), (" cam ", "--cam"),
        ("--myboundary", "--myboundary"), ("cam.1:2?", "--cam.1:2?"),
    ]
    static let headerTexts = [
        "Content-Type: image/jpeg\nContent-Length: LENGTH\n\n", "content-length:LENGTH\ncontent-type:IMAGE/JPEG\n\n",
        "Content-Type: image/jpeg; charset=x\n\n", "CONTENT-TYPE : image/jpg\nX-Any: 1\nContent-Length :  LENGTH  \n\n",
        "Content-Type: image/jpeg\nContent-Length: 0\nContent-Length: LENGTH\n\n", "\n",
        "X-Timestamp: 1690526144.25\nContent-type: image/pjpeg\n\n", "Content-Type: application/octet-stream\n\n",
    ]
    static let lengths = ["right", "long", "padded", "huge", "words", "negative"]

    /// The body that holds these pictures.
    func body(_ pictures: [[UInt8]]) -> [UInt8] {
        var body = Array(before.utf8)
        for picture in pictures {
            let value =
                switch length {
                case "right": "\(picture.count)"
                case "long": "\(picture.count + 37)"
                case "padded": "000\(picture.count)   "
                case "huge": "99999999999999999999"
                case "negative": "-1"
                default: "many"
                }
            let head = headers.replacing("LENGTH", with: value).replacing("\n", with: lineEnd)
            body += Array((boundary.delimiter + lineEnd + head).utf8) + picture + after
            body += Array(between.replacing("\n", with: lineEnd).utf8)
        }
        if isClosed { body += Array((boundary.delimiter + "--" + lineEnd).utf8) }
        return body
    }

    static func random(_ random: inout SplitMix) -> Spelling {
        func any<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
        let boundary = any(boundaries)
        let lineEnd = any(["\r\n", "\n"])
        return Spelling(
            boundary: boundary, lineEnd: lineEnd, headers: any(headerTexts), length: any(lengths),
            before: any(["", lineEnd, "preamble" + lineEnd, boundary.delimiter + lineEnd]),
            between: any(["\n", "\n\n", "\n\(boundary.delimiter)\n", "\n\n\n"]),
            after: any([[], [], [0, 0, 0], [0xFF], [0x20, 0x20]]), isClosed: random.next() % 2 == 0)
    }
}

/// The kinds behind the kept cases: their neighbours, made.
@Suite struct SpellingTests {
    /// Adds segments and bytes where a careless reader would see an end, a beginning or a delimiter.
    private static func tricky(_ picture: [UInt8]) -> [[UInt8]] {
        func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xFF, code, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
        }
        func with(_ segments: [UInt8]) -> [UInt8] { Array(picture[..<2]) + segments + picture[2...] }
        let thumbnail = Array(picture)
        return [
            picture,
            with(segment(0xE1, Array("Exif\0\0".utf8) + thumbnail)),  // a whole picture inside
            with(segment(0xE1, segment(0xE1, thumbnail) + thumbnail)),  // nested, and a second one
            with(segment(0xE5, [0xFF, 0xD9, 0xFF, 0xD9, 0xFF, 0xD8, 0xFF])),
            // A delimiter in a comment.
            with(segment(0xFE, Array("\r\n--cam\r\nContent-Type: image/jpeg\r\n\r\n".utf8))),
            with(segment(0xEF, [])), with([0xFF, 0xFF, 0xFF] + segment(0xE0, [1])),  // empty; fill before a marker
            with(segment(0xED, [UInt8](repeating: 0xFF, count: 3000))),
        ]
    }

    @Test(
        "Whatever habits meet in one stream, every picture comes, byte for byte, however it is split", arguments: 0..<40
    )
    func combinations(block: UInt64) throws {
        let plain = try ["jpeg-444", "jpeg-grayscale", "jpeg-restart-markers"].map {
            try #require(Case.named($0)).bytes()
        }
        let all = plain.flatMap(Self.tricky)
        for seed in block * 25..<(block + 1) * 25 {
            var random = SplitMix(seed: seed)
            let spelling = Spelling.random(&random)
            let pictures = (0..<4).map { _ in all[Int(random.next() % UInt64(all.count))] }
            let type = "multipart/x-mixed-replace" + (spelling.boundary.parameter.map { ";boundary=\($0)" } ?? "")
            let body = spelling.body(pictures)
            for chunk in [Int.max / 2, 1 + Int(random.next() % 40)] {
                let parsed = parse(body, type: type, chunk: chunk)
                #expect(parsed.pictures == pictures, "seed \(seed): \(spelling), found \(parsed.pictures.count)")
                #expect(!parsed.damaged.contains(true), "seed \(seed): \(spelling)")
                #expect(!parsed.drops.contains("truncated") && !parsed.drops.contains("too_large"), "seed \(seed)")
            }
        }
    }

    @Test("The same pictures back to back, with anything between them that begins no picture")
    func backToBack() throws {
        let all = Self.tricky(try #require(Case.named("jpeg-444")).bytes())
        let fillers: [[UInt8]] = [
            [], [0], [13, 10], Array("text\r\n".utf8), [0xFF], [0xFF, 0xFF], [0xFF, 0xD8, 0x00], [0xFF, 0xD9],
        ]
        for filler in fillers {
            let body = Array(all.map { $0 + filler }.joined())
            for chunk in [1, 2, 3, 1000] {
                #expect(parse(body, type: "image/jpeg", chunk: chunk).pictures == all, "\(filler), by \(chunk)")
            }
        }
    }

    // MARK: Over the wire

    private static let lines = [
        "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.0 200", "ICY 200 OK",
        "HTTP/1.1 200 Everything is fine, really: OK", "HTTP/1.1 206 Partial Content",
    ]

    @Test("Status lines of any kind, with line feeds alone too, whole or chunked within a marker", arguments: lines)
    func statusLines(line: String) throws {
        let picture = try #require(Case.named("jpeg-444")).bytes()
        let part = Array("--b\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + picture + [13, 10]
        let body = part + part + part
        let fetcher = try HTTPFetcher()
        defer { fetcher.stop() }
        for end in ["\r\n", "\n"] {
            for isChunked in [false, true] where !isChunked || line.hasPrefix("HTTP/1.1") {
                // Chunks of one size end within markers, headers and delimiters.
                let coded = isChunked ? Self.chunked(body, 7) : body
                let head =
                    line + end + "Content-Type: multipart/x-mixed-replace;boundary=b" + end
                    + (isChunked ? "Transfer-Encoding: chunked" + end : "") + end
                let bytes = Array(head.utf8) + coded
                let server = try ReplayServer { _ in .init(bytes: bytes) }
                defer { server.stop() }
                let gathered = try gather("http://127.0.0.1:\(server.port)/", fetcher: fetcher)
                #expect(
                    gathered.pictures.map(\.bytes.array) == [picture, picture, picture],
                    "\(line) \(end.debugDescription)")
            }
        }
    }

    private static func chunked(_ body: [UInt8], _ size: Int) -> [UInt8] {
        var out: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
            let piece = body[start..<min(start + size, body.count)]
            out += Array((String(piece.count, radix: 16) + ";ext=1\r\n").utf8) + piece + [13, 10]
        }
        return out + Array("0\r\n\r\n".utf8)
    }

    @Test(
        "An error page with status 200 is an error, whatever type it claims",
        arguments: ["text/html", "TEXT/HTML; charset=utf-8", "image/jpeg", "multipart/x-mixed-replace;boundary=b", ""])
    func pages(type: String) throws {
        let head = "HTTP/1.1 200 OK\r\n" + (type.isEmpty ? "" : "Content-Type: \(type)\r\n") + "\r\n"
        let server = try ReplayServer { _ in .init(bytes: Array((head + "<html><body>Session expired").utf8)) }
        let fetcher = try HTTPFetcher()
        defer {
            server.stop()
            fetcher.stop()
        }
        let error = try gather("http://127.0.0.1:\(server.port)/", fetcher: fetcher).error
        #expect(error?.kind == .unsupported)
        #expect(error?.message.contains("Session expired") == true, "\(error.map { "\($0)" } ?? "")")
    }
}
