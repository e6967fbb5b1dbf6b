import Testing

@testable import CampipeHTTP

private func steps(_ text: String, chunk: Int = .max / 2) -> (requests: [HTTPRequest], refusal: Int?) {
    var parser = HTTPRequestParser()
    var requests: [HTTPRequest] = []
    let bytes = Array(text.utf8)
    var position = 0
    while position < bytes.count {
        let end = min(bytes.count, position + chunk)
        bytes[position..<end].withUnsafeBytes { parser.receive($0) }
        position = end
        drain: while true {
            switch parser.next() {
            case .more: break drain
            case .request(let request): requests.append(request)
            case .refused(let status, _): return (requests, status)
            }
        }
    }
    return (requests, nil)
}

@Suite struct HTTPRequestParserTests {
    @Test("A request is taken apart, however its bytes are split", arguments: [1, 3, 1000])
    func parts(split: Int) throws {
        let text =
            "\r\nGET /front%20door/stream?width=320&q=a%2Bb+c&flag HTTP/1.1\r\nHost: x\r\nX-Note:  two words \r\n\r\n"
        let request = try #require(steps(text, chunk: split).requests.first)
        #expect(request.method == "GET")
        #expect(request.path == "/front door/stream")
        #expect(request.query("width") == "320")
        #expect(request.query("q") == "a+b c")
        #expect(request.query("flag") == "")
        #expect(request.headers["x-note"] == "two words")
        #expect(request.keepsAlive)
    }

    @Test("Pipelined requests with bodies come out one by one", arguments: [1, 10, 1000])
    func pipelined(split: Int) {
        let text =
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
            + "GET /b HTTP/1.1\nHost: x\n\nGET /c HTTP/1.0\r\n\r\n"
        let requests = steps(text, chunk: split).requests
        #expect(requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(requests.first?.body == Array("hello".utf8))
        #expect(requests.map(\.keepsAlive) == [true, true, false])
    }

    @Test(
        "What is malformed or too large is refused with its status",
        arguments: [
            ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("get\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505), ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400), ("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", 413),
            ("GET /" + String(repeating: "a", count: 9000), 414),
            ("GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 50_000), 431),
            ("GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 100) + "\r\n", 431),
        ])
    func refused(text: String, status: Int) {
        #expect(steps(text).refusal == status)
        #expect(steps(text, chunk: 7).refusal == status)
    }

    @Test("The absolute form and the asterisk are understood")
    func targets() {
        #expect(steps("GET http://host:80/a?b=c HTTP/1.1\r\nHost: x\r\n\r\n").requests.first?.path == "/a")
        #expect(steps("GET http://host?b=c HTTP/1.1\r\nHost: x\r\n\r\n").requests.first?.path == "/")
        #expect(steps("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").requests.first?.path == "*")
    }
}
