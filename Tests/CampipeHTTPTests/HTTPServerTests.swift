import CampipeKit
import Testing

@testable import CampipeHTTP

/// A server on a port of the system's choosing, with a stream and a snapshot.
final class TestServer {
    let server: HTTPServer
    let port: UInt16
    let feed: BroadcastFeed
    let clock: ManualClock
    let demand = Lock([Bool]())

    init(log: Log = .silent, _ change: (inout HTTPServer.Options) -> Void = { _ in }) throws {
        var options = HTTPServer.Options()
        change(&options)
        clock = ManualClock()
        server = try HTTPServer(options: options, clock: clock, log: log)
        port = try server.listen(on: ListenAddress("127.0.0.1:0")).port
        let demand = demand
        let feed = server.makeFeed { isWatched in demand.withLock { $0.append(isWatched) } }
        self.feed = feed
        try server.register("/stream", access: .open) { _, _ in .stream(feed) }
        try server.register("/snapshot", access: .open) { _, _ in .complete(.jpeg(Bytes([0xFF, 0xD8, 0xFF, 0xD9]))) }
    }

    deinit { server.stop() }

    func client(receiveBuffer: Int32? = nil) throws -> TestClient {
        try TestClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// A client that has read a stream's head and first delimiter.
    func viewer(receiveBuffer: Int32? = nil) throws -> TestClient {
        let client = try client(receiveBuffer: receiveBuffer)
        client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.read(through: "--campipe-frame\r\n")
        return client
    }

    func publish(_ size: Int, _ fill: UInt8) {
        feed.publish(Bytes([UInt8](repeating: fill, count: size)), time: clock.wallTime)
    }
}

private func isSorted(_ numbers: [UInt8]) -> Bool { zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } }

@Suite struct HTTPServerTests {
    @Test("HEAD of a stream has GET's head, no body, and is answered at once")
    func head() throws {
        let test = try TestServer()
        let client = try test.client()
        client.send(try #require(Case.named("out-head")).bytes())
        let answer = String(decoding: client.readToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        let get = try test.client()
        get.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(String(decoding: try get.read(through: "\r\n\r\n"), as: UTF8.self) == answer)
    }

    @Test("The head of a stream is the one that browsers and relays know")
    func streamHead() throws {
        let test = try TestServer()
        let client = try test.client()
        client.send(try #require(Case.named("out-http10")).bytes())
        let head = String(decoding: try client.read(through: "\r\n\r\n"), as: UTF8.self)
        #expect(
            head == """
                HTTP/1.1 200 OK\r
                Content-Type: multipart/x-mixed-replace;boundary=campipe-frame\r
                Cache-Control: no-store, no-cache, must-revalidate, proxy-revalidate, max-age=0\r
                Pragma: no-cache\r
                X-Accel-Buffering: no\r
                Connection: close\r
                \r\n
                """)
        #expect(String(decoding: try client.read(through: "\r\n"), as: UTF8.self) == "--campipe-frame\r\n")
    }

    @Test("A part is its headers, the picture as it is, and the next delimiter at once")
    func part() throws {
        let test = try TestServer()
        let client = try test.viewer()
        test.feed.publish(Bytes([1, 2, 3]), time: WallTime(microseconds: 1_690_526_144_000_042))
        let part = try client.read(through: "--campipe-frame\r\n")
        let expected =
            Array("Content-Type: image/jpeg\r\nContent-Length: 3\r\nX-Timestamp: 1690526144.000042\r\n\r\n".utf8)
            + [1, 2, 3] + Array("\r\n--campipe-frame\r\n".utf8)
        #expect(part == expected)
    }

    @Test("A preflight is answered, with CORS only when asked for", arguments: [true, false])
    func preflight(isAllowed: Bool) throws {
        let test = try TestServer { if isAllowed { $0.cors = CORS(origins: ["http://o.example"]) } }
        let client = try test.client()
        client.send(try #require(Case.named("out-options-preflight")).bytes())
        let answer = try client.readAnswer()
        #expect(answer.status == 204)
        #expect(answer.field("Allow") == "GET, HEAD, OPTIONS")
        #expect(answer.field("Access-Control-Allow-Origin") == (isAllowed ? "http://o.example" : nil))
        #expect(answer.field("Access-Control-Allow-Methods") == (isAllowed ? "GET, HEAD, OPTIONS" : nil))
    }

    @Test("A known origin is named on streams and on errors")
    func origin() throws {
        let test = try TestServer { $0.cors = CORS(origins: ["http://o.example"]) }
        let stream = try test.client()
        stream.send(try #require(Case.named("out-get-origin")).bytes())
        #expect(try stream.readAnswer(hasBody: false).field("Access-Control-Allow-Origin") == "http://o.example")
        let client = try test.client()
        client.send("GET /nothing HTTP/1.1\r\nHost: x\r\nOrigin: http://o.example\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.status == 404)
        #expect(answer.field("Access-Control-Allow-Origin") == "http://o.example")
        client.send("GET /nothing HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\n\r\n")
        #expect(try client.readAnswer().field("Access-Control-Allow-Origin") == nil)
    }

    @Test("A huge request line is refused, and the client can read why although it went on sending")
    func hugeLine() throws {
        let test = try TestServer()
        let client = try test.client()
        client.send(Array("GET /".utf8) + [UInt8](repeating: 0x61, count: 200_000) + Array(" HTTP/1.1\r\n\r\n".utf8))
        #expect(String(decoding: client.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 414 "))
    }

    @Test("Half a request is answered 408 and closed after the header timeout")
    func halfRequest() throws {
        let test = try TestServer()
        let client = try test.client()
        client.send(try #require(Case.named("out-half-request")).bytes())
        #expect(eventually { test.server.counters.connections == 1 && test.clock.nextTimer != nil })
        #expect(
            eventually {
                test.clock.advance(by: .seconds(1))
                return test.server.counters.connections == 0
            })
        #expect(String(decoding: client.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
        #expect(test.clock.now >= .zero + .seconds(10))
    }

    @Test("Pipelined requests are answered in order on one connection")
    func pipelined() throws {
        let test = try TestServer()
        let client = try test.client()
        client.send(try #require(Case.named("out-pipelined")).bytes())
        let first = try client.readAnswer()
        let second = try client.readAnswer()
        #expect([first.status, second.status] == [200, 200])
        #expect(first.field("Connection") == "keep-alive")
        #expect(second.field("Connection") == "close")
        #expect(client.readToEnd().isEmpty)
    }

    @Test("A thousand pipelined requests are all answered, in bounded memory")
    func manyPipelined() throws {
        let test = try TestServer()
        let client = try test.client()
        let one = "GET /snapshot HTTP/1.1\r\nHost: x\r\n\r\n"
        client.send(String(repeating: one, count: 1000))
        for _ in 0..<1000 { #expect(try client.readAnswer().status == 200) }
    }

    @Test(
        "Methods and paths that nobody serves have their answers",
        arguments: [
            ("POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405),
            ("GET /stream/x HTTP/1.1\r\nHost: x\r\n\r\n", 404), ("GET /x HTTP/1.0\r\n\r\n", 404),
            ("BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 404), ("nonsense\r\n\r\n", 400),
            ("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 204),
        ])
    func refusals(request: String, status: Int) throws {
        let client = try TestServer().client()
        client.send(request)
        _ = try? client.readAnswer()
        let test = try TestServer()
        let again = try test.client()
        again.send(request)
        #expect(try again.readAnswer().status == status)
    }

    @Test("Routes come and go while the server runs, and a taken path is an error")
    func routes() throws {
        let test = try TestServer()
        let client = try test.client()
        try test.server.register("/front", access: .open, coversBelow: true) { request, _ in
            request.subpath == "no" ? nil : .complete(.text(200, "[\(request.subpath)]"))
        }
        func get(_ path: String) throws -> TestClient.Answer {
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            return try client.readAnswer()
        }
        #expect(try get("/front").body == Array("[]\n".utf8))
        #expect(try get("/front/a/b").body == Array("[a/b]\n".utf8))
        #expect(try get("/front/no").status == 404)
        #expect(try get("/frontage").status == 404)
        #expect(throws: CampipeError.self) { try test.server.register("/front", access: .open) { _, _ in nil } }
        test.server.unregister("/front")
        #expect(try get("/front").status == 404)
    }

    @Test("A handler may answer later from another thread, and one that never does is told of")
    func later() throws {
        let test = try TestServer()
        let kept = Lock<Responder?>(nil)
        try test.server.register("/later", access: .open) { _, responder in
            kept.withLock { $0 = responder }
            return .later
        }
        try test.server.register("/never", access: .open) { _, _ in .later }
        let client = try test.client()
        client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(eventually { kept.withLock { $0 != nil } })
        kept.withLock { $0 }?.answer(.complete(.text(200, "now")))
        #expect(try client.readAnswer().body == Array("now\n".utf8))
        client.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().status == 500)
    }

    @Test("A later answer that takes too long is 504")
    func tooLate() throws {
        let test = try TestServer()
        let kept = Lock<Responder?>(nil)
        try test.server.register("/later", access: .open) { _, responder in
            kept.withLock { $0 = responder }
            return .later
        }
        let client = try test.client()
        client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(eventually { kept.withLock { $0 != nil } })
        #expect(
            eventually {
                test.clock.advance(by: .seconds(1))
                return test.server.counters.connections == 0
            })
        #expect(String(decoding: client.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 504 "))
    }

    @Test("An idle connection is closed after its timeout without a word")
    func idle() throws {
        let test = try TestServer()
        let client = try test.client()
        client.send("GET /snapshot HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().status == 200)
        #expect(
            eventually {
                test.clock.advance(by: .seconds(1))
                return test.server.counters.connections == 0
            })
        #expect(client.readToEnd().isEmpty)
        #expect(test.clock.now >= .zero + .seconds(30))
    }

    @Test("A client that finishes sending is still answered")
    func halfClosed() throws {
        let client = try TestServer()
        let socket = try client.client()
        socket.send("GET /snapshot HTTP/1.1\r\nHost: x\r\n\r\n")
        socket.finishSending()
        #expect(try socket.readAnswer().status == 200)
        #expect(socket.readToEnd().isEmpty)
    }

    @Test("Answers that come later reach a client that sent several requests and finished sending, all of them")
    func halfClosedLater() throws {
        let test = try TestServer()
        let kept = Lock<[Responder]>([])
        try test.server.register("/later", access: .open) { _, responder in
            kept.withLock { $0.append(responder) }
            return .later
        }
        let client = try test.client()
        client.send(String(repeating: "GET /later HTTP/1.1\r\nHost: x\r\n\r\n", count: 3) + "GET /half HTT")
        client.finishSending()
        for number in 1...3 {
            #expect(eventually { kept.withLock { $0.count } == number })
            kept.withLock { $0.last }?.answer(.complete(.text(200, "answer \(number)")))
            #expect(try client.readAnswer().body == Array("answer \(number)\n".utf8))
        }
        #expect(client.readToEnd().isEmpty)
    }

    @Test("Any number of requests is answered to a client that finished sending; the last answer says that it is")
    func halfClosedMany() throws {
        let test = try TestServer()
        let client = try test.client()
        client.send(String(repeating: "GET /snapshot HTTP/1.1\r\nHost: x\r\n\r\n", count: 200))
        client.finishSending()
        for number in 1...200 {
            let answer = try client.readAnswer()
            #expect(answer.status == 200)
            if number == 200 { #expect(answer.field("Connection") == "close") }
        }
        #expect(client.readToEnd().isEmpty)
    }

    @Test("A client that waits to be told to go on with its body is told so, once, and no other is")
    func expects() throws {
        let test = try TestServer()
        try test.server.register("/body", access: .open, methods: ["POST"]) { request, _ in
            .complete(.text(200, String(decoding: request.body, as: UTF8.self)))
        }
        let head = "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n"
        let client = try test.client()
        client.send(head)
        #expect(try client.readAnswer(hasBody: false).head == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("he")
        client.send("llo")
        #expect(try client.readAnswer().body == Array("hello\n".utf8))
        // Who does not wait needs no word.
        client.send(head + "again")
        #expect(try client.readAnswer().body == Array("again\n".utf8))
    }

    @Test("Clients beyond the limit are told to come back")
    func limit() throws {
        let test = try TestServer { $0.maxConnections = 2 }
        let first = try test.viewer()
        let second = try test.viewer()
        let third = try test.client()
        #expect(String(decoding: third.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 503 "))
        #expect(test.server.counters.refused == 1)
        withExtendedLifetime((first, second)) {}
    }

    @Test("A port in use is an error that names it and says what to do")
    func portInUse() throws {
        let test = try TestServer()
        let address = ListenAddress(host: "127.0.0.1", port: test.port)
        let error = #expect(throws: CampipeError.self) { try test.server.listen(on: address) }
        #expect(error?.message == "cannot listen on 127.0.0.1:\(test.port): port \(test.port) is in use")
        #expect(error?.fix != nil)
    }

    @Test("Addresses to listen on are read, or refused with an example")
    func addresses() throws {
        #expect(try ListenAddress("[::1]:80") == ListenAddress(host: "::1", port: 80))
        #expect(try ListenAddress(":8080") == ListenAddress(host: "", port: 8080))
        for text in ["8080", "127.0.0.1", "::1:80", "a:99999", "a:-1", ""] {
            #expect(throws: CampipeError.self, "\(text)") { try ListenAddress(text) }
        }
    }

    @Test("Stopping closes every client at once")
    func stop() throws {
        let test = try TestServer()
        let viewers = try (0..<20).map { _ in try test.viewer() }
        test.server.stop()
        for viewer in viewers { #expect(viewer.readToEnd().isEmpty) }
        #expect(test.demand.withLock { $0 } == [true, false])
    }
}

@Suite struct BroadcastFeedTests {
    @Test("Every viewer gets every picture whole when it keeps up")
    func everyPicture() throws {
        let test = try TestServer()
        let viewers = try (0..<20).map { _ in try test.viewer() }
        for number in 1...20 {
            test.publish(100_000, UInt8(number))
            for viewer in viewers {
                #expect(try viewer.readPart() == [UInt8](repeating: UInt8(number), count: 100_000))
            }
        }
        test.publish(1, 0)
        for viewer in viewers { _ = try viewer.readPart() }
        #expect(eventually { test.feed.counters.delivered >= 400 })
        #expect(test.feed.counters.skipped == 0)
    }

    /// Many are served from a file in memory, few from its bytes; the slow one begins with the one and goes on with the other.
    @Test("A slow viewer gets fewer, fresh pictures, none of them cut, and slows nobody", arguments: [1, 20])
    func slowViewer(fastOnes: Int) throws {
        let test = try TestServer()
        let slow = try test.viewer(receiveBuffer: 4096)
        let fast = try (0..<fastOnes).map { _ in try test.viewer() }
        for number in 1...60 {
            // Every fourth byte tells where it stands.
            var picture = [UInt8](repeating: UInt8(number), count: 300_000)
            for place in stride(from: 3, to: picture.count, by: 4) { picture[place] = UInt8(place >> 10 & 0xFF) }
            test.feed.publish(Bytes(picture), time: test.clock.wallTime)
            for viewer in fast { #expect(try viewer.readPart() == picture) }
        }
        test.feed.close()
        var seen: [UInt8] = []
        while let part = try? slow.readPart() {
            #expect(part.indices.allSatisfy { part[$0] == ($0 % 4 == 3 ? UInt8($0 >> 10 & 0xFF) : part.first) })
            #expect(part.count == 300_000)
            seen.append(part.first ?? 0)
        }
        #expect(seen.count < 10)
        #expect(isSorted(seen))
        #expect(test.feed.counters.published == 60)
    }

    @Test("A viewer that reads again sees the newest picture next, not what was published meanwhile")
    func newestWins() throws {
        let test = try TestServer()
        let slow = try test.viewer(receiveBuffer: 4096)
        let fast = try test.viewer()
        for number in 1...60 {
            test.publish(1_000_000, UInt8(number))
            _ = try fast.readPart()
        }
        var seen: [UInt8] = []
        for number in 61...100 {
            seen.append(try slow.readPart().first ?? 0)
            test.publish(1_000_000, UInt8(number))
            _ = try fast.readPart()
            if seen.count == 4 { break }
        }
        #expect(seen.first == 1)
        #expect(isSorted(seen))
        #expect((seen.last ?? 0) >= 60)
    }

    @Test("A viewer that takes nothing is closed after the write timeout, and counted with what it missed meanwhile")
    func stalled() throws {
        let test = try TestServer()
        let stalled = try test.viewer(receiveBuffer: 4096)
        let fast = try test.viewer()
        for number in 1...20 {
            test.publish(1_000_000, UInt8(number))
            _ = try fast.readPart()
        }
        // It has begun the first one, or as many as the kernel takes, and could still be sent the last one.
        #expect(eventually { (15...18).contains(test.feed.counters.skipped) })
        #expect(
            eventually {
                test.clock.advance(by: .seconds(1))
                return test.server.counters.connections == 1
            })
        test.publish(10, 1)
        _ = try fast.readPart()
        #expect(eventually { test.feed.counters.stalled == 1 && test.feed.counters.viewers == 1 })
        withExtendedLifetime(stalled) {}
    }

    @Test("Demand is told when the first viewer comes and when the last has gone")
    func demand() throws {
        let test = try TestServer()
        var first: TestClient? = try test.viewer()
        var second: TestClient? = try test.viewer()
        #expect(test.demand.withLock { $0 } == [true])
        first = nil
        second?.reset()
        second = nil
        #expect(eventually { test.demand.withLock { $0 } == [true, false] })
        #expect(eventually { test.server.counters.connections == 0 })
        withExtendedLifetime((first, second)) {}
    }

    @Test("A new viewer is shown the newest picture at once, but not one too old to pass for live")
    func lateViewer() throws {
        let test = try TestServer()
        test.publish(10, 7)
        let early = try test.viewer()
        #expect(try early.readPart().first == 7)
        test.clock.advance(by: .seconds(5))
        let late = try test.viewer()
        test.publish(10, 8)
        #expect(try late.readPart().first == 8)
        #expect(try early.readPart().first == 8)
    }

    @Test("A closed feed hangs up on its viewers and turns new ones away")
    func closed() throws {
        let test = try TestServer()
        let viewer = try test.viewer()
        test.feed.close()
        #expect(viewer.readToEnd().isEmpty)
        let late = try test.client()
        late.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try late.readAnswer().status == 503)
    }

    @Test("Viewers that come and go leave nothing behind")
    func churn() throws {
        let test = try TestServer()
        for round in 0..<300 {
            let viewer = try test.viewer()
            test.publish(20_000, UInt8(round & 0x7F))
            if round % 3 == 0 { viewer.reset() }
        }
        #expect(eventually { test.server.counters.connections == 0 })
        #expect(eventually { test.feed.counters.viewers == 0 })
        #expect(test.feed.counters.viewersTotal == 300)
    }
}
