import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("A viewer of several streams")
struct ManyStreamsTests {
    /// A server with so many feeds at `/all`.
    private final class Site {
        let server: HTTPServer
        let port: UInt16
        let feeds: [BroadcastFeed]
        let clock = ManualClock()
        let demand = Lock([Int: Bool]())

        init(_ count: Int) throws {
            server = try HTTPServer(clock: clock)
            port = try server.listen(on: ListenAddress("127.0.0.1:0")).port
            let (server, demand) = (server, demand)
            let feeds = (0..<count).map { number in
                server.makeFeed { isWatched in demand.withLock { $0[number] = isWatched } }
            }
            self.feeds = feeds
            try server.register("/all", access: .open) { _, _ in
                .streams(feeds.enumerated().map { NamedFeed("/cam\($0.offset)", $0.element) })
            }
            try server.register("/one", access: .open) { _, _ in .stream(feeds[0]) }
        }

        deinit { server.stop() }

        func viewer(_ path: String = "/all", receiveBuffer: Int32? = nil) throws -> TestClient {
            let client = try TestClient(port: port, receiveBuffer: receiveBuffer)
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(through: "--campipe-frame\r\n")
            return client
        }

        func publish(_ feed: Int, _ size: Int, _ fill: UInt8) {
            feeds[feed].publish(Bytes([UInt8](repeating: fill, count: size)), time: clock.wallTime)
        }
    }

    private func readPart(_ client: TestClient) throws -> (name: String?, body: [UInt8]) {
        let part = try client.readAnswer()
        _ = try client.read(through: "--campipe-frame\r\n")
        let name = part.head.hasPrefix("X-Stream: ") ? part.head.dropFirst(10).prefix { $0 != "\r\n" } : nil
        return (name.map(String.init), part.body)
    }

    @Test("each part has its stream's name in front, and a viewer of one stream sees none")
    func names() throws {
        let site = try Site(3)
        let all = try site.viewer()
        let one = try site.viewer("/one")
        for feed in 0..<3 { site.publish(feed, 1000, UInt8(feed)) }
        var seen: [String: UInt8] = [:]
        for _ in 0..<3 {
            let (name, body) = try readPart(all)
            seen[try #require(name)] = body.first
        }
        #expect(seen == ["/cam0": 0, "/cam1": 1, "/cam2": 2])
        #expect(try readPart(one).name == nil)
        #expect(site.demand.withLock { $0 } == [0: true, 1: true, 2: true])
    }

    @Test("a burst of all streams at once reaches a viewer who keeps up, each of them")
    func burst() throws {
        let site = try Site(16)
        let viewer = try site.viewer()
        for round in 0..<20 {
            for feed in 0..<16 { site.publish(feed, 8000, UInt8(round)) }
            var seen: Set<String> = []
            while seen.count < 16 {
                let (name, body) = try readPart(viewer)
                #expect(body.first == UInt8(round))
                seen.insert(try #require(name))
            }
        }
    }

    @Test("a slow viewer gets fewer pictures, whole and ever newer, of each stream in turn")
    func slow() throws {
        let site = try Site(4)
        let viewer = try site.viewer(receiveBuffer: 4096)
        for round in 0..<60 {
            for feed in 0..<4 { site.publish(feed, 300_000, UInt8(round)) }
            #expect(eventually { site.feeds[0].counters.published == round + 1 })
        }
        var last: [String: UInt8] = [:]
        var counts: [String: Int] = [:]
        while last.count < 4 || last.values.contains(where: { $0 != 59 }) {
            let (name, body) = try readPart(viewer)
            let stream = try #require(name)
            #expect(body.count == 300_000 && Set(body).count == 1)
            #expect(body.first.map { Int($0) } ?? -1 > last[stream].map { Int($0) } ?? -1)
            last[stream] = body.first
            counts[stream, default: 0] += 1
        }
        #expect(counts.values.allSatisfy { $0 < 30 })
    }

    @Test("a stream with ever new pictures does not keep the others from a slow viewer")
    func fair() throws {
        let site = try Site(4)
        let viewer = try site.viewer(receiveBuffer: 4096)
        for feed in (0..<4).reversed() { site.publish(feed, 300_000, 1) }
        var seen: Set<String> = []
        for round in 0..<12 {
            site.publish(0, 300_000, UInt8(round))
            seen.insert(try #require(try readPart(viewer).name))
        }
        #expect(seen.count == 4)
    }

    @Test("when one of the streams ends so does the connection; the others go on for who comes again")
    func end() throws {
        let site = try Site(3)
        let viewer = try site.viewer()
        site.feeds[1].close()
        _ = viewer.readToEnd()
        #expect(eventually { site.feeds[0].counters.viewers == 0 })
        #expect(eventually { site.demand.withLock { $0[0] == false && $0[2] == false } })
        let again = try site.viewer()
        site.publish(2, 10, 9)
        #expect(try readPart(again).name == "/cam2")
    }

    @Test("viewers of several streams that come and go leave nothing behind")
    func churn() throws {
        let site = try Site(8)
        for round in 0..<100 {
            let viewer = try site.viewer()
            site.publish(round % 8, 20_000, 1)
            if round % 3 == 0 { viewer.reset() }
        }
        #expect(eventually { site.server.counters.connections == 0 })
        #expect(site.feeds.allSatisfy { $0.counters.viewers == 0 && $0.counters.viewersTotal == 100 })
    }
}
