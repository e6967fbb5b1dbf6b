import CampipeKit
import Testing

@testable import CampipeRuntime

private typealias N = PlanningNodes

/// Work is done on demand (design 4.4).
@Suite struct DemandTests {
    private let cam = N.node("cam", "camera", ["coding": "jpeg", "width": "1280"])

    @Test("nobody watching: no decode, no encode, everything up to the source closed")
    func nobodyWatches() {
        let nodes = [
            cam, N.node("stamp", "stamp", input: ["cam"]), N.node("web", "web", input: ["stamp"]),
        ]
        let idle = plan(nodes)
        #expect(idle.nodeTexts == ["cam", "[decode(cam)]", "[stamp]", "[encode(stamp)]", "[web]"])
        #expect(idle.links.allSatisfy { !$0.isOpen })
        #expect(idle.node("stamp")?.want == nil)
        let watched = plan(nodes) { $0.subscriptions["web"] = [7: .all] }
        #expect(watched.nodeTexts == ["cam", "decode(cam)", "stamp", "encode(stamp)", "web"])
        #expect(!watched.links.contains { !$0.isOpen })
    }

    @Test("video goes as it comes to who asks for that, and is decoded only for who asks for pictures")
    func asItComes() {
        let nodes = [N.node("cam", "camera", ["coding": "h264"]), N.node("web", "player", input: ["cam"])]
        #expect(plan(nodes).nodeTexts == ["cam", "[decode(cam)]", "[encode(decode(cam))]", "[web]"])
        let video = plan(nodes) { $0.subscriptions["web"] = [9: Want(maxWidth: 320, quality: 50, asItComes: true)] }
        #expect(video.nodeTexts == ["cam", "web"])
        #expect(video.linkTexts == ["cam -> web drop_gop"])
        let both = plan(nodes) {
            $0.subscriptions["web"] = [1: Want(.packets(.jpeg)), 9: Want(quality: 50, asItComes: true)]
        }
        #expect(both.nodeTexts == ["cam", "decode(cam)", "encode(decode(cam))", "web"])
        #expect(both.links.count { $0.key.to == .explicit("web") && $0.isOpen } == 2)
    }

    @Test("a JPEG that is taken as it comes is not made smaller, and is no variant")
    func untouched() {
        let plan = plan([cam, N.node("web", "player", input: ["cam"])]) {
            $0.subscriptions["web"] = [9: Want(maxWidth: 320, quality: 50, asItComes: true)]
        }
        #expect(plan.nodeTexts == ["cam", "web"])
        let wants: [(id: Demand.ID, want: Want)] = [
            (1, Want(.packets(.jpeg), maxWidth: 320)), (2, Want(asItComes: true)),
            (3, Want(.packets(.jpeg), maxWidth: 640)),
        ]
        #expect(
            Want.bounded(wants, to: 1).map(\.want) == [wants[0].want, wants[1].want, wants[0].want])
    }

    @Test("an input on demand is closed until it is asked for by name, and does not open the main one")
    func preview() {
        let sub = N.node("sub", "camera", ["coding": "h264"])
        let nodes = [
            N.node("cam", "camera", ["coding": "h264"]), sub,
            N.node("web", "player", input: ["cam"], sides: ["preview": ["sub"]]),
        ]
        #expect(plan(nodes).links.allSatisfy { !$0.isOpen })
        let small = plan(nodes) {
            $0.subscriptions["web"] = [3: Want(.packets(.jpeg), maxWidth: 320, input: "preview")]
        }
        #expect(
            small.links.filter(\.isOpen).allSatisfy { "\($0.key)".contains("sub") || "\($0.key.from)".contains("sub") })
        #expect(small.links.first { $0.key.to == .explicit("web") && $0.isOpen }?.key.subscription == 3)
        #expect(small.node("web")?.isWanted == true && small.node("decode(cam)")?.isWanted == false)
        let large = plan(nodes) { $0.subscriptions["web"] = [3: Want(.packets(.jpeg))] }
        #expect(large.links.filter(\.isOpen).allSatisfy { !"\($0.key.from)".contains("sub") })
        // Without a preview, and with one that is off, the main input stands in.
        var off = nodes
        off[1] = N.node("sub", "camera", ["coding": "h264"]) { $0.isEnabled = false }
        let switchedOff = plan(off) { $0.subscriptions["web"] = [3: Want(.packets(.jpeg), input: "preview")] }
        #expect(switchedOff.links.contains { $0.isOpen && $0.key.to == .explicit("web") && $0.key.input == 0 })
        let alone = plan([nodes[0], N.node("web", "player", input: ["cam"])]) {
            $0.subscriptions["web"] = [3: Want(.packets(.jpeg), maxWidth: 320, input: "preview")]
        }
        #expect(alone.links.contains { $0.isOpen && $0.key.to == .explicit("web") && $0.key.subscription == 3 })
    }

    @Test("a source on demand is not wanted while nobody wants its streams")
    func onDemand() {
        let cam = N.node("cam", "camera", ["coding": "jpeg"]) { $0.onDemand = true }
        let nodes = [cam, N.node("web", "web", input: ["cam"])]
        #expect(plan(nodes).node("cam")?.isWanted == false)
        #expect(plan(nodes) { $0.subscriptions["web"] = [1: .all] }.node("cam")?.isWanted == true)
    }

    @Test("what is not live is wanted by every sink, whoever watches, and its first link stays")
    func notLive() {
        let nodes = [
            N.node("cam", "camera", ["coding": "jpeg", "live": "false"]), N.node("web", "web", input: ["cam"]),
        ]
        #expect(plan(nodes).linkTexts == ["cam -> web block"])
        let watched = plan(nodes) { $0.subscriptions["web"] = [4: Want(maxRate: 5)] }
        #expect(watched.linkTexts == ["cam -> web block", "cam -> web block"])
        #expect(watched.links.map(\.key.subscription) == [0, 4])
    }

    @Test("a recorder with `when` always wants packets, and nothing is decoded for it but what its trigger needs")
    func preRoll() {
        let plan = plan([
            cam, N.node("watch", "watch", input: ["cam"]),
            N.node("clips", "recorder", input: ["cam"], when: ["watch.events"]),
        ]) { $0.subscriptions["clips"] = nil }
        #expect(plan.nodeTexts == ["cam", "decode(cam, width 320, luma)", "watch", "clips"])
        #expect(plan.link("cam", "clips")?.isOpen == true)
        #expect(plan.link("watch", "clips")?.key.input == 2)
        #expect(plan.link("watch", "clips")?.policy == .events)
    }

    @Test("a detector takes a small grey picture while only its events are wanted, else what is asked of its frames")
    func detector() {
        let nodes = [
            cam, N.node("watch", "watch", input: ["cam"]), N.node("log", "journal", input: ["watch.events"]),
            N.node("screen", "screen", input: ["watch"]),
        ]
        let both = plan(nodes) { $0.subscriptions["screen"] = [0: Want(maxWidth: 640, maxRate: 5)] }
        #expect(both.nodeTexts == ["cam", "decode(cam, width 640)", "watch", "log", "screen"])
        #expect(both.link("cam", "decode(cam, width 640)")?.maxRate == nil)
        let events = plan(nodes) { $0.subscriptions["screen"] = nil }
        #expect(events.nodeTexts == ["cam", "decode(cam, width 320, luma)", "watch", "log", "[screen]"])
        #expect(events.node("watch")?.want == Want(.events))
    }

    @Test("a want does not cross a node that does not say so, except its rate")
    func crossing() {
        let plan = plan([cam, N.node("plain", "plain", input: ["cam"]), N.node("screen", "screen", input: ["plain"])]) {
            $0.subscriptions["screen"] = [0: Want(maxWidth: 320, maxRate: 4, lumaOnly: true)]
            $0.formats = announced("plain", .frames(FrameFormat(.yuv420, size: Size(1280, 720))))
        }
        #expect(plan.nodeTexts == ["cam", "decode(cam)", "plain", "convert(plain, width 320, luma)", "screen"])
        #expect(plan.link("cam", "decode(cam)")?.maxRate == 5)
        #expect(plan.node("plain")?.want == Want(maxWidth: 320, maxRate: 5, lumaOnly: true))
    }

    @Test("a rate is applied once, on the first link that admits the item, before any decoding")
    func rate() {
        let plan = plan([cam, N.node("a", "screen", input: ["cam"]), N.node("b", "screen", input: ["cam"])]) {
            $0.subscriptions = ["a": [0: Want(maxRate: 9)], "b": [0: Want(maxRate: 2)]]
        }
        #expect(
            plan.linkTexts == [
                "cam -> decode(cam) latest rate 10.0 late 1.0", "decode(cam) -> a latest late 1.0",
                "decode(cam) -> b latest rate 2.0 late 1.0",
            ])
    }

    @Test(
        "a rate never thins inter-coded packets, events, sound, or what is not live",
        arguments: [
            ("h264", "true", "decode(cam)", Optional(5.0)), ("", "true", "decode(cam)", 5),
            ("jpeg", "false", "decode(cam)", nil),
        ])
    func rateElsewhere(coding: String, live: String, last: String, rate: Double?) {
        let cam = N.node("cam", "camera", ["coding": .text(coding), "live": .plain(live)])
        let plan = plan([
            cam, N.node("screen", "screen", input: ["cam"]), N.node("log", "journal", input: ["cam.events"]),
            N.node("clips", "recorder", input: ["cam"], sides: ["audio": ["cam.audio"]]),
        ]) { for id in ["screen", "log", "clips"] { $0.subscriptions[id] = [0: Want(maxRate: 5)] } }
        for link in plan.links {
            let isLast = "\(link.key.from.node)" == last
            #expect(link.maxRate == (isLast ? rate : nil), "\(link.key)")
        }
    }

    @Test("a closed `when` closes the way to a live node that keeps no history; its events still come")
    func gate() {
        let nodes = [
            cam, N.node("watch", "watch", input: ["cam"]),
            N.node("screen", "screen", input: ["cam"], when: ["watch.events"]),
        ]
        let closed = plan(nodes)
        #expect(closed.node("screen")?.isWanted == false)
        #expect(closed.link("decode(cam)", "screen")?.isOpen == false)
        #expect(closed.link("cam", "decode(cam)")?.isOpen == false)
        #expect(closed.link("watch", "screen")?.isOpen == true)
        #expect(closed.node("watch")?.isWanted == true)
        let open = plan(nodes) { $0.gates["screen"] = true }
        #expect(!open.links.contains { !$0.isOpen })
        #expect(open.node("screen")?.isWanted == true)
    }

    @Test("the gate of what is not live closes nothing: items are measured by their time")
    func gateNotLive() {
        let plan = plan([
            N.node("pic", "pictures", ["live": "false"]), N.node("watch", "watch", input: ["pic"]),
            N.node("screen", "screen", input: ["pic"], when: ["watch.events"]),
        ])
        #expect(!plan.links.contains { !$0.isOpen })
    }

    @Test("events of a node that nobody asks for are not wanted either")
    func gateOfUnwanted() {
        let plan = plan([
            cam, N.node("watch", "watch", input: ["cam"]),
            N.node("web", "web", input: ["cam"], when: ["watch.events"]),
        ])
        #expect(plan.link("watch", "web")?.isOpen == false)
        #expect(plan.node("watch")?.isWanted == false)
    }

    @Test("what has ended wants nothing more of what feeds it")
    func ended() {
        let nodes = [
            N.node("pic", "pictures", ["live": "false"]), N.node("plain", "plain", input: ["pic"]),
            N.node("screen", "screen", input: ["plain"]),
        ]
        let plan = plan(nodes) { $0.ended = ["screen"] }
        #expect(plan.links.allSatisfy { !$0.isOpen })
        #expect(plan.nodeTexts == ["pic", "[plain]", "[screen]"])
    }

    @Test("what is switched off is left out, and so is who has nothing left")
    func off() {
        let nodes = [
            N.node("a", "pictures") { $0.isEnabled = false }, N.node("b", "pictures"),
            N.node("plain", "plain", input: ["a"]), N.node("ticks", "ticks") { $0.isEnabled = false },
            N.node("one", "screen", input: ["plain"]), N.node("both", "screen", input: ["a", "b"]),
            N.node("stamp", "stamp", input: ["b"], sides: ["events": ["ticks"], "logo": ["a"]]),
            N.node("gated", "screen", input: ["b"], when: ["ticks"]), N.node("two", "screen", input: ["stamp"]),
        ]
        let plan = plan(nodes)
        #expect(plan.off == ["a", "ticks", "plain", "one", "gated"])
        #expect(plan.nodeTexts == ["b", "both", "stamp", "two"])
        #expect(plan.links.first { $0.key.to == .explicit("both") }?.key.position == 1)
        #expect(plan.failures.isEmpty)
    }

    @Test("a node that is switched off at work takes its branch with it")
    func switchedOff() {
        let plan = plan([cam, N.node("a", "screen", input: ["cam"]), N.node("web", "web", input: ["cam"])]) {
            $0.off = ["a"]
        }
        #expect(plan.nodeTexts == ["cam", "[web]"])
    }
}
