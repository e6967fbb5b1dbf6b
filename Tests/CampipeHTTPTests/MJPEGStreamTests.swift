import CampipeKit
import Testing

@testable import CampipeHTTP

/// What is made of an answer that is not quite what it says, or not what was asked for.
@Suite struct MJPEGStreamTests {
    /// Gives an answer byte by byte, to its end.
    private func read(_ headers: HTTPHeaders, _ body: [UInt8], status: Int = 200) -> (
        pictures: Int, error: CampipeError?
    ) {
        var stream = MJPEGStream(head: ResponseHead(status: status, headers: headers), source: "http://cam/")
        var actions: [MultipartParser.Action] = []
        do throws(CampipeError) {
            for byte in body {
                try withUnsafeBytes(of: byte) { (bytes) throws(CampipeError) in
                    try stream.receive(bytes, into: &actions)
                }
            }
            try stream.finish(isComplete: true, into: &actions)
        } catch {
            return (stream.pictures, error)
        }
        return (stream.pictures, nil)
    }

    private func jpeg() throws -> [UInt8] {
        try #require(Case.named("jpeg-422")).bytes()
    }

    @Test("A stream that ends before its first picture is a camera that starts, and no other kind of stream")
    func early() {
        for body in ["--q", "--q\r\n", "--q\r\nContent-Type: image/jpeg\r\n", "\r\n"] {
            let error = read(["Content-Type": "multipart/x-mixed-replace;boundary=q"], Array(body.utf8)).error
            #expect(error?.kind == .unavailable, "\(body)")
            #expect(error?.message.hasSuffix("the stream ended before its first picture") == true, "\(body)")
        }
    }

    @Test("What is no multipart, or has parts of another kind, is still named as what it is")
    func other() {
        let png = "--q\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\nPNG\r\n--q--"
        #expect(
            read(["Content-Type": "multipart/x-mixed-replace;boundary=q"], Array(png.utf8)).error?.kind == .unsupported)
        let page = read(["Content-Type": "text/html"], Array("<html>".utf8)).error
        #expect(page?.message.contains("expected MJPEG, got text/html, which begins with \"<") == true)
    }

    @Test(
        "Pictures count, whatever the type says",
        arguments: ["text/plain", "text/html", "application/json", "image/png"])
    func mistyped(type: String) throws {
        let jpeg = try jpeg()
        let part = Array("--q\r\nContent-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n".utf8) + jpeg
        let multipart = part + [13, 10] + part + Array("\r\n--q--\r\n".utf8)
        #expect(read(["Content-Type": type], multipart).pictures == 2)
        #expect(read(["Content-Type": type], [13, 10] + multipart).pictures == 2)
        #expect(read(["Content-Type": type], jpeg + jpeg).pictures == 2)
        #expect(read(["Content-Type": type], Array("PNG".utf8)).error?.kind == .unsupported)
    }

    @Test("A compressed answer is called so")
    func compressed() throws {
        let headers: HTTPHeaders = ["Content-Type": "image/jpeg", "Content-Encoding": "gzip"]
        let error = read(headers, [0x1F, 0x8B, 8, 0]).error
        #expect(error?.kind == .unsupported && error?.message.contains("Content-Encoding: gzip") == true)
        // Some say so of what is not.
        let jpeg = try jpeg()
        #expect(read(headers, jpeg).pictures == 1)
    }

    @Test("An answer without a body is empty", arguments: [200, 204, 304])
    func empty(status: Int) {
        let error = read([:], [], status: status).error
        #expect(error?.message == "http://cam/: the answer is empty" && error?.fix == "check the path of the URL")
    }
}
