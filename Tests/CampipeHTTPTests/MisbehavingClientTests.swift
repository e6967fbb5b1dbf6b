import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("Clients that misbehave are bounded in time and bytes")
struct MisbehavingClientTests {
    /// Lets seconds pass until the server has no client, as many as given at most.
    private func closes(_ test: TestServer, within seconds: Int, each: () -> Void = {}) -> Bool {
        for _ in 0..<seconds {
            each()
            test.clock.advance(by: .seconds(1))
            for _ in 0..<20 where test.server.counters.connections > 0 { usleepBriefly() }
            if test.server.counters.connections == 0 { return true }
        }
        return eventually { test.server.counters.connections == 0 }
    }

    @Test("a byte now and then keeps no connection beyond the time for a request")
    func slowloris() throws {
        let test = try TestServer { $0.headerTimeout = .seconds(5) }
        let client = try test.client()
        client.send("GET /stream HTTP/1.1\r\n")
        #expect(eventually { test.server.counters.connections == 1 && test.clock.nextTimer != nil })
        #expect(closes(test, within: 8) { client.send("X") })
        #expect(test.clock.now <= .zero + .seconds(9))
        #expect(String(decoding: client.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
    }

    @Test("a client that connects and says nothing is closed after the time for a request")
    func silent() throws {
        let test = try TestServer { $0.headerTimeout = .seconds(5) }
        let client = try test.client()
        #expect(eventually { test.server.counters.connections == 1 && test.clock.nextTimer != nil })
        #expect(closes(test, within: 8))
        #expect(client.readToEnd().isEmpty)
    }

    @Test(
        "heads beyond the limits are refused, and not kept",
        arguments: [
            ("X-Long: " + String(repeating: "a", count: 40_000) + "\r\n", 431),
            (String(repeating: "X-Many: 1\r\n", count: 200), 431),
        ])
    func hugeHeads(_ fields: String, _ status: Int) throws {
        let test = try TestServer()
        let client = try test.client()
        client.send("GET /snapshot HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n")
        #expect(try client.readAnswer().status == status)
    }

    @Test("a viewer that goes on sending is closed after a bounded number of bytes")
    func talkative() throws {
        let test = try TestServer()
        let viewer = try test.viewer()
        viewer.send([UInt8](repeating: 0x61, count: 1 << 20))
        #expect(eventually { test.server.counters.connections == 0 })
    }

    @Test("a client that takes some of its answer now and then is closed at the rate that is the least")
    func readsSlowly() throws {
        let test = try TestServer { $0.writeTimeout = .seconds(1500) }
        try test.server.register("/large", access: .open) { _, _ in
            .complete(.jpeg(Bytes([UInt8](repeating: 1, count: 64 << 20))))
        }
        let client = try test.client(receiveBuffer: 4096)
        client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        // 64 MiB are 8,192 s at 8 KiB a second; it takes four.
        var seconds = 0
        while seconds < 20_000, test.server.counters.connections > 0 || seconds == 0 {
            _ = try? client.read(count: 2 << 20)
            #expect(eventually { test.clock.nextTimer != nil })
            test.clock.advance(by: .seconds(500))
            seconds += 500
            _ = eventually { test.server.counters.connections == 0 || test.clock.nextTimer != nil }
        }
        #expect((9500...10_500).contains(seconds))
    }

    @Test("a client that resets its connection while it waits is let go at once, and the handler is told")
    func resetWhileWaiting() throws {
        let test = try TestServer()
        let gone = Lock(0)
        let kept = Lock<[Responder]>([])
        try test.server.register("/later", access: .open) { _, responder in
            responder.whenGone { gone.withLock { $0 += 1 } }
            kept.withLock { $0.append(responder) }
            return .later
        }
        for half in [false, true] {
            var client: TestClient? = try test.client()
            client?.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            let count = half ? 2 : 1
            #expect(eventually { kept.withLock { $0.count } == count })
            if half { client?.finishSending() }
            client?.reset()
            client = nil
            #expect(eventually { test.server.counters.connections == 0 && gone.withLock { $0 } == count })
        }
        kept.withLock { for responder in $0 { responder.answer(.complete(.text(200, "nobody"))) } }
        #expect(gone.withLock { $0 } == 2)
    }

    @Test("of clients that wait for an answer and send nothing more some are kept: the youngest; others are served")
    func goneWhileWaiting() throws {
        let test = try TestServer { $0.maxConnections = 160 }
        let kept = Lock<[Responder]>([])
        try test.server.register("/later", access: .open) { _, responder in
            kept.withLock { $0.append(responder) }
            return .later
        }
        for number in 1...300 {
            let client = try test.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(eventually { kept.withLock { $0.count } == number })
        }
        #expect(eventually { test.server.counters.connections == 20 })
        let other = try test.client()
        other.send("GET /snapshot HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try other.readAnswer().status == 200)
        #expect(test.server.counters.refused == 0)
    }

    @Test("a client that asks and never reads its answer is closed after the time to take something")
    func neverReads() throws {
        let test = try TestServer { $0.writeTimeout = .seconds(5) }
        try test.server.register("/large", access: .open) { _, _ in
            .complete(.jpeg(Bytes([UInt8](repeating: 1, count: 32 << 20))))
        }
        let client = try test.client(receiveBuffer: 4096)
        client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.read(count: 10)
        #expect(eventually { test.server.counters.connections == 1 && test.clock.nextTimer != nil })
        #expect(closes(test, within: 9))
    }
}
