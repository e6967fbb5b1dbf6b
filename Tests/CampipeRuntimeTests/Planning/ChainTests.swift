import CampipeKit
import Testing

@testable import CampipeRuntime

private typealias N = PlanningNodes

/// Which converters stand where (design 4.4).
@Suite struct ChainTests {
    private let jpegCamera = N.node("cam", "camera", ["coding": "jpeg", "width": "1280"])
    private let h264Camera = N.node("cam", "camera", ["coding": "h264", "width": "1280"])

    @Test("a frame consumer on a packet output gets a decoder, a packet sink on a frame output an encoder")
    func inserted() {
        let plan = plan([
            jpegCamera, N.node("screen", "screen", input: ["cam"]), N.node("pic", "pictures"),
            N.node("clips", "recorder", input: ["pic"]),
        ])
        #expect(plan.nodeTexts == ["cam", "pic", "decode(cam)", "screen", "encode(pic)", "clips"])
        #expect(
            plan.linkTexts == [
                "cam -> decode(cam) latest late 1.0", "decode(cam) -> screen latest late 1.0",
                "encode(pic) -> clips drop_newest", "pic -> encode(pic) drop_newest",
            ])
        #expect(plan.failures.isEmpty)
    }

    @Test("equal wants share one scaled decode of an intra-coded stream, other wants have their own")
    func intraCoded() {
        let plan = plan([
            jpegCamera, N.node("a", "screen", input: ["cam"]), N.node("b", "screen", input: ["cam"]),
            N.node("c", "screen", input: ["cam"]),
        ]) {
            $0.subscriptions = ["a": [0: Want(maxWidth: 600)], "b": [0: Want(maxWidth: 640)], "c": [0: .all]]
        }
        #expect(plan.nodeTexts == ["cam", "decode(cam, width 640)", "a", "b", "decode(cam)", "c"])
    }

    @Test("rows that are needed count as the columns that bring them, once the size is known")
    func rows() {
        let unsized = N.node("cam", "camera", ["coding": "jpeg"])
        for (camera, node) in [(jpegCamera, "decode(cam, width 640)"), (unsized, "decode(cam)")] {
            let plan = plan([camera, N.node("a", "screen", input: ["cam"])]) {
                $0.subscriptions = ["a": [0: Want(maxWidth: 1, maxHeight: 300)]]
            }
            #expect(plan.nodeTexts == ["cam", node, "a"])
        }
    }

    @Test("a scaled decode that gives more than was asked for is near enough: nothing is scaled twice")
    func scaledOnce() {
        let nodes = [jpegCamera, N.node("screen", "screen", input: ["cam"])]
        let scaled = plan(nodes) { $0.subscriptions["screen"] = [0: Want(maxWidth: 320)] }
        let decode = scaled.nodes[1].key
        let announced = plan(nodes) {
            $0.subscriptions["screen"] = [0: Want(maxWidth: 320)]
            $0.formats[PlannedOutput(decode)] = .frames(FrameFormat(.yuv420, size: Size(640, 360)))
        }
        #expect(announced.nodeTexts == ["cam", "decode(cam, width 320)", "screen"])
    }

    @Test("a mask lets wants through: a JPEG is decoded as small and as grey as its consumers together need")
    func masked() {
        let nodes = [
            jpegCamera, N.node("mask", "mask", input: ["cam"]), N.node("watch", "watch", input: ["mask"]),
            N.node("journal", "journal", input: ["watch.events"]),
        ]
        #expect(
            plan(nodes).nodeTexts == ["cam", "decode(cam, width 320, luma)", "mask", "watch", "journal"])
        let both = plan(nodes + [N.node("web", "web", input: ["mask"])]) {
            $0.subscriptions["web"] = [1: Want(maxWidth: 640)]
        }
        #expect(both.nodeTexts.contains("decode(cam, width 640)"))
        #expect(both.nodeTexts.filter { $0.hasPrefix("decode") }.count == 1)
        #expect(plan(nodes + [N.node("clips", "recorder", input: ["mask"])]).nodeTexts.contains("decode(cam)"))
    }

    @Test("a mask sees decoded video before it is scaled, so that nothing covered is mixed into what is beside it")
    func maskedVideo() {
        let plan = plan([
            h264Camera, N.node("mask", "mask", input: ["cam"]), N.node("watch", "watch", input: ["mask"]),
            N.node("journal", "journal", input: ["watch.events"]),
        ]) { $0.formats[PlannedOutput(.explicit("mask"))] = .frames(FrameFormat(.yuv420, size: Size(1280, 720))) }
        #expect(
            plan.nodeTexts == ["cam", "decode(cam)", "mask", "convert(mask, width 320, luma)", "watch", "journal"])
    }

    @Test("who keeps all and takes H.264 has it made of frames; others get what the encoder gives by itself")
    func codings() {
        let registry = Registry(
            [Registration(transform: N.Coder.self), Registration(transform: N.Decode.self)])
        func encoder(_ sink: String, _ want: Want = .all) -> [String] {
            let graph = GraphDescription(
                name: "g", nodes: [N.node("pic", "pictures"), N.node("k", sink, input: ["pic"])])
            var state = PlannerState(graph)
            state.subscriptions["k"] = [0: want]
            let plan = Planner(graph: graph, registry: registry).plan(state)
            #expect(plan.failures.isEmpty)
            return plan.nodes.map { "\($0.key)" }.filter { $0.hasPrefix("encode") }
        }
        #expect(encoder("archive") == ["encode(pic, packets h264)"])
        #expect(encoder("archive", Want(.packets(.jpeg))) == ["encode(pic)"])
        #expect(encoder("h264_only") == ["encode(pic, packets h264)"])
        #expect(encoder("recorder") == ["encode(pic)"])
        #expect(encoder("web", Want(quality: 70)) == ["encode(pic, quality 70)"])
    }

    @Test("an encoder that cannot make H.264 gives what it can")
    func otherCodings() {
        let plan = plan([N.node("pic", "pictures"), N.node("k", "archive", input: ["pic"])])
        #expect(plan.nodeTexts == ["pic", "encode(pic)", "k"])
    }

    @Test("an inter-coded stream has one decoder whatever is wanted of it, and a converter a want")
    func interCoded() {
        let plan = plan([
            h264Camera, N.node("a", "screen", input: ["cam"]), N.node("b", "screen", input: ["cam"]),
            N.node("c", "screen", input: ["cam"]), N.node("web", "web", input: ["cam"]),
        ]) {
            $0.subscriptions = [
                "a": [0: Want(maxWidth: 640)], "b": [0: Want(maxWidth: 320)], "c": [0: .all],
                "web": [3: Want(maxWidth: 640, quality: 71)],
            ]
        }
        #expect(
            plan.nodeTexts == [
                "cam", "decode(cam)", "convert(decode(cam), width 640)", "a", "convert(decode(cam), width 320)", "b",
                "c",
                "encode(convert(decode(cam), width 640), quality 80)", "web",
            ])
        #expect(plan.nodes.filter { "\($0.key)".hasPrefix("decode") }.count == 1)
    }

    @Test("the camera's own JPEG passes unchanged unless a smaller one is asked for")
    func jpegPasses() {
        let web = N.node("web", "web", input: ["cam"])
        let unchanged = plan([jpegCamera, web]) {
            $0.subscriptions["web"] = [1: .all, 2: Want(maxWidth: 1280), 3: Want(quality: 50)]
        }
        #expect(unchanged.nodeTexts == ["cam", "web"])
        #expect(unchanged.links.count == 3)
        let smaller = plan([jpegCamera, web]) { $0.subscriptions["web"] = [1: .all, 2: Want(maxWidth: 320)] }
        #expect(
            smaller.nodeTexts == ["cam", "decode(cam, width 320)", "encode(decode(cam, width 320))", "web"])
    }

    @Test("a decode and an encode that the user wrote win: no second one is put in")
    func explicitWins() {
        let plan = plan([
            jpegCamera, N.node("dec", "decode", input: ["cam"]), N.node("enc", "encode", input: ["dec"]),
            N.node("screen", "screen", input: ["dec"]), N.node("web", "web", input: ["enc"]),
        ]) {
            $0.subscriptions["web"] = [1: Want(maxWidth: 320)]
            $0.formats = announced("enc", .packets(PacketFormat(.jpeg, size: Size(1280, 720))))
        }
        #expect(plan.nodeTexts == ["cam", "dec", "enc", "screen", "web"])
    }

    @Test("who takes grey only gets it from the decoder of JPEG, and from a converter of inter-coded video")
    func grey() {
        let grey = N.node("grey", "grey", input: ["cam"])
        #expect(plan([jpegCamera, grey]).nodeTexts == ["cam", "decode(cam, luma)", "grey"])
        let key = NodeKey.implicit(
            .decode, upstream: PlannedOutput(.explicit("cam")), request: ConverterRequest(), owner: nil)
        let plan = plan([h264Camera, grey]) {
            $0.formats[PlannedOutput(key)] = .frames(FrameFormat(.yuv420, size: Size(1280, 720)))
        }
        #expect(plan.nodeTexts == ["cam", "decode(cam)", "convert(decode(cam), frames gray8)", "grey"])
    }

    @Test("who suffers when an implicit node fails is known: all that it leads to, through others too")
    func consumers() {
        let plan = plan([
            h264Camera, N.node("plain", "plain", input: ["cam"]), N.node("web", "web", input: ["cam"]),
            N.node("screen", "screen", input: ["plain"]), N.node("clips", "recorder", input: ["cam"]),
        ])
        #expect(plan.consumers(of: plan.node("decode(cam)")?.key ?? .explicit("")) == ["plain", "web"])
        #expect(plan.consumers(of: plan.node("encode(decode(cam))")?.key ?? .explicit("")) == ["web"])
        #expect(plan.consumers(of: .explicit("screen")).isEmpty)
    }

    @Test("frames that are too wide for a want are converted once their size is known")
    func convert() {
        let nodes = [N.node("pic", "pictures"), N.node("screen", "screen", input: ["pic"])]
        let plan = plan(nodes) { $0.subscriptions["screen"] = [0: Want(maxWidth: 320)] }
        #expect(plan.nodeTexts == ["pic", "convert(pic, width 320)", "screen"])
    }

    @Test("a consumer with link options has a chain of its own, and they hold on each link of it")
    func ownChain() {
        let plan = plan([
            jpegCamera, N.node("a", "screen", input: ["cam"], link: LinkOptions(maxItems: 3)),
            N.node("b", "screen", input: ["cam"]),
        ])
        #expect(plan.nodeTexts == ["cam", "decode(cam, for a)", "a", "decode(cam)", "b"])
        #expect(plan.link("cam", "decode(cam, for a)")?.policy.maxItems == 3)
        #expect(plan.link("decode(cam, for a)", "a")?.policy.maxItems == 3)
        #expect(plan.link("cam", "decode(cam)")?.policy.maxItems == 1)
    }

    @Test("the fifth different want of a sink gets the nearest of the four before")
    func variants() {
        let plan = plan([jpegCamera, N.node("web", "web", input: ["cam"])]) {
            $0.subscriptions["web"] = [
                1: Want(maxWidth: 160), 2: Want(maxWidth: 320), 3: Want(maxWidth: 960), 4: .all, 5: Want(maxWidth: 640),
                6: Want(maxWidth: 160),
            ]
        }
        let five = plan.links.first { $0.key.subscription == 5 }
        #expect(five.map { "\($0.key.from.node)" } == "encode(decode(cam, width 960))")
        #expect(plan.nodes.filter { "\($0.key)".hasPrefix("encode") }.count == 3)
        #expect(
            plan.links.first { $0.key.subscription == 6 }.map { "\($0.key.from.node)" }
                == "encode(decode(cam, width 160))")
    }

    @Test("a format that changes is planned again: other coding, other size")
    func formatChanges() {
        let nodes = [N.node("cam", "camera"), N.node("web", "web", input: ["cam"])]
        func texts(_ format: Format?) -> [String] {
            plan(nodes) {
                $0.subscriptions["web"] = [1: Want(maxWidth: 640)]
                if let format { $0.formats = announced("cam", format) }
            }.nodeTexts
        }
        #expect(texts(nil) == ["cam", "web"])
        #expect(texts(.packets(PacketFormat(.jpeg, size: Size(640, 360)))) == ["cam", "web"])
        #expect(
            texts(.packets(PacketFormat(.jpeg, size: Size(1920, 1080))))
                == ["cam", "decode(cam, width 640)", "encode(decode(cam, width 640))", "web"])
        #expect(
            texts(.packets(PacketFormat(.h264, size: Size(1920, 1080))))
                == [
                    "cam", "decode(cam)", "convert(decode(cam), width 640)", "encode(convert(decode(cam), width 640))",
                    "web",
                ])
    }

    @Test("no implicit node is put between events and their consumer, nor into sound")
    func others() {
        let plan = plan([
            h264Camera, N.node("log", "journal", input: ["cam.events"]),
            N.node("clips", "recorder", input: ["cam"], sides: ["audio": ["cam.audio"]]),
        ])
        #expect(plan.nodeTexts == ["cam", "log", "clips"])
        #expect(
            plan.linkTexts == ["cam -> clips drop_gop", "cam:1 -> clips:1 drop_newest", "cam:2 -> log drop_oldest"])
    }
}

/// What does not fit fails the consumer by name (design 6).
@Suite struct MismatchTests {
    @Test("a mismatch names both sides and the node to add, and its node wants nothing more")
    func mismatch() {
        let plan = plan([
            N.node("cam", "camera", ["coding": "h265", "width": "640"]), N.node("old", "h264_only", input: ["cam"]),
            N.node("screen", "screen", input: ["cam"]),
        ])
        #expect(plan.failures.keys.sorted() == ["old"])
        #expect(plan.failures["old"]?.message == "old.input takes packets h264, but cam.out gives packets h265 640x360")
        #expect(plan.failures["old"]?.fix == "add a node between them that gives packets h264")
        #expect(plan.nodeTexts == ["cam", "[old]", "decode(cam)", "screen"])
        #expect(plan.links.allSatisfy { $0.key.to != .explicit("old") })
    }

    @Test("a missing converter is named")
    func missingConverter() {
        let graph = GraphDescription(
            name: "t", nodes: [N.node("cam", "camera", ["coding": "jpeg"]), N.node("screen", "screen", input: ["cam"])])
        let plan = Planner(graph: graph, registry: Registry()).plan(PlannerState(graph))
        #expect(plan.failures["screen"]?.message == "screen.input takes frames, but cam.out gives packets jpeg")
        #expect(plan.failures["screen"]?.fix == "add a decode node between them; none is known to put in by itself")
    }

    @Test("what a node says of a format that it cannot work with is its failure, once the format is known")
    func refused() {
        let nodes = [
            N.node("pic", "pictures", ["width": "641"]), N.node("picky", "picky", input: ["pic"]),
            N.node("screen", "screen", input: ["picky"]),
        ]
        let plan = plan(nodes)
        #expect(plan.failures["picky"]?.message == "picky cannot take frames yuv420 641x360: the width 641 is odd")
        #expect(plan.failures["picky"]?.fix == "scale it to an even one")
        #expect(plan.node("picky")?.isWanted == false)
        let mended = main(nodes)
        #expect(mended.failures.isEmpty)
    }

    private func main(_ nodes: [NodeDescription]) -> Plan {
        plan(nodes) { $0.formats = announced("pic", .frames(FrameFormat(.yuv420, size: Size(640, 360)))) }
    }

    @Test(
        "events for who takes pictures, pictures for who takes events, sound for a screen",
        arguments: [
            ("screen", "cam.events", "link s.input to an output that carries frames"),
            ("journal", "cam", "link s.input to an output that carries events"),
            ("screen", "cam.audio", "add a node between them that gives frames"),
        ])
    func kinds(type: String, from: String, fix: String) {
        let plan = plan([N.node("cam", "camera", ["coding": "jpeg"]), N.node("s", type, input: [from])])
        #expect(plan.failures["s"]?.fix == fix)
    }
}
