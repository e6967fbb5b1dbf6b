import CampipeKit
import Testing

@testable import CampipeNodes

/// What cameras really say and send over RTSP, served on loopback.
@Suite("Cases of RTSP")
struct RTSPCaseTests {
    private static let login: Value.ValueMap = ["username": "admin", "password": "a@b:c#1"]

    @Test("all are here") func complete() { #expect(RTSPCase.all.count == 31) }

    @Test(
        "each picture that a camera sends comes, with its number, its size and its time",
        arguments: RTSPCase.all.filter { $0.expect.result == "ok" && $0.serve.then == "close" })
    func pictures(_ wanted: RTSPCase) throws {
        let site = try RTSPSite(try wanted.script())
        let harness = try site.source(wanted.serve.auth == nil ? [:] : Self.login, path: wanted.name)
        let error = site.run(harness)
        #expect(error?.kind == .ended, "\(String(describing: error))")
        let packets = harness.packets
        let numbers = try Bars.numbers(packets)
        if let frames = wanted.expect.frames { #expect(packets.count == frames && numbers.count == frames) }
        if let bars = wanted.expect.barcodes { #expect(numbers == bars) }
        if let some = wanted.expect.barcodes_must_include { #expect(Set(numbers).isSuperset(of: some)) }
        if let first = wanted.expect.first_barcode {
            #expect(numbers == (0..<numbers.count).map { $0 + first })
            #expect(packets.first?.isKeyframe == true)
        }
        if let size = wanted.expect.size { #expect(packets.allSatisfy { $0.format.size == Size(size[0], size[1]) }) }
        if let lost = wanted.expect.lost { #expect(harness.missing == [.truncated: lost]) }
        let times = packets.map(\.pts.duration)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect((times.last ?? .zero) < .seconds(60))
        if let step = wanted.expect.pts_step_s {
            #expect(zip(times, times.dropFirst()).allSatisfy { abs(($1 - $0).seconds - step) < 0.001 })
        }
        #expect(site.server.requests.contains { $0.method == "PLAY" })
    }

    @Test("pictures before the first keyframe are a counted gap")
    func middle() throws {
        let wanted = try RTSPCase.named("rtsp-h264-starts-mid-gop")
        let site = try RTSPSite(try wanted.script())
        let harness = try site.source()
        _ = site.run(harness)
        #expect(harness.missing == [.brokenReference: 5])
    }

    @Test("a coding table that is reserved gives no picture")
    func reserved() throws {
        let site = try RTSPSite(try RTSPCase.named("rtsp-mjpeg-q127-reserved").script())
        let harness = try site.source()
        #expect(site.run(harness)?.kind == .ended)
        #expect(harness.packets.isEmpty)
        #expect((harness.missing[.truncated] ?? 0) > 0)
    }

    @Test("of tracks that nobody carries none is set up, and that is said once")
    func extraTracks() throws {
        let site = try RTSPSite(try RTSPCase.named("rtsp-extra-tracks").script())
        for round in 1...2 {
            let harness = try site.source()
            _ = site.run(harness)
            let said = harness.logged.filter { $0.level == .warning }
            #expect(
                said.map { $0.facts.last?.value } == (round == 1 ? ["audio MP4A-LATM, other VND.ONVIF.METADATA"] : []))
        }
        #expect(site.server.requests.filter { $0.method == "SETUP" }.count == 2)
    }

    @Test(
        "the session is kept by what the server offers, before half of its timeout",
        arguments: [("rtsp-keepalive-options-only", "OPTIONS"), ("rtsp-keepalive-get-parameter", "GET_PARAMETER")])
    func keepalive(_ name: String, _ method: String) throws {
        let site = try RTSPSite(try RTSPCase.named(name).script())
        let harness = try site.source()
        func kept() -> Int {
            site.server.requests.count { $0.method == method && $0.headers["session"] == "C0FFEE42" }
        }
        for round in 1...3 {
            #expect(site.run(harness) { harness.packets.count > round } == nil)
            site.clock.advance(by: .milliseconds(1900))
            #expect(site.run(harness) { kept() >= round } == nil)
        }
        #expect(site.server.connections == 1)
    }

    @Test("a session that the camera has forgotten is over, and the next one begins anew")
    func forgotten() throws {
        let site = try RTSPSite(try RTSPCase.named("rtsp-454-after-a-while").script())
        let harness = try site.source()
        #expect(site.run(harness) { harness.packets.count > 2 } == nil)
        var error: CampipeError?
        for _ in 0..<3 where error == nil {
            site.clock.advance(by: .milliseconds(1700))
            let asked = site.server.requests.count
            error = site.run(harness) { site.server.requests.count > asked }
            if error == nil { error = site.run(harness) { harness.packets.count > 10_000 } }
        }
        #expect(error?.kind == .unavailable)
        #expect(error?.message.contains("forgotten the session") == true)
        let again = try site.source()
        #expect(site.run(again) { !again.packets.isEmpty } == nil)
        #expect(site.server.requests.filter { $0.method == "DESCRIBE" }.count == 2)
    }

    @Test("a camera that restarts is lost, for the supervisor to find again")
    func reboot() throws {
        let site = try RTSPSite(try RTSPCase.named("rtsp-camera-reboot").script())
        let harness = try site.source()
        let error = try #require(site.run(harness))
        #expect([.ended, .unavailable].contains(error.kind))
        #expect(!harness.packets.isEmpty)
    }

    @Test("a camera that plays and sends nothing is lost after ten seconds")
    func silent() throws {
        let site = try RTSPSite(try RTSPCase.named("rtsp-silent-after-play").script())
        let harness = try site.source(["transport": "tcp"])
        #expect(site.run(harness) { harness.logged.contains { $0.message == "the camera plays" } } == nil)
        site.clock.advance(by: .milliseconds(10_100))
        let error = site.run(harness)
        #expect(error?.kind == .timedOut)
        #expect(error?.message.hasSuffix("no picture in 10 s") == true)
    }

    @Test(
        "over UDP the same pictures come",
        arguments: ["rtsp-mjpeg-plain", "rtsp-h264-plain", "rtsp-h265-plain", "rtsp-mjpeg-reordered"])
    func udp(_ name: String) throws {
        let wanted = try RTSPCase.named(name)
        var script = try wanted.script()
        script.refusesTCP = true
        script.rate = 200_000
        let site = try RTSPSite(script)
        let harness = try site.source()
        _ = site.run(harness) {
            site.clock.advance(by: .milliseconds(5))
            return false
        }
        let numbers = try Bars.numbers(harness.packets)
        #expect(numbers == Array(1...(wanted.expect.frames ?? 3)))
        let asked = site.server.requests.filter { $0.method == "SETUP" }.map { $0.headers["transport"] ?? "" }
        #expect(asked.first?.contains("TCP") == true)
        #expect(asked.last?.contains("client_port=") == true)
    }
}
