import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("Viewers of a stream of video")
struct FragmentFeedTests {
    /// A server with a feed at `/live`; a fragment says its number in its first bytes.
    private final class Site {
        let server: HTTPServer
        let port: UInt16
        let feed: FragmentFeed
        let clock = ManualClock()
        let start = Bytes([UInt8](repeating: 0xEE, count: 16))
        var count = 0

        init() throws {
            server = try HTTPServer(clock: clock)
            port = try server.listen(on: ListenAddress("127.0.0.1:0")).port
            let feed = server.makeFragmentFeed()
            self.feed = feed
            try server.register("/live", access: .open) { _, _ in
                .fragments(feed, headers: ["Content-Type": "video/mp4"])
            }
        }

        deinit { server.stop() }

        func viewer(receiveBuffer: Int32? = nil) throws -> TestClient {
            let before = feed.counters.viewers
            let client = try TestClient(port: port, receiveBuffer: receiveBuffer)
            client.send("GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            #expect(eventually { self.feed.counters.viewers == before + 1 })
            return client
        }

        func publish(isKey: Bool, size: Int = 1000, start other: Bytes? = nil) {
            let head = Bytes([UInt8(count >> 8), UInt8(count & 0xFF), isKey ? 1 : 0, 0])
            feed.publish(
                head, Bytes([UInt8](repeating: 7, count: size - 4)), isKey: isKey, initialization: other ?? start)
            count += 1
            clock.advance(by: .milliseconds(100))
        }
    }

    private func fragment(_ client: TestClient, _ size: Int = 1000) throws -> (number: Int, isKey: Bool) {
        let bytes = try client.read(count: size)
        #expect(bytes.dropFirst(4).allSatisfy { $0 == 7 })
        return (Int(bytes[0]) << 8 | Int(bytes[1]), bytes[2] == 1)
    }

    @Test(
        "a viewer is sent the initialization, a keyframe and all that follows; another initialization before what needs it"
    )
    func order() throws {
        let site = try Site()
        let viewer = try site.viewer()
        site.publish(isKey: false)
        for index in 1...20 {
            site.publish(isKey: (index - 1) % 10 == 0)
            if index == 1 { #expect(try viewer.read(count: 16) == site.start.array) }
            #expect(try fragment(viewer) == (index, (index - 1) % 10 == 0))
        }
        let other = Bytes([UInt8](repeating: 0xDD, count: 20))
        site.publish(isKey: true, start: other)
        #expect(try viewer.read(count: 20) == other.array)
        #expect(try fragment(viewer).isKey)
        let late = try site.viewer()
        #expect(try late.read(count: 20) == other.array)
        #expect(try fragment(late) == (21, true))
    }

    @Test("a slow viewer skips to keyframes, is never sent a picture whose reference it missed, and slows nobody")
    func slow() throws {
        let site = try Site()
        let slow = try site.viewer(receiveBuffer: 4096)
        let fast = try site.viewer()
        let size = 60_000
        site.publish(isKey: true, size: size)
        _ = try (fast.read(count: 16), fragment(fast, size))
        // Less than the time after which who takes nothing is closed.
        for index in 1..<200 {
            site.publish(isKey: index % 10 == 0, size: size)
            #expect(try fragment(fast, size).number == index)
        }
        #expect(try slow.read(count: 16) == site.start.array)
        var last = -1
        var seen = 0
        while last < 190 {
            let (number, isKey) = try fragment(slow, size)
            #expect(number == last + 1 || number > last && isKey)
            last = number
            seen += 1
        }
        #expect(seen < 100 && site.feed.counters.skipped >= last + 1 - seen)
        // Each is counted once, however early.
        #expect(site.feed.counters.skipped + seen <= 200)
        #expect(site.feed.counters.published == 200)
    }

    @Test("a viewer that takes nothing is closed and counted; one to whom nothing comes stays")
    func stalled() throws {
        let site = try Site()
        let stalled = try site.viewer(receiveBuffer: 4096)
        let fast = try site.viewer()
        site.publish(isKey: true, size: 1_000_000)
        _ = try (fast.read(count: 16), fragment(fast, 1_000_000))
        for _ in 0..<20 {
            site.publish(isKey: true, size: 1_000_000)
            _ = try fragment(fast, 1_000_000)
        }
        // The stream is 2.1 s long by now: it is at work at the first one, and what is held no more it has missed.
        site.clock.advance(by: .seconds(3))
        for _ in 0..<2 {
            site.publish(isKey: true, size: 1_000_000)
            _ = try fragment(fast, 1_000_000)
        }
        #expect(eventually { site.feed.counters.skipped == 20 })
        #expect(
            eventually {
                site.clock.advance(by: .seconds(1))
                return site.server.counters.connections == 1
            })
        #expect(eventually { site.feed.counters.stalled == 1 && site.feed.counters.viewers == 1 })
        site.clock.advance(by: .seconds(3600))
        site.publish(isKey: true)
        #expect(try fragment(fast).isKey)
        withExtendedLifetime(stalled) {}
    }

    @Test("a viewer that has gone is forgotten, whichever of several it was")
    func leaving() throws {
        let site = try Site()
        var viewers: [TestClient?] = []
        for _ in 0..<4 { viewers.append(try site.viewer()) }
        for index in [1, 0, 3] {
            viewers[index] = nil
            #expect(eventually { site.feed.counters.viewers == viewers.count { $0 != nil } })
        }
        site.publish(isKey: true)
        _ = try viewers[2]?.read(count: 16)
        #expect(try fragment(#require(viewers[2])).isKey)
        site.feed.close()
        #expect(eventually { site.feed.counters.viewers == 0 })
        let refused = try TestClient(port: site.port)
        refused.send("GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try refused.readAnswer().status == 503)
    }
}
