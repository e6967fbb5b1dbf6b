import CampipeHTTP
import CampipeKit
import Testing

@testable import CampipeMedia
@testable import CampipeNodes

@Suite("H.264 and H.265 over HTTP as they are")
struct LiveVideoTests {
    /// Three seconds at ten a second, with a keyframe each second.
    private static let small = Result { try film(Size(160, 120)) }

    private static func film(_ size: Size) throws -> [Packet] {
        let scene = DemoScene(.still, size: size)
        var encoder: VideoEncoder?
        var packets: [Packet] = []
        for index in 0..<30 {
            let time = Duration.milliseconds(index * 100)
            let frame = scene.frame(at: time, rate: 10, captured: .zero + time, pool: .shared)
            let own = try encoder ?? VideoEncoder(frame.format)
            encoder = own
            packets += try own.encode(frame, pool: .shared)
        }
        return try packets + (encoder?.drain() ?? [])
    }

    /// A server with one sink at `/front`, fed from a film.
    final class Site {
        let server: HTTPServer
        let address: ListenAddress
        let harness: NodeHarness
        let clock = ManualClock(now: .zero + .seconds(100))
        var film: [Packet]
        private var position = 0

        init(_ options: Value.ValueMap = ["path": "/front"], hasSound: Bool = false) throws {
            film = try LiveVideoTests.small.get()
            server = try HTTPServer(clock: clock)
            address = try server.listen(on: ListenAddress("127.0.0.1:0"))
            var services = Services()
            services.add(try WebStreams(server: server))
            harness = try NodeHarness(
                Registration(sink: HTTPSink.self), options: options, id: "web", isLive: true,
                connected: hasSound ? ["input", "audio"] : ["input"], services: services, clock: clock)
        }

        deinit { server.stop() }

        func get(_ target: String) throws -> HTTPClient { try HTTPClient(address, get: target) }

        /// The subscription for video, once somebody asks.
        var subscription: Demand.ID? { harness.wants.keys.first { $0 >= LiveVideo.firstSubscription } }
        func awaitDemand() -> Bool { eventually { self.subscription != nil } }

        /// Hands over the next pictures of the film, which goes on in circles.
        func play(_ count: Int, as other: Demand.ID? = nil) throws {
            for _ in 0..<count {
                var packet = film[position % film.count]
                packet.dts = MediaTime(.milliseconds(position * 100))
                packet.pts = packet.dts
                packet.captured = clock.now
                packet.storage.subscription = other ?? subscription ?? 0
                try harness.push(packet)
                position += 1
                clock.advance(by: .milliseconds(100))
            }
        }

        func playJPEG() throws {
            let packet = Packet(
                Bytes([0xFF, 0xD8, 0xFF, 0xD9]), format: .jpeg, captured: clock.now, pts: MediaTime(.zero))
            packet.storage.subscription = subscription ?? 0
            try harness.push(packet)
        }
    }

    /// How many fragments are in an answer's body.
    private func count(_ name: String, in text: String) -> Int { text.ranges(of: name).count }

    @Test(
        "live.mp4 names its codec, and begins with an initialization and a keyframe; packets are asked for as they are")
    func stream() throws {
        let site = try Site(["path": "/front", "width": "640", "quality": "60"])
        #expect(site.harness.wants.isEmpty)
        let viewer = try site.get("/front/live.mp4")
        #expect(site.awaitDemand())
        #expect(site.harness.wants.values.first == Want(maxWidth: 640, quality: 60, asItComes: true))
        try site.play(3)
        let text = viewer.read { count("mdat", in: $0) == 3 }
        #expect(text.contains("Content-Type: video/mp4; codecs=\"avc1."))
        #expect(!text.contains("Content-Length") && !text.contains("Transfer-Encoding"))
        #expect(count("ftyp", in: text) == 1 && count("moof", in: text) == 3)
    }

    @Test("one mux serves all: a second viewer begins at the newest keyframe, at once")
    func second() throws {
        let site = try Site()
        let first = try site.get("/front/live.mp4")
        #expect(site.awaitDemand())
        try site.play(1)
        _ = first.read { count("mdat", in: $0) == 1 }
        try site.play(14)
        let second = try site.get("/front/live.mp4")
        #expect(count("mdat", in: second.read { count("mdat", in: $0) == 5 }) == 5)
        #expect(count("mdat", in: first.read { count("mdat", in: $0) == 15 }) == 15)
        #expect(site.harness.wants.count == 1)
        let state = try site.get("/front/state").answer()
        #expect(state.contains(#""clients":2"#) && state.contains(#""resolution":{"width":160,"height":120}"#))
        #expect(state.contains(#""online":true"#) && state.contains(#""request":"live.mp4""#))
    }

    @Test("what comes for a subscription that has ended is not mixed in")
    func lingering() throws {
        let site = try Site()
        let viewer = try site.get("/front/live.mp4")
        #expect(site.awaitDemand())
        try site.play(2)
        try site.play(1, as: LiveVideo.firstSubscription + 7)
        try site.play(1)
        #expect(count("mdat", in: viewer.read { count("mdat", in: $0) == 3 }) == 3)
    }

    @Test("demand ends soon after the last viewer has gone, and stays for one that comes again at once")
    func demand() throws {
        let site = try Site()
        do {
            let viewer = try site.get("/front/live.mp4")
            #expect(site.awaitDemand())
            try site.play(1)
            _ = viewer.read { count("mdat", in: $0) == 1 }
            site.clock.advance(by: .seconds(3))
        }
        #expect(eventually { site.server.counters.connections == 0 })
        let subscription = site.subscription
        do {
            let viewer = try site.get("/front/live.mp4")
            _ = viewer.read { $0.contains("avc1") }
            site.clock.advance(by: .seconds(3))
            #expect(site.subscription == subscription && subscription != nil)
        }
        #expect(eventually { site.server.counters.connections == 0 })
        #expect(
            eventually {
                site.clock.advance(by: .milliseconds(500))
                return site.harness.wants.isEmpty
            })
    }

    @Test("new parameter sets come as a new initialization on the same connection")
    func formatChange() throws {
        let site = try Site()
        let viewer = try site.get("/front/live.mp4")
        #expect(site.awaitDemand())
        try site.play(1)
        _ = viewer.read { count("mdat", in: $0) == 1 }
        try site.play(9)
        site.film = try Self.film(Size(320, 240))
        try site.play(10)
        let text = viewer.read { count("mdat", in: $0) == 20 }
        #expect(count("ftyp", in: text) == 2 && count("mdat", in: text) == 20)
    }

    @Test("of a source of single pictures there is none, and the answer says where they are; a page shows them")
    func pictures() throws {
        let site = try Site()
        for name in ["live.mp4", "index.m3u8"] {
            let viewer = try site.get("/front/\(name)")
            #expect(site.awaitDemand())
            try site.playJPEG()
            let text = viewer.answer()
            #expect(text.hasPrefix("HTTP/1.1 404") && text.contains("/stream and /snapshot"))
            #expect(
                eventually {
                    site.clock.advance(by: .milliseconds(500))
                    return site.harness.wants.isEmpty
                })
        }
        #expect(try site.get("/front").answer().contains("live.mp4"))
    }

    @Test("a snapshot of video waits for the keyframe that its decoder begins with")
    func snapshot() throws {
        let site = try Site()
        let viewer = try site.get("/front/live.mp4")
        #expect(site.awaitDemand())
        try site.play(1)
        _ = viewer.read { count("mdat", in: $0) == 1 }
        let snapshot = try site.get("/front/snapshot")
        #expect(eventually { site.harness.wants.count == 2 })
        let now = site.clock.now
        #expect(eventually { site.clock.nextTimer.map { $0 <= now + .seconds(5) } ?? false })
        site.clock.advance(by: .seconds(2))
        let picture = Packet(
            Bytes(Array("decoded".utf8)), format: .jpeg, captured: site.clock.now, pts: MediaTime(.zero))
        picture.storage.subscription = try #require(
            site.harness.wants.keys.first { $0 < LiveVideo.firstSubscription })
        try site.harness.push(picture)
        #expect(snapshot.answer().hasSuffix("decoded"))
    }

    @Test("who gets nothing is told so in time, and does not keep the camera on")
    func patience() throws {
        let site = try Site()
        let viewer = try site.get("/front/live.mp4")
        #expect(site.awaitDemand())
        site.clock.advance(by: .seconds(9))
        #expect(viewer.answer().hasPrefix("HTTP/1.1 503"))
        #expect(
            eventually {
                site.clock.advance(by: .milliseconds(500))
                return site.harness.wants.isEmpty
            })
    }

    @Test("a stream takes as many viewers as it may, of all kinds together")
    func limit() throws {
        let site = try Site(["path": "/front", "max_viewers": "1"])
        let viewer = try site.get("/front/live.mp4")
        #expect(site.awaitDemand())
        try site.play(1)
        _ = viewer.read { count("mdat", in: $0) == 1 }
        #expect(try site.get("/front/live.mp4").answer().hasPrefix("HTTP/1.1 503"))
        #expect(try site.get("/front/stream").answer().hasPrefix("HTTP/1.1 503"))
    }

    @Test("HLS: a list, an initialization and segments, from one second on; it ends when nobody asks any more")
    func playlist() throws {
        let site = try Site()
        let waiting = try site.get("/front/index.m3u8")
        #expect(site.awaitDemand())
        try site.play(21)
        let list = waiting.answer()
        #expect(
            list.contains("Content-Type: application/vnd.apple.mpegurl") && list.contains("Cache-Control: no-store"))
        #expect(list.contains("#EXT-X-TARGETDURATION:1") && list.contains("#EXTINF:1.00000,"))
        func name(_ pattern: String) throws -> String {
            String(try #require(list.firstMatch(of: try Regex(pattern))).0)
        }
        let initialization = try site.get("/front/" + name("init-[0-9]+.mp4")).answer()
        #expect(initialization.contains("ftyp") && initialization.contains("Cache-Control: private, max-age=60"))
        let segment = try site.get("/front/" + name("seg-[0-9]+.m4s")).answer()
        #expect(segment.hasPrefix("HTTP/1.1 200") && count("mdat", in: segment) == 10)
        #expect(try site.get("/front/init.mp4").answer().contains("Cache-Control: no-store"))
        #expect(try site.get("/front/seg-1.m4s").answer().hasPrefix("HTTP/1.1 404"))
        #expect(
            eventually {
                site.clock.advance(by: .seconds(1))
                return site.harness.wants.isEmpty
            })
        // Numbers are never used again, so that no cache has another piece by the same name.
        let again = try site.get("/front/index.m3u8")
        #expect(site.awaitDemand())
        try site.play(30)
        let later = again.answer()
        let first = try Int(name("seg-[0-9]+").dropFirst(4)) ?? 0
        let next = later.firstMatch(of: /seg-([0-9]+)/).flatMap { Int($0.1) } ?? 0
        #expect(next > first + 1)
    }

    @Test("players of HLS are viewers: in /state, for max_viewers, and as long as they ask")
    func players() throws {
        let site = try Site(["path": "/front", "max_viewers": "2"])
        func list(_ agent: String, _ fields: String = "") throws -> HTTPClient {
            try HTTPClient(site.address, get: "/front/index.m3u8", fields: "User-Agent: \(agent)\r\n\(fields)")
        }
        let waiting = try list("VLC")
        #expect(site.awaitDemand())
        try site.play(21)
        let first = waiting.answer()
        let cookie = try #require(first.firstMatch(of: /Set-Cookie: (campipe-player=[0-9a-f]{16}); HttpOnly/)?.1)
        #expect(first.hasPrefix("HTTP/1.1 200"))
        let again = try list("VLC", "Cookie: \(cookie)\r\n").answer()
        #expect(again.hasPrefix("HTTP/1.1 200") && !again.contains("Set-Cookie"))
        let state = try site.get("/front/state").answer()
        #expect(state.contains(#""clients":1"#) && state.contains(#""request":"index.m3u8""#))
        #expect(try list("mpv").answer().hasPrefix("HTTP/1.1 200"))
        #expect(try list("Kodi").answer().hasPrefix("HTTP/1.1 503"))
        #expect(try site.get("/front/live.mp4").answer().hasPrefix("HTTP/1.1 503"))
        site.clock.advance(by: .seconds(13))
        #expect(try site.get("/front/state").answer().contains(#""clients":0"#))
        #expect(site.subscription != nil)
    }

    @Test(
        "a snapshot is not the old keyframe that a decoder begins with, unless nothing fresh follows; then it says its age"
    )
    func oldSnapshot() throws {
        let site = try Site()
        func ask() throws -> HTTPClient {
            let client = try site.get("/front/snapshot")
            #expect(eventually { !site.harness.wants.isEmpty })
            return client
        }
        func push(_ text: String, age: Duration) throws {
            let picture = Packet(
                Bytes(Array(text.utf8)), format: .jpeg, captured: site.clock.now - age, pts: MediaTime(.zero))
            picture.storage.subscription = try #require(site.harness.wants.keys.first)
            try site.harness.push(picture)
        }
        let first = try ask()
        try push("old", age: .seconds(3))
        try push("fresh", age: .milliseconds(100))
        #expect(first.answer().hasSuffix("fresh"))
        site.clock.advance(by: .seconds(10))
        let second = try ask()
        try push("older", age: .milliseconds(1500))
        site.clock.advance(by: .milliseconds(800))
        let text = second.answer()
        #expect(text.hasSuffix("older") && text.contains("X-Age-Seconds: 2.300"))
    }

    @Test("pages with many pictures ask for the preview")
    func preview() throws {
        let site = try Site()
        let index = try site.get("/stream/all?width=320")
        #expect(eventually { !site.harness.wants.isEmpty })
        #expect(
            site.harness.wants.values.first
                == Want(.packets(.jpeg), maxWidth: 320, quality: 80, input: "preview"))
        let picture = Packet(
            Bytes(Array("jpeg-of-the-preview".utf8)), format: .jpeg, captured: site.clock.now, pts: MediaTime(.zero))
        picture.storage.subscription = try #require(site.harness.wants.keys.first)
        try site.harness.push(picture, on: HTTPSink.preview)
        #expect(index.read { $0.contains("jpeg-of-the-preview") }.contains("X-Stream: /front"))
    }
}
