import CampipeHTTP
import CampipeKit
import Testing

@testable import CampipeMedia
@testable import CampipeNodes

@Suite("Sound over HTTP")
struct LiveSoundTests {
    /// A camera with sound: a picture and 100 ms of G.711 at a time.
    private final class Site {
        let video: LiveVideoTests.Site
        private var number = 0

        init(_ options: Value.ValueMap = ["path": "/front"]) throws {
            video = try LiveVideoTests.Site(options, hasSound: true)
        }

        var soundSubscription: Demand.ID? {
            video.harness.wants.first { $0.value.input == "audio" }?.key
        }

        func play(_ count: Int, sound: Bool = true) throws {
            for _ in 0..<count {
                let captured = video.clock.now
                try video.play(1)
                number += 1
                guard sound, let soundSubscription else { continue }
                var format = PacketFormat(.pcmu, timebase: Timebase(1, 8000))
                format.sampleRate = 8000
                format.channels = 1
                for part in 0..<5 {
                    let packet = Packet(
                        Bytes([UInt8](repeating: 0xFF, count: 160)), format: format,
                        captured: captured + .milliseconds(part * 20),
                        pts: MediaTime(ticks: Int64(number * 800 + part * 160), timebase: format.timebase),
                        duration: .milliseconds(20))
                    packet.storage.subscription = soundSubscription
                    try video.harness.push(packet, on: HTTPSink.audio)
                }
            }
        }
    }

    private func count(_ name: String, in text: String) -> Int { text.ranges(of: name).count }

    /// How many fragments of the first and of the second track there are.
    private func tracks(_ bytes: [UInt8]) -> [Int] {
        var found = [0, 0]
        for at in bytes.indices.dropLast(12) where Array(bytes[at..<(at + 4)]) == Array("tfhd".utf8) {
            let track = Int(bytes[at + 11])
            if track == 1 || track == 2 { found[track - 1] += 1 }
        }
        return found
    }

    @Test("who listens gets a second track, of AAC; who does not has pictures alone; sound is asked for by the first")
    func listens() throws {
        let site = try Site()
        let deaf = try site.video.get("/front/live.mp4?audio=none")
        #expect(site.video.awaitDemand())
        try site.play(3)
        #expect(site.soundSubscription == nil && site.video.harness.wants.count == 1)
        let hearing = try site.video.get("/front/live.mp4")
        #expect(eventually { site.soundSubscription != nil })
        try site.play(30)
        let text = hearing.read { _ in tracks(hearing.received)[1] >= 10 }
        #expect(text.contains("codecs=\"avc1.") && text.contains(",mp4a.40.2\""))
        #expect(count("ftyp", in: text) == 1 && count("esds", in: text) == 1)
        #expect(tracks(hearing.received)[0] >= 10)
        let other = deaf.read { count("mdat", in: $0) == 33 }
        #expect(!other.contains("mp4a") && tracks(deaf.received) == [33, 0])
        let state = try site.video.get("/front/state").answer()
        #expect(state.contains(#""clients":2"#))
    }

    @Test("sound is asked for no longer than somebody listens")
    func demand() throws {
        let site = try Site()
        let deaf = try site.video.get("/front/live.mp4?audio=none")
        #expect(site.video.awaitDemand())
        do {
            let hearing = try site.video.get("/front/live.mp4")
            #expect(eventually { site.soundSubscription != nil })
            try site.play(20)
            _ = hearing.read { _ in tracks(hearing.received)[1] >= 2 }
        }
        #expect(
            eventually {
                site.video.clock.advance(by: .milliseconds(500))
                return site.soundSubscription == nil
            })
        #expect(site.video.subscription != nil)
        _ = deaf
    }

    @Test("a listener of a camera that brings no sound has its pictures after a moment")
    func none() throws {
        let site = try Site()
        let viewer = try site.video.get("/front/live.mp4")
        #expect(site.video.awaitDemand())
        try site.play(14, sound: false)
        #expect(!viewer.isAnswered)
        try site.play(6, sound: false)
        let text = viewer.read { count("mdat", in: $0) >= 5 }
        #expect(text.contains("codecs=\"avc1.") && !text.contains("mp4a"))
    }

    @Test("sound that stops becomes silence, and pictures go on")
    func stops() throws {
        let site = try Site()
        let viewer = try site.video.get("/front/live.mp4")
        #expect(site.video.awaitDemand() && eventually { site.soundSubscription != nil })
        try site.play(20)
        _ = viewer.read { _ in tracks(viewer.received)[1] >= 5 }
        // In steps, since who is two seconds behind leaves some out.
        for _ in 0..<5 {
            let before = tracks(viewer.received)[0]
            try site.play(10, sound: false)
            _ = viewer.read { _ in tracks(viewer.received)[0] >= before + 8 }
        }
        let found = tracks(viewer.received)
        #expect(found[0] >= 40 && found[1] * 128 + 1500 >= found[0] * 100)
    }

    @Test("HLS has the sound in its segments")
    func playlist() throws {
        let site = try Site()
        let waiting = try site.video.get("/front/index.m3u8")
        #expect(site.video.awaitDemand() && eventually { site.soundSubscription != nil })
        try site.play(41)
        let list = waiting.answer()
        func name(_ pattern: String) throws -> String {
            String(try #require(list.firstMatch(of: try Regex(pattern))).0)
        }
        #expect(try site.video.get("/front/" + name("init-[0-9]+.mp4")).answer().contains("esds"))
        let segment = try site.video.get("/front/" + name("seg-[0-9]+.m4s"))
        _ = segment.answer()
        let found = tracks(segment.received)
        #expect(found[0] >= 9 && found[1] >= 6)
    }

    @Test("a page is muted, and has a button where there may be sound")
    func page() throws {
        let site = try Site()
        let page = try site.video.get("/front").answer()
        #expect(page.contains("<button class=\"sound\">") && page.contains("muted autoplay"))
        #expect(page.contains("?page&audio=none"))
        #expect(!(try LiveVideoTests.Site().get("/front").answer()).contains("<button class=\"sound\">"))
    }

    @Test("sound that cannot be encoded is left out, with one warning")
    func unknown() throws {
        let site = try Site()
        let viewer = try site.video.get("/front/live.mp4")
        #expect(site.video.awaitDemand() && eventually { site.soundSubscription != nil })
        var format = PacketFormat(.other)
        format.codecName = "no_such_codec"
        format.sampleRate = 8000
        format.channels = 1
        for _ in 0..<20 {
            try site.play(1, sound: false)
            let packet = Packet(
                Bytes([1, 2, 3]), format: format, captured: site.video.clock.now, pts: MediaTime(.zero))
            packet.storage.subscription = site.soundSubscription ?? 0
            try site.video.harness.push(packet, on: HTTPSink.audio)
        }
        #expect(viewer.read { count("mdat", in: $0) >= 3 }.contains("avc1"))
        #expect(site.video.harness.logged.filter { $0.level == .warning }.map(\.message) == ["shown without the sound"])
    }
}
