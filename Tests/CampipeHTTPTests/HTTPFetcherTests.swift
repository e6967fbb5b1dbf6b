import CampipeKit
import Foundation
import Testing

@testable import CampipeHTTP

/// A connection's events, gathered until its end.
struct Gathered {
    var pictures: [JPEGPicture] = []
    var drops: [String] = []
    var error: CampipeError?
    var head: ResponseHead?
    /// When the camera would have been asked again, were it not left.
    var restsUntil: Instant?
}

/// Connects and waits for the end, for a minute at most.
func gather(
    _ url: String, username: String? = nil, password: String? = nil, fetcher: HTTPFetcher, capacity: Int = 4,
    _ change: (inout FetchRequest) -> Void = { _ in }
) throws -> Gathered {
    var request = FetchRequest(try CameraURL(url), username: username, password: password)
    change(&request)
    let bell = DispatchSemaphore(value: 0)
    let connection = MJPEGConnection(request, fetcher: fetcher, clock: ManualClock(), capacity: capacity) {
        bell.signal()
    }
    var gathered = Gathered()
    while true {
        while let event = connection.next() {
            switch event {
            case .opened(let head): gathered.head = head
            case .picture(let picture, _): gathered.pictures.append(picture)
            case .dropped(let reason, let count):
                gathered.drops += Array(repeating: reason.name, count: count)
            case .overrun: break
            case .resting(let until):
                gathered.restsUntil = until
                return gathered
            case .ended(let error):
                gathered.error = error
                return gathered
            }
        }
        if bell.wait(timeout: .now() + 60) == .timedOut { throw TestClient.Closed() }
    }
}

@Suite struct HTTPFetcherTests {
    private let fetcher: HTTPFetcher
    private let server: ReplayServer
    private let ending: Ending

    /// Stops what a test has started.
    private final class Ending {
        let stop: () -> Void
        init(_ stop: @escaping () -> Void) { self.stop = stop }
        deinit { stop() }
    }

    init() throws {
        let fetcher = try HTTPFetcher()
        let server = try ReplayServer.ofCases()
        self.fetcher = fetcher
        self.server = server
        ending = Ending {
            fetcher.stop()
            server.stop()
        }
    }

    private func url(_ name: String, userinfo: String? = nil) -> String {
        "http://\(userinfo.map { $0 + "@" } ?? "")127.0.0.1:\(server.port)/\(name)"
    }

    @Test(
        "Every kept answer gives its exact pictures over the wire",
        arguments: Case.of("http").filter { $0.result == "ok" })
    func cases(_ one: Case) throws {
        let gathered = try gather(url(one.name), fetcher: fetcher)
        #expect(gathered.pictures.count == one.frames)
        if let expected = one.frame_sha256 { #expect(gathered.pictures.map { sha256($0.bytes.array) } == expected) }
        #expect(gathered.error == nil)
    }

    @Test("A login gives its pictures, with user and password in the URL or beside it", arguments: Case.of("http-auth"))
    func logins(_ one: Case) throws {
        let auth = try #require(one.auth)
        let beside = try gather(url(one.name), username: auth.user, password: auth.password, fetcher: fetcher)
        #expect(beside.pictures.map { sha256($0.bytes.array) } == one.frame_sha256)
        #expect(beside.error == nil)
        let userinfo = one.url_userinfo ?? "\(auth.user):\(auth.password)"
        let inside = try gather(url(one.name, userinfo: userinfo), fetcher: fetcher)
        #expect(inside.pictures.count == one.frames)
        if auth.scheme == "digest" {
            let sent = server.requests.compactMap { $0.headers["authorization"] }
            #expect(!sent.isEmpty && sent.allSatisfy { $0.hasPrefix("Digest ") })
        }
    }

    @Test("A wrong password is refused as unauthorized, and stands in no message", arguments: Case.of("http-auth"))
    func wrongLogin(_ one: Case) throws {
        let gathered = try gather(url(one.name + "?pw=S3cret", userinfo: "admin:S3cret"), fetcher: fetcher)
        #expect(gathered.error?.kind == .unauthorized)
        #expect(gathered.pictures.isEmpty)
        #expect(gathered.error.map { !"\($0) \($0.context)".contains("S3cret") } == true)
    }

    @Test("Without a login the refusal says what to set")
    func noLogin() throws {
        let error = try gather(url("auth-digest-qop"), fetcher: fetcher).error
        #expect(error?.kind == .unauthorized)
        #expect(error?.fix == "set `username` and `password`")
    }

    @Test(
        "What is no picture stream is an error that says what it is",
        arguments: [
            (
                "http-200-html", CampipeError.Kind.unsupported,
                "expected MJPEG, got text/html, which begins with \"<html><head><title>Login"
            ),
            ("http-200-empty", .unavailable, "the answer is empty"),
            ("http-cl-on-stream-is-zero", .unavailable, "the answer is empty"),
            ("http-503-retry-after", .unavailable, "503 Service Unavailable"),
            ("mp-h264-parts", .unsupported, "part type video/x-h264 is not supported"),
            ("redirect-loop", .failed, "redirects more than 5 times"),
            ("redirect-to-file-scheme", .unsupported, "neither http nor https"),
            ("no-such-case", .notFound, "404 Not Found"),
        ] as [(String, CampipeError.Kind, String)])
    func errors(name: String, kind: CampipeError.Kind, text: String) throws {
        let gathered = try gather(url(name), fetcher: fetcher)
        #expect(gathered.error?.kind == kind)
        #expect(
            gathered.error.map { $0.message.contains(text) } == true, "\(gathered.error.map { "\($0)" } ?? "no error")")
        #expect(gathered.pictures.isEmpty)
    }

    @Test("Retry-After comes with the error")
    func retryAfter() throws {
        #expect(try gather(url("http-503-retry-after"), fetcher: fetcher).error?.retryAfter == .seconds(1))
    }

    @Test("Answers without a status line, or with a blank line before it, give their pictures")
    func oddStatusLines() throws {
        for name in ["http-no-status-line", "http-blank-status"] {
            #expect(try gather(url(name), fetcher: fetcher).pictures.count == 4, "\(name)")
        }
    }

    @Test("A connection that is reset gives the whole pictures, counts the cut one, and says that it was cut")
    func reset() throws {
        let gathered = try gather(url("mp-drop-mid-frame"), fetcher: fetcher)
        #expect(gathered.drops == ["truncated"])
        #expect(gathered.pictures.count == 2)
        #expect(gathered.error?.kind == .unavailable)
    }

    @Test("Headers beyond the limit end the transfer")
    func headerFlood() throws {
        let server = try ReplayServer { _ in
            let line = "X-A: " + String(repeating: "a", count: 1000) + "\r\n"
            return .init(bytes: Array(("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 1000)).utf8))
        }
        defer { server.stop() }
        let error = try gather("http://127.0.0.1:\(server.port)/", fetcher: fetcher).error
        #expect(error?.message.contains("more than 64 KiB of headers") == true)
    }

    @Test("A port where nobody listens is refused at once")
    func refused() throws {
        let gone = try ReplayServer { _ in .init(bytes: []) }
        gone.stop()
        let error = try gather("http://user:S3cret@127.0.0.1:\(gone.port)/x?p=S3cret", fetcher: fetcher).error
        #expect(error?.kind == .unavailable)
        #expect(error?.message == "cannot open http://127.0.0.1:\(gone.port)/x: the connection is refused")
    }

    @Test("A name without an address says so")
    func unknownName() throws {
        let error = try gather("http://no-such-camera.invalid/", fetcher: fetcher).error
        #expect(error?.kind == .unavailable)
        #expect(error?.message.contains("its name has no address") == true)
    }

    @Test("A connection that closes without a word says so")
    func noAnswer() throws {
        let server = try ReplayServer { _ in .init(bytes: []) }
        defer { server.stop() }
        let error = try gather("http://127.0.0.1:\(server.port)/", fetcher: fetcher).error
        #expect(error?.kind == .unavailable)
    }

    @Test("Credentials are not sent to another host")
    func otherHost() throws {
        let port = server.port
        let first = try ReplayServer { _ in
            .init(
                bytes: Array(
                    "HTTP/1.1 302 Found\r\nLocation: http://localhost:\(port)/mp-plain\r\nContent-Length: 0\r\n\r\n"
                        .utf8))
        }
        defer { first.stop() }
        _ = try gather("http://admin:secret@127.0.0.1:\(first.port)/", fetcher: fetcher)
        let there = server.requests.filter { $0.target == "/mp-plain" }
        #expect(there.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test("A full mailbox pauses the transfer, and nothing is lost or piled up")
    func backpressure() throws {
        let picture = try #require(Case.named("jpeg-444")).bytes()
        let part = Array("--b\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + picture + [13, 10]
        let head = Array("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n\r\n".utf8)
        let bytes = head + (0..<3000).flatMap { _ in part }
        let server = try ReplayServer { _ in .init(bytes: bytes, chunk: 1 << 20) }
        defer { server.stop() }
        var most = 0
        let request = FetchRequest(try CameraURL("http://127.0.0.1:\(server.port)/"))
        let bell = DispatchSemaphore(value: 0)
        let connection = MJPEGConnection(request, fetcher: fetcher, clock: ManualClock(), capacity: 2) { bell.signal() }
        var count = 0
        var isOver = false
        while !isOver {
            try #require(bell.wait(timeout: .now() + 60) == .success)
            most = max(most, connection.waiting)
            while let event = connection.next() {
                switch event {
                case .picture: count += 1
                case .overrun(let more, _): Issue.record("\(more) pictures were overrun")
                case .ended(let error):
                    #expect(error == nil)
                    isOver = true
                default: break
                }
                most = max(most, connection.waiting)
            }
        }
        #expect(count == 3000)
        #expect(most < 90)  // two of curl's buffers of 64 KiB, in pictures of 2 KiB
    }

    @Test("A cancelled connection closes its socket and says nothing more")
    func cancelled() throws {
        let bytes = try #require(Case.named("mp-plain")).bytes()
        let server = try ReplayServer { _ in .init(bytes: bytes, then: .stall) }
        defer { server.stop() }
        let bell = DispatchSemaphore(value: 0)
        let request = FetchRequest(try CameraURL("http://127.0.0.1:\(server.port)/"))
        let connection = MJPEGConnection(request, fetcher: fetcher, clock: ManualClock()) { bell.signal() }
        #expect(bell.wait(timeout: .now() + 60) == .success)
        connection.cancel()
        #expect(connection.next() == nil)
    }

    @Test("Sixty-four cameras share one thread")
    func manyCameras() throws {
        let bytes = try #require(Case.named("mp-plain")).bytes()
        let server = try ReplayServer { _ in .init(bytes: bytes, then: .stall) }
        defer { server.stop() }
        let bell = DispatchSemaphore(value: 0)
        let before = threadNames().filter { $0 == "http-client" }.count
        let connections = try (0..<64).map { number in
            MJPEGConnection(
                FetchRequest(try CameraURL("http://127.0.0.1:\(server.port)/\(number)")), fetcher: fetcher,
                clock: ManualClock()
            ) { bell.signal() }
        }
        var pictures = 0
        while pictures < 64 * 4 {
            try #require(bell.wait(timeout: .now() + 60) == .success)
            for connection in connections {
                while let event = connection.next() { if case .picture = event { pictures += 1 } }
            }
        }
        #expect(threadNames().filter { $0 == "http-client" }.count <= max(before, 16))
        for connection in connections { connection.cancel() }
    }

    private func threadNames() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?
                .trimmingCharacters(in: .newlines)
        }
    }
}

@Suite struct CameraURLTests {
    @Test(
        "User-info is taken out and percent-decoded",
        arguments: [
            ("http://admin:P%40ss%23w%3Ard%2F%5E%21%25@cam/x", "http://cam/x", "admin", "P@ss#w:rd/^!%"),
            ("http://a@cam", "http://cam", "a", nil), ("http://cam:8080/a@b", "http://cam:8080/a@b", nil, nil),
            ("https://u:p@ss@[::1]:1/x?y", "https://[::1]:1/x?y", "u", "p@ss"),
            ("http://u:100%@cam/", "http://cam/", "u", "100%"),
        ] as [(String, String, String?, String?)])
    func userinfo(url: String, text: String, username: String?, password: String?) throws {
        let parsed = try CameraURL(url)
        #expect(parsed.text == text)
        #expect(parsed.username == username)
        #expect(parsed.password == password)
    }

    @Test(
        "What is no http URL is refused without showing it",
        arguments: ["ftp://u:S3cret@x/", "cam", "", "http:// x", "http://"])
    func refused(url: String) {
        let error = #expect(throws: CampipeError.self) { try CameraURL(url) }
        #expect(error.map { !"\($0)".contains("S3cret") } == true)
    }
}
