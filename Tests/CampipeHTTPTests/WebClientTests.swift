import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("What nodes ask over HTTP")
struct WebClientTests {
    private let own: OwnFetcher
    private let server: ReplayServer
    private var client: FetchingWebClient { FetchingWebClient(own.fetcher) }

    init() throws {
        own = try OwnFetcher()
        server = try ReplayServer { request in
            func answer(_ status: String, _ body: String = "", then: ReplayServer.Ending = .close) -> ReplayServer.Reply
            {
                let head = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n"
                let place = status.hasPrefix("3") ? "Location: /echo\r\n" : ""
                return ReplayServer.Reply(bytes: Array("\(head)\(place)\r\n\(body)".utf8), then: then)
            }
            switch request.name {
            case "echo":
                let length = request.headers["content-length"] ?? request.headers["Content-Length"] ?? "none"
                let title = request.headers["title"] ?? request.headers["Title"] ?? "none"
                return answer("200 OK", "\(request.method) \(length) \(title)")
            case "moved": return answer("307 Temporary Redirect")
            case "refused": return answer("403 Forbidden")
            case "stall": return ReplayServer.Reply(bytes: Array("HTTP/1.1 200 OK\r\n".utf8), then: .stall)
            default: return answer("404 Not Found")
            }
        }
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)/\(path)" }

    private func ask(_ path: String, _ method: String? = nil, _ body: [UInt8]? = nil) throws -> WebAnswer {
        try client.ask(
            WebRequest(url(path), method: method, headers: [("Title", "porch")], body: body, timeout: .seconds(30)))
    }

    @Test("a body is posted, or sent as is said; without one it is read")
    func methods() throws {
        #expect(try ask("echo").text == "GET none porch")
        #expect(try ask("echo", nil, [1, 2, 3]).text == "POST 3 porch")
        #expect(try ask("echo", "PUT", [UInt8](repeating: 7, count: 900)).text == "PUT 900 porch")
        #expect(try ask("echo", nil, []).text == "POST 0 porch")
    }

    @Test("who reads is led on; who sends is not")
    func redirects() throws {
        #expect(try ask("moved").text == "GET none porch")
        #expect(throws: CampipeError.self) { try ask("moved", nil, [1]) }
    }

    @Test(
        "another status is an error of its kind",
        arguments: [("none", CampipeError.Kind.notFound), ("refused", .unauthorized)])
    func statuses(path: String, kind: CampipeError.Kind) {
        let error = #expect(throws: CampipeError.self) { try ask(path) }
        #expect(error?.kind == kind)
    }

    @Test("who does not answer in time is given up, without the query in the message")
    func late() {
        let error = #expect(throws: CampipeError.self) {
            try client.ask(WebRequest(url("stall?key=hunter22"), timeout: .milliseconds(300)))
        }
        #expect(error?.kind == .timedOut)
        #expect(error?.message == "\(url("stall")) did not answer in 300ms")
    }
}
