import CampipeKit

@testable import CampipeRuntime

/// A random graph of test nodes, and random states of it.
struct RandomGraph {
    let graph: GraphDescription
    private var random: SplitMix

    init(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var nodes: [NodeDescription] = []
        var pictures: [String] = []
        var events: [String] = []

        func link() -> LinkOptions {
            Int.random(in: 0..<5, using: &random) == 0
                ? LinkOptions(maxItems: Int.random(in: 1...3, using: &random)) : LinkOptions()
        }
        func when() -> [String] {
            guard let event = events.randomElement(using: &random), Int.random(in: 0..<4, using: &random) == 0
            else { return [] }
            return [event]
        }
        func oneOf(_ texts: String...) -> String { texts.randomElement(using: &random) ?? "" }

        for index in 0..<Int.random(in: 1...3, using: &random) {
            let live = oneOf("true", "true", "false")
            if oneOf("camera", "pictures") == "camera" {
                let coding = oneOf("", "jpeg", "h264", "h265")
                nodes.append(
                    N.node("cam\(index)", "camera", ["coding": .text(coding), "live": .plain(live), "width": "1280"]) {
                        $0.onDemand = Bool.random(using: &random)
                    })
                pictures.append("cam\(index)")
                events.append("cam\(index).events")
            } else {
                nodes.append(N.node("pic\(index)", "pictures", ["live": .plain(live)]))
                pictures.append("pic\(index)")
            }
        }
        for index in 0..<Int.random(in: 0...4, using: &random) {
            let id = "t\(index)"
            guard let input = pictures.randomElement(using: &random) else { continue }
            let type = oneOf("watch", "plain", "stamp", "decode", "encode")
            var sides: [String: [String]] = [:]
            if type == "stamp" {
                if let event = events.randomElement(using: &random) { sides["events"] = [event] }
                if Bool.random(using: &random), let logo = pictures.randomElement(using: &random) {
                    sides["logo"] = [logo]
                }
            }
            nodes.append(N.node(id, type, input: [input], link: link(), sides: sides, when: when()))
            pictures.append(id)
            if type == "watch" { events.append("\(id).events") }
        }
        for index in 0..<Int.random(in: 1...5, using: &random) {
            let id = "s\(index)"
            guard let input = pictures.randomElement(using: &random) else { continue }
            switch oneOf("web", "recorder", "screen", "journal", "grey", "h264_only") {
            case "journal":
                if let event = events.randomElement(using: &random) {
                    nodes.append(N.node(id, "journal", input: [event], when: when()))
                }
            case "screen":
                let more = Bool.random(using: &random) ? [pictures.randomElement(using: &random) ?? input] : []
                nodes.append(N.node(id, "screen", input: [input] + more, link: link(), when: when()))
            case let type: nodes.append(N.node(id, type, input: [input], link: link(), when: when()))
            }
        }
        graph = GraphDescription(name: "random \(seed)", nodes: nodes)
        self.random = random
    }

    private typealias N = PlanningNodes

    var planner: Planner { Planner(graph: graph, registry: PlanningNodes.registry) }

    /// Changes one thing: a viewer, a format, a gate, an end, a switch.
    mutating func change(_ state: inout PlannerState, _ plan: Plan) {
        let node = graph.nodes.randomElement(using: &random) ?? graph.nodes[0]
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6 where node.descriptor.contract == .sink:
            let id = Demand.ID.random(in: 0..<7, using: &random)
            let want = Bool.random(using: &random) ? nil : randomWant()
            state.subscriptions[node.id, default: [:]][id] = want
            if state.subscriptions[node.id]?.isEmpty == true { state.subscriptions[node.id] = nil }
        case 0..<9:
            guard let output = plan.outputFormats.keys.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random),
                let format = plan.outputFormats[output]
            else { return }
            state.formats[output] = Bool.random(using: &random) ? nil : randomFormat(format.kind)
        case 9: state.gates[node.id] = Bool.random(using: &random)
        case 10: if !state.ended.insert(node.id).inserted { state.ended.remove(node.id) }
        default: if !state.off.insert(node.id).inserted { state.off.remove(node.id) }
        }
    }

    private mutating func randomWant() -> Want {
        Want(
            [nil, nil, .packets(.jpeg), .frames(.any)].randomElement(using: &random) ?? nil,
            maxWidth: [nil, 100, 300, 640, 1000, 4000].randomElement(using: &random) ?? nil,
            maxRate: [nil, 0.5, 4, 12, 60].randomElement(using: &random) ?? nil,
            lumaOnly: Int.random(in: 0..<4, using: &random) == 0,
            quality: [nil, nil, 35, 80].randomElement(using: &random) ?? nil)
    }

    private mutating func randomFormat(_ kind: ItemKind) -> Format {
        let width = [320, 641, 1280, 1920].randomElement(using: &random) ?? 320
        let size = Bool.random(using: &random) ? Size(width, width * 9 / 16) : nil
        switch kind {
        case .event: return .events
        case .packet:
            let coding: Coding? = [nil, .jpeg, .h264, .h265, .other, .aac].randomElement(using: &random) ?? nil
            return .packets(PacketFormat(coding, size: size))
        case .frame:
            let pixel: PixelFormat? = [nil, .yuv420, .yuv422, .nv12, .gray8].randomElement(using: &random) ?? nil
            return .frames(FrameFormat(pixel, size: size))
        }
    }
}
