import CampipeHTTP
import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("The http sink")
struct HTTPSinkTests {
    /// A server with one sink at `/front`.
    private final class Site {
        let server: HTTPServer
        let address: ListenAddress
        let harness: NodeHarness
        let clock = ManualClock(now: .zero + .seconds(100))
        /// What the source tells of itself.
        let news = Lock<SourceNews?>(nil)

        init(_ options: Value.ValueMap = ["path": "/front"], isGated: Bool = false) throws {
            server = try HTTPServer(clock: clock)
            address = try server.listen(on: ListenAddress("127.0.0.1:0"))
            var services = Services()
            let streams = try WebStreams(server: server)
            streams.tellSources { [news] _ in news.withLock { $0 } }
            services.add(streams)
            harness = try NodeHarness(
                Registration(sink: HTTPSink.self), options: options, id: "web", isLive: true, isGated: isGated,
                services: services,
                clock: clock)
        }

        deinit { server.stop() }

        func get(_ target: String) throws -> HTTPClient { try HTTPClient(address, get: target) }

        /// A picture of so many bytes, captured now, for each subscription there is, as the runtime hands it over.
        ///
        /// - Parameters:
        ///   - age: How long ago, as of what came last before somebody began to look.
        ///   - size: What the camera has; who asked for a width gets it as wide.
        func push(_ byte: UInt8, age: Duration = .zero, size: Size = Size(64, 48), isDamaged: Bool = false) throws {
            var format = PacketFormat.jpeg
            let bytes: [UInt8] = [0xff, 0xd8] + [UInt8](repeating: byte, count: 100) + [0xff, 0xd9]
            for id in harness.wants.isEmpty ? [0] : harness.wants.keys.sorted() {
                let width = min(harness.wants[id]?.maxWidth ?? size.width, size.width)
                format.size = Size(width, size.height * width / size.width)
                var packet = Packet(
                    Bytes(bytes), format: format, captured: clock.now - age, pts: MediaTime(clock.now - .zero))
                if isDamaged { packet.isDamaged = true }
                packet.storage.subscription = id
                try harness.push(packet)
            }
        }
    }

    @Test("nothing is wanted until somebody looks, and then as the options limit it")
    func demand() throws {
        let site = try Site(["path": "/front", "width": "640", "fps": "5", "quality": "60"])
        #expect(site.harness.wants.isEmpty)
        do {
            let viewer = try site.get("/front/stream")
            #expect(eventually { !site.harness.wants.isEmpty })
            #expect(site.harness.wants.values.first == Want(.packets(.jpeg), maxWidth: 640, maxRate: 5, quality: 60))
            _ = viewer
        }
        #expect(eventually { site.harness.wants.isEmpty })
    }

    @Test("viewers who come within two seconds after the last one left are the same subscription")
    func comesBack() throws {
        let site = try Site()
        for _ in 0..<20 {
            let viewer = try site.get("/front/stream")
            #expect(eventually { site.harness.wants.keys.sorted() == [1] })
            withExtendedLifetime(viewer) {}
        }
        #expect(eventually { site.harness.wants.isEmpty })
        site.clock.advance(by: .seconds(2))
        let later = try site.get("/front/stream")
        #expect(eventually { site.harness.wants.keys.sorted() == [2] })
        _ = later
    }

    @Test("who resets his connection waits for no snapshot any more", arguments: ["snapshot", "live.mp4"])
    func gone(_ target: String) throws {
        let site = try Site()
        let client = try site.get("/front/\(target)")
        #expect(eventually { !site.harness.wants.isEmpty })
        client.reset()
        #expect(eventually { site.server.counters.connections == 0 })
        // Of video the wish stays a moment longer, yet not as long as somebody would have waited.
        if target != "snapshot" { for _ in 0..<4 { site.clock.advance(by: .seconds(1)) } }
        #expect(eventually { site.harness.wants.isEmpty })
    }

    @Test("a viewer gets each picture byte for byte")
    func stream() throws {
        let site = try Site()
        let viewer = try site.get("/front/stream")
        #expect(eventually { !site.harness.wants.isEmpty })
        try site.push(0x41)
        let first = viewer.read { $0.contains("AAAA") && $0.hasSuffix("--campipe-frame\r\n") }
        #expect(first.contains("Content-Type: multipart/x-mixed-replace;boundary=campipe-frame"))
        #expect(first.contains("Content-Length: 104"))
        try site.push(0x42)
        #expect(viewer.read { $0.contains("BBBB") }.contains("BBBB"))
    }

    @Test("a snapshot is fresh, or says how old it is, and comes within a second")
    func snapshot() throws {
        let site = try Site()
        try site.push(0x41)
        let fresh = try site.get("/front/snapshot").answer()
        #expect(fresh.contains("X-Age-Seconds: 0.000") && fresh.contains("AAAA"))

        site.clock.advance(by: .milliseconds(1100))
        let old = try site.get("/front/snapshot")
        #expect(eventually { !site.harness.wants.isEmpty })
        site.clock.advance(by: .milliseconds(800))
        #expect(old.answer().contains("X-Age-Seconds: 1.900"))
        #expect(eventually { site.harness.wants.isEmpty })

        let waiting = try site.get("/front/snapshot")
        #expect(eventually { !site.harness.wants.isEmpty })
        try site.push(0x42)
        #expect(waiting.answer().contains("BBBB"))
    }

    @Test("a damaged picture is shown only where no whole one is younger than a second")
    func damaged() throws {
        let site = try Site()
        let viewer = try site.get("/front/stream")
        #expect(eventually { !site.harness.wants.isEmpty })
        // It is better than none.
        try site.push(0x41, isDamaged: true)
        #expect(viewer.read { $0.contains("AAAA") }.contains("AAAA"))
        try site.push(0x42)
        site.clock.advance(by: .milliseconds(999))
        try site.push(0x43, isDamaged: true)
        #expect(try site.get("/front/snapshot").answer().contains("BBBB"))
        site.clock.advance(by: .milliseconds(1))
        try site.push(0x44, isDamaged: true)
        let shown = viewer.read { $0.contains("DDDD") }
        #expect(shown.contains("DDDD") && !shown.contains("CCCC"))
        #expect(try site.get("/front/snapshot").answer().contains("DDDD"))
    }

    @Test("when the camera is lost the old picture is not shown again: the stream says so, a snapshot is refused")
    func lost() throws {
        let site = try Site()
        let viewer = try site.get("/front/stream")
        #expect(eventually { !site.harness.wants.isEmpty })
        try site.push(0x41)
        _ = viewer.read { $0.contains("AAAA") }
        site.harness.gap(Gap(.lost, count: 0, at: site.clock.now))
        try site.harness.turn()
        #expect(viewer.read { $0.contains("JFIF") }.contains("JFIF"))
        #expect(site.harness.next == .more)
        #expect(site.clock.nextTimer == site.clock.now + .seconds(1))
        let snapshot = try site.get("/front/snapshot")
        #expect(eventually { site.clock.nextTimer == site.clock.now + .milliseconds(800) })
        site.clock.advance(by: .milliseconds(800))
        try site.harness.turn()
        #expect(snapshot.answer().hasPrefix("HTTP/1.1 503"))
        site.clock.advance(by: .milliseconds(1))
        try site.push(0x42)
        #expect(viewer.read { $0.contains("BBBB") }.contains("BBBB"))
    }

    @Test("a sink whose when is not true waits, which is no lost camera: the stream, a snapshot and the state say so")
    func waiting() throws {
        let site = try Site(isGated: true)
        #expect(try site.get("/front/state").answer().contains(#""online":true,"state":"waiting""#))
        func refused(_ state: String) throws {
            let snapshot = try site.get("/front/snapshot")
            #expect(
                eventually {
                    if snapshot.isAnswered { return true }
                    site.clock.advance(by: .milliseconds(5))
                    try? site.harness.turn()
                    return false
                })
            let answer = snapshot.answer()
            #expect(
                answer.hasPrefix("HTTP/1.1 503") && answer.contains("X-Campipe-State: \(state)\r\n"),
                "\(answer.prefix(300))")
        }
        try refused("waiting")
        let viewer = try site.get("/front/stream")
        #expect(eventually { !site.harness.wants.isEmpty })
        try site.harness.turn()
        #expect(viewer.read { $0.contains("JFIF") }.contains("X-Campipe-State: waiting"))

        try site.harness.gate(GateChange(isOpen: true, at: site.clock.now, event: nil))
        try site.harness.turn()
        try site.push(0x41)
        #expect(viewer.read { $0.contains("AAAA") }.contains("AAAA"))
        #expect(try site.get("/front/state").answer().contains(#""online":true,"state":"live""#))

        try site.harness.gate(GateChange(isOpen: false, at: site.clock.now, event: nil))
        try site.harness.turn()
        #expect(
            viewer.read { $0.split(separator: "AAAA").last?.contains("JFIF") == true }.split(separator: "AAAA").last?
                .contains("X-Campipe-State: waiting") == true)
        site.clock.advance(by: .seconds(2))
        // A camera that is lost meanwhile is lost.
        site.harness.gap(Gap(.lost, count: 0, at: site.clock.now))
        try refused("lost")
        #expect(try site.get("/front/state").answer().contains(#""online":false,"state":"lost""#))
    }

    @Test(
        "a stream that nobody looks at is idle and online, until its camera is known to be lost; its size is the last one"
    )
    func idle() throws {
        let site = try Site()
        func state() throws -> String { try site.get("/front/state").answer() }
        let unknown = #""resolution":{"width":null,"height":null},"online":"#
        let known = #""resolution":{"width":64,"height":48},"online":"#
        #expect(try state().contains(unknown + #"true,"state":"idle""#))
        do {
            let viewer = try site.get("/front/stream")
            #expect(eventually { !site.harness.wants.isEmpty })
            // A camera has its time for the first one.
            #expect(try state().contains(unknown + #"true,"state":"live""#))
            site.clock.advance(by: .seconds(3))
            #expect(try state().contains(unknown + #"false,"state":"lost""#))
            try site.push(0x41)
            #expect(try state().contains(known + #"true,"state":"live""#))
            _ = viewer
        }
        #expect(eventually { site.harness.wants.isEmpty })
        site.clock.advance(by: .seconds(60))
        #expect(try state().contains(known + #"true,"state":"idle""#))
        site.harness.gap(Gap(.lost, count: 0, at: site.clock.now))
        #expect(try state().contains(known + #"false,"state":"lost""#))
    }

    @Test(
        "what came last is shown at once: as live while the source gives pictures as slowly as that, else with its age")
    func lastKnown() throws {
        for (age, interval, isLive) in [
            (40.0, 60.0, true), (40, 5, false), (9, 5, true), (1, 0.04, true), (9, 0.04, false),
        ] {
            let site = try Site()
            site.news.withLock {
                $0 = SourceNews(newest: site.clock.now - .seconds(age), interval: .seconds(interval))
            }
            let viewer = try site.get("/front/stream")
            let snapshot = try site.get("/front/snapshot")
            #expect(eventually { !site.harness.wants.isEmpty })
            #expect(eventually { site.clock.nextTimer == site.clock.now + .milliseconds(800) })
            try site.push(0x41, age: .seconds(age))
            try site.harness.turn()
            if isLive {
                let shown = viewer.read { $0.contains("AAAA") }
                #expect(shown.contains("AAAA") && !shown.contains("stale"))
                let answer = snapshot.answer()
                #expect(answer.contains("X-Age-Seconds: \(Int(age)).000") && answer.contains("X-Campipe-State: live"))
                // And it is not dimmed before three intervals are over.
                site.clock.advance(by: .seconds(1.9))
                try site.harness.turn()
                #expect(try site.get("/front/state").answer().contains(#""online":true,"state":"live""#))
            } else {
                // Its picture is no JPEG, so that it cannot be dimmed: what is said of it counts.
                #expect(
                    viewer.read { $0.contains("X-Campipe-State: stale") }.contains("X-Age-Seconds: \(Int(age)).000"))
                site.clock.advance(by: .milliseconds(800))
                try site.harness.turn()
                #expect(snapshot.answer().contains("X-Campipe-State: stale"))
            }
        }
    }

    @Test("a camera that was lost and came back while nobody looked is online, and nobody who comes is shown NO SIGNAL")
    func returned() throws {
        let site = try Site()
        try site.push(0x41)
        let lost = site.clock.now
        site.news.withLock { $0 = SourceNews(newest: lost, interval: .milliseconds(40)) }
        site.clock.advance(by: .seconds(5))
        site.harness.gap(Gap(.lost, count: 0, at: lost))
        #expect(try site.get("/front/state").answer().contains(#""online":false,"state":"lost""#))
        site.clock.advance(by: .seconds(5))
        site.news.withLock { $0?.newest = site.clock.now }
        #expect(try site.get("/front/state").answer().contains(#""online":true,"state":"idle""#))

        site.harness.gap(Gap(.lost, count: 0, at: site.clock.now))
        site.clock.advance(by: .seconds(5))
        site.news.withLock { $0?.newest = site.clock.now }
        let viewer = try site.get("/front/stream")
        #expect(eventually { !site.harness.wants.isEmpty })
        try site.harness.turn()
        try site.push(0x42)
        let shown = viewer.read { $0.contains("BBBB") }
        #expect(shown.contains("BBBB") && !shown.contains("X-Campipe-State"))
    }

    @Test("the state counts the camera's pictures once and has its size, whoever asks for smaller ones")
    func counts() throws {
        let site = try Site()
        let viewers = try ["", "?width=320", "?width=160&fps=5"].map { try site.get("/front/stream\($0)") }
        #expect(eventually { site.harness.wants.count == 3 })
        for byte in 0..<20 {
            try site.push(UInt8(byte), size: Size(640, 480))
            site.clock.advance(by: .milliseconds(100))
        }
        let state = try site.get("/front/state").answer()
        #expect(state.contains(#""resolution":{"width":640,"height":480}"#), "\(state)")
        #expect(state.contains(#""captured_fps":10}"#), "\(state)")
        _ = viewers
    }

    @Test("who asks for the head alone, or does not sit down, leaves nothing behind")
    func heads() throws {
        let site = try Site()
        for target in ["/stream/all", "/stream/all?width=160", "/front/stream?width=160"] {
            let answer = try HTTPClient(site.address, get: target, method: "HEAD").answer()
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        }
        #expect(site.harness.wants.isEmpty)
        site.clock.advance(by: .seconds(60))
        #expect(try site.get("/front/state").answer().contains(#""online":true,"state":"idle""#))
    }

    @Test("who is given a larger picture than he asked for is told so")
    func nearest() throws {
        let site = try Site()
        let viewer = try site.get("/front/stream?width=160")
        #expect(eventually { !site.harness.wants.isEmpty })
        var format = PacketFormat.jpeg
        format.size = Size(640, 480)
        let packet = Packet(
            Bytes([0xff, 0xd8, 0x41, 0x41, 0x41, 0x41, 0xff, 0xd9]), format: format, captured: site.clock.now,
            pts: MediaTime(site.clock.now - .zero))
        packet.storage.subscription = try #require(site.harness.wants.keys.first)
        try site.harness.push(packet)
        #expect(viewer.read { $0.contains("AAAA") }.contains("X-Campipe-Nearest: 640x480\r\n"))
    }

    @Test(
        "the pages and the state are there, under the path and for the first stream at the root",
        arguments: [
            ("/front", "/front/stream"), ("/front/", "/front/stream"), ("/", "/front/snapshot"),
            ("/front/state", #""resolution":{"width":64,"height":48}"#), ("/state", #""online":true"#),
            ("/?action=snapshot", "AAAA"), ("/snapshot", "AAAA"), ("/front/?action=snapshot", "AAAA"),
            ("/snapshot_0", "AAAA"), ("/?action=snapshot_0", "AAAA"), ("/front/snapshot_0", "AAAA"),
            ("/state_0", #""online":true"#), ("/", "/stream/all"), ("/", "/front/snapshot?width=320"),
        ])
    func pages(_ target: String, _ part: String) throws {
        let site = try Site()
        try site.push(0x41)
        let answer = try site.get(target).answer()
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.contains(part))
    }

    @Test("a JPEG without Huffman tables gets the standard ones at this border")
    func huffman() throws {
        let site = try Site()
        let whole = try JPEGEncoder().encode(Pictures.frame(.yuv420, Size(32, 32)), quality: 80, pool: .shared).array
        var bare = Array(whole[..<2])
        var at = 2
        while whole[at + 1] != 0xDA {
            let end = at + 2 + Int(whole[at + 2]) << 8 + Int(whole[at + 3])
            if whole[at + 1] != 0xC4 { bare += whole[at..<end] }
            at = end
        }
        bare += whole[at...]
        #expect(bare.count < whole.count - 400)
        try site.harness.push(
            Packet(Bytes(bare), format: .jpeg, captured: site.clock.now, pts: MediaTime(site.clock.now - .zero)))
        let snapshot = try site.get("/front/snapshot")
        _ = snapshot.answer()
        let head = try #require(snapshot.received.firstRange(of: Array("\r\n\r\n".utf8)))
        let shown = Bytes(Array(snapshot.received[head.upperBound...]))
        #expect(shown.count == bare.count + JPEGTables.insertingHuffman(Bytes(bare)).count - bare.count)
        #expect(try JPEGHeader(shown).hasHuffmanTables)
    }

    @Test("when the sink finishes, its viewers are closed and its path is free")
    func finish() throws {
        let site = try Site()
        let viewer = try site.get("/front/stream")
        #expect(eventually { !site.harness.wants.isEmpty })
        try site.harness.end()
        _ = viewer.answer()
        #expect(try site.get("/front/stream").answer().hasPrefix("HTTP/1.1 404"))
    }

    @Test("a path that cannot be served is a fault", arguments: ["front", "/front/", "/a b", "//x", "/a?b", ""])
    func paths(_ path: String) {
        let faults = Registration(sink: HTTPSink.self).inspect(["path": .text(path)]).faults
        #expect(faults.map(\.path) == [["path"]])
    }

    @Test(
        "what is left in braces is a field that a path does not have", arguments: ["/{camra}", "/a/{source}", "/{open"])
    func fields(path: String) {
        let faults = Registration(sink: HTTPSink.self).inspect(["path": .text(path)]).faults
        #expect(faults.map(\.code) == [.unknownField], "\(faults)")
    }

    @Test("text from the pipeline file is escaped in pages")
    func escaping() {
        #expect(WebPages.stream(path: "/<b>\"'&").contains("/&lt;b&gt;&quot;&#39;&amp;"))
    }
}
