import CampipeKit
import Testing

@testable import CampipeRuntime

private typealias N = PlanningNodes

/// Liveness, coding and taste choose a link's policy (design 4.1); deadlines go up from the sinks (design 4.2).
@Suite struct PolicyTests {
    @Test(
        "the default policy of a link",
        arguments: [
            (.frames(.yuv420), true, .fresh, .latest), (.packets(.jpeg), true, .fresh, .latest),
            (.packets(.empty), true, .fresh, .latest), (.frames(.yuv420), true, .complete, .record),
            (.packets(.jpeg), true, .complete, .record),
            (.packets(.h264), true, .fresh, .gop), (.packets(.h265), true, .complete, .recordGOP),
            (.packets(.any), true, .fresh, .gop), (.packets(.any), true, .complete, .recordGOP),
            (.events, true, .fresh, .events), (.events, true, .complete, .events),
            (.frames(.any), false, .fresh, .block), (.packets(.h264), false, .complete, .block),
            (.events, false, .fresh, .block),
        ] as [(Format, Bool, Taste, LinkPolicy)])
    func defaults(format: Format, isLive: Bool, taste: Taste, policy: LinkPolicy) {
        #expect(LinkPolicy(for: format, isLive: isLive, taste: taste) == policy)
    }

    @Test("the limits are those of the design")
    func limits() {
        #expect(LinkPolicy.block.maxItems == 32 && LinkPolicy.block.maxBytes == 32 << 20)
        #expect(LinkPolicy.latest.maxItems == 1)
        #expect(LinkPolicy.events.whenFull == .dropOldest && LinkPolicy.events.maxItems == 1024)
        #expect(LinkPolicy.gop.maxAge == .seconds(1))
        #expect(LinkPolicy.record.maxAge == .seconds(10) && LinkPolicy.record.maxBytes == 64 << 20)
        #expect(LinkPolicy.recordGOP.maxAge == .seconds(10) && LinkPolicy.recordGOP.maxBytes == 64 << 20)
    }

    @Test(
        "the converters of who keeps all are given all, whoever shares them",
        arguments: [["a", "b"], ["b", "a"], ["a"]])
    func chain(ids: [String]) {
        let sinks = ids.map { N.node($0, $0 == "a" ? "recorder" : "web", input: ["pic"]) }
        let plan = plan([N.node("pic", "pictures")] + sinks) { $0.subscriptions["b"] = [0: .all] }
        #expect(plan.link("pic", "encode(pic)")?.policy == .record)
        #expect(plan.link("encode(pic)", "a")?.policy == .record)
        if ids.count > 1 { #expect(plan.link("encode(pic)", "b")?.policy == .latest) }
    }

    @Test("what a recorder is made of is kept on each link on its way, also where others take it, and is never late")
    func wayOfARecorder() {
        let nodes = [
            N.node("cam", "camera", ["coding": "jpeg"]), N.node("logo", "pictures"),
            N.node("plain", "plain", input: ["cam"]),
            N.node("stamp", "stamp", input: ["plain"], sides: ["logo": ["logo"]]),
            N.node("screen", "screen", input: ["stamp"]),
        ]
        let recorder = N.node("clips", "recorder", input: ["stamp"]) { $0.lateAfter = .milliseconds(200) }
        let without = plan(nodes)
        #expect(without.links.allSatisfy { $0.policy == .latest && $0.lateAfter == .seconds(1) })
        let with = plan(nodes + [recorder])
        let way = [
            ("cam", "decode(cam)"), ("decode(cam)", "plain"), ("plain", "stamp"), ("stamp", "encode(stamp)"),
            ("encode(stamp)", "clips"),
        ].map { with.link($0, $1) }
        for link in way { #expect(link?.policy == .record && link?.keepsAll == true && link?.lateAfter == nil) }
        for link in [with.link("stamp", "screen"), with.link("logo", "stamp")] {
            #expect(link?.policy == .latest && link?.keepsAll == false && link?.lateAfter == .seconds(1))
        }
    }

    @Test("nothing is kept for a recorder in front of a mixer, nor in front of a detector for who keeps its events")
    func whereKeepingEnds() {
        let mixed = plan([
            N.node("a", "pictures"), N.node("b", "pictures"), N.node("grid", "mixed", sides: ["inputs": ["a", "b"]]),
            N.node("clips", "recorder", input: ["grid"]),
        ])
        #expect(mixed.link("a", "grid")?.policy == .latest && mixed.link("a", "grid")?.keepsAll == false)
        #expect(mixed.link("grid", "encode(grid)")?.policy == .record)
        let watched = plan([
            N.node("a", "pictures"), N.node("watch", "watch", input: ["a"]),
            N.node("events", "diary", input: ["watch.events"]),
        ])
        let pictures = watched.links.filter { $0.key.to != .explicit("events") }
        #expect(!pictures.isEmpty && pictures.allSatisfy { $0.policy == .latest && !$0.keepsAll })
    }

    @Test("live sound is never thinned to the newest packet")
    func sound() {
        let policy = LinkPolicy(for: .packets(PacketFormat(.aac)), isLive: true, taste: .fresh)
        #expect(policy.whenFull == .dropOldest && policy.maxItems > 1)
    }

    @Test("what the file says of a link wins, and another when_full brings its own limits")
    func overrides() {
        let usual = LinkPolicy.latest.with(LinkOptions(maxAge: .milliseconds(200)), taste: .fresh)
        #expect(usual.whenFull == .latest && usual.maxItems == 1 && usual.maxAge == .milliseconds(200))
        #expect(LinkPolicy.latest.with(LinkOptions(whenFull: .block), taste: .fresh) == .block)
        let three = LinkPolicy.latest.with(LinkOptions(whenFull: .dropOldest, maxItems: 3), taste: .fresh)
        #expect(three.whenFull == .dropOldest && three.maxItems == 3)
        #expect(LinkPolicy.gop.with(LinkOptions(), taste: .fresh) == .gop)
    }

    @Test("what the file says of a node's `when` is for its events alone")
    func gateOverrides() {
        let gated = N.node("clips", "recorder", input: ["cam"], when: ["watch.events"]) {
            $0.whenLink = LinkOptions(whenFull: .dropNewest, maxItems: 7, maxAge: .seconds(10))
        }
        let nodes = [
            N.node("cam", "camera", ["coding": "jpeg"]), N.node("watch", "watch", input: ["cam"]), gated,
        ]
        let plan = plan(nodes)
        let gate = plan.link("watch", "clips")
        #expect(gate?.policy.whenFull == .dropNewest && gate?.policy.maxItems == 7)
        #expect(gate?.policy.maxAge == .seconds(10))
        #expect(plan.link("cam", "clips")?.policy == .record)
    }

    @Test("packets whose coding is not known yet are treated as inter-coded, and the link is changed when it comes")
    func unknownCoding() {
        let nodes = [N.node("cam", "camera"), N.node("clips", "recorder", input: ["cam"])]
        let before = plan(nodes)
        #expect(before.linkTexts == ["cam -> clips drop_gop"])
        let after = plan(nodes) { $0.formats = announced("cam", .packets(.jpeg)) }
        #expect(after.edits(from: before) == [.updateLink(after.links[0])])
        #expect(after.links[0].policy == .record)
    }

    @Test("a stream is live if any of its sources is, and only its own links follow from it")
    func liveness() {
        let plan = plan([
            N.node("live", "pictures"), N.node("file", "pictures", ["live": "false"]),
            N.node("stamp", "stamp", input: ["file"], sides: ["logo": ["live"]]),
            N.node("screen", "screen", input: ["stamp"]),
        ])
        #expect(plan.node("stamp")?.isLive == true && plan.node("file")?.isLive == false)
        #expect(
            plan.linkTexts == [
                "file -> stamp block", "live -> stamp:2 latest late 1.0", "stamp -> screen latest late 1.0",
            ])
    }

    @Test("a node's deadline is the laxest of its consumers', none being the laxest")
    func deadlines() {
        let cam = N.node("cam", "camera", ["coding": "jpeg"])
        let quick = N.node("quick", "screen", input: ["plain"]) { $0.lateAfter = .milliseconds(200) }
        let slow = N.node("slow", "screen", input: ["plain"])
        let plain = N.node("plain", "plain", input: ["cam"])
        let two = plan([cam, plain, quick, slow])
        #expect(two.node("quick")?.lateAfter == .milliseconds(200))
        #expect(two.node("plain")?.lateAfter == .seconds(1))
        #expect(two.node("decode(cam)")?.lateAfter == .seconds(1))
        #expect(two.link("plain", "quick")?.lateAfter == .milliseconds(200))
        let recorded = plan([cam, plain, quick, slow, N.node("clips", "recorder", input: ["plain"])])
        #expect(recorded.node("plain")?.lateAfter == nil)
        #expect(recorded.link("cam", "decode(cam)")?.lateAfter == nil)
        #expect(recorded.link("plain", "quick")?.lateAfter == .milliseconds(200))
    }

    @Test("a consumer that nobody watches does not stretch the deadline of those that are watched")
    func unwatched() {
        let plan = plan([
            N.node("pic", "pictures"), N.node("plain", "plain", input: ["pic"]),
            N.node("screen", "screen", input: ["plain"]) { $0.lateAfter = .milliseconds(300) },
            N.node("web", "web", input: ["plain"]),
        ])
        #expect(plan.node("plain")?.lateAfter == .milliseconds(300))
    }

    @Test(
        "lateness is tested only on live frames and live intra-coded pictures",
        arguments: [
            ("jpeg", "true", "screen", true), ("h264", "true", "screen", false), ("jpeg", "false", "screen", false),
            ("jpeg", "true", "recorder", false), ("", "true", "screen", false),
        ])
    func lateness(coding: String, live: String, sink: String, isTested: Bool) {
        let cam = N.node("cam", "camera", ["coding": .text(coding), "live": .plain(live)])
        let plan = plan([cam, N.node("sink", sink, input: ["cam"]) { $0.lateAfter = .milliseconds(500) }])
        #expect((plan.links.first { $0.key.from.node == .explicit("cam") }?.lateAfter != nil) == isTested)
    }

    @Test("events and sound are never late")
    func neverLate() {
        let plan = plan([
            N.node("cam", "camera", ["coding": "jpeg"]),
            N.node("log", "journal", input: ["cam.events"]) { $0.lateAfter = .milliseconds(1) },
            N.node("web", "web", input: ["cam"], sides: ["audio": ["cam.audio"]]),
        ])
        #expect(plan.links.filter { $0.lateAfter != nil }.map(\.key.from.port) == [0])
    }

    @Test("a picture of the graph before the start has formats, deadlines and implicit nodes")
    func picture() {
        let plan = plan([
            N.node("pic", "pictures"), N.node("plain", "plain", input: ["pic"]), N.node("web", "web", input: ["plain"]),
        ])
        let formats = plan.nodes.map { plan.outputFormats[PlannedOutput($0.key)].map { "\($0)" } ?? "" }
        #expect(
            formats == ["frames yuv420 1280x720", "frames yuv420 1280x720", "packets jpeg 1280x720", "events"])
        #expect(plan.node("encode(plain)")?.lateAfter == .seconds(1))
    }
}
