import CampipeKit
import Testing

@testable import CampipeRuntime

/// What runs, as far as edits go; each step is checked.
private struct Running {
    var nodes: [NodeKey: PlannedNode] = [:]
    var links: [LinkKey: PlannedLink] = [:]

    mutating func perform(_ edit: Edit) -> String? {
        switch edit {
        case .add(let node):
            if nodes.updateValue(node, forKey: node.key) != nil { return "\(node.key) is there already" }
            if case .implicit(_, let upstream, _, _) = node.key, nodes[upstream.node] == nil {
                return "\(node.key) comes before what feeds it"
            }
        case .link(let link):
            if nodes[link.key.from.node] == nil || nodes[link.key.to] == nil { return "\(link.key) dangles" }
            if links.updateValue(link, forKey: link.key) != nil { return "\(link.key) is there already" }
        case .updateNode(let node):
            if nodes.updateValue(node, forKey: node.key) == nil { return "\(node.key) is not there" }
        case .updateLink(let link):
            if links.updateValue(link, forKey: link.key) == nil { return "\(link.key) is not there" }
        case .unlink(let key):
            if links.removeValue(forKey: key) == nil { return "\(key) is not there" }
        case .remove(let key):
            if nodes.removeValue(forKey: key) == nil { return "\(key) is not there" }
            if links.keys.contains(where: { $0.from.node == key || $0.to == key }) {
                return "\(key) leaves a link behind"
            }
        }
        return nil
    }

    func isEqual(to plan: Plan) -> Bool {
        nodes.count == plan.nodes.count && links.count == plan.links.count
            && plan.nodes.allSatisfy { nodes[$0.key] == $0 } && plan.links.allSatisfy { links[$0.key] == $0 }
    }
}

/// One way to change a graph (design 4.4).
@Suite struct EditTests {
    @Test(
        "the edits of random graphs under random changes leave nothing dangling at any step, and lead to the plan",
        arguments: 0..<40)
    func random(block: UInt64) throws {
        for seed in block * 50..<(block + 1) * 50 {
            var random = RandomGraph(seed: seed)
            let planner = random.planner
            var state = PlannerState(random.graph)
            var plan = Plan()
            var running = Running()
            var changes = 0
            while true {
                let next = planner.plan(state)
                for edit in next.edits(from: plan) {
                    let fault = running.perform(edit)
                    try #require(fault == nil, "seed \(seed), change \(changes)")
                }
                try #require(running.isEqual(to: next), "seed \(seed), change \(changes)")
                try #require(next.edits(from: next).isEmpty)
                let fault = next.fault
                try #require(fault == nil, "seed \(seed), change \(changes)")
                plan = next
                guard changes < 12 else { break }
                changes += 1
                random.change(&state, plan)
            }
            try #require(planner.plan(state) == plan, "equal states give equal plans")
            // Nothing is left: from the first state the first plan comes again, and from nothing, nothing.
            let first = planner.plan(PlannerState(random.graph))
            for edit in first.edits(from: plan) { try #require(running.perform(edit) == nil, "seed \(seed)") }
            try #require(running.isEqual(to: first))
            for edit in Plan().edits(from: first) { try #require(running.perform(edit) == nil, "seed \(seed)") }
            try #require(running.nodes.isEmpty && running.links.isEmpty)
        }
    }

    @Test("make before break: a viewer who asks for another size is linked to the new chain before the old one goes")
    func makeBeforeBreak() {
        let nodes = [
            PlanningNodes.node("cam", "camera", ["coding": "jpeg", "width": "1280"]),
            PlanningNodes.node("web", "web", input: ["cam"]),
        ]
        let old = plan(nodes) { $0.subscriptions["web"] = [1: Want(maxWidth: 640)] }
        let new = plan(nodes) { $0.subscriptions["web"] = [1: Want(maxWidth: 320)] }
        let steps = new.edits(from: old).map { edit in
            switch edit {
            case .add(let node): "add \(node.key)"
            case .link(let link): "link \(link.key)"
            case .updateNode(let node): "update \(node.key)"
            case .updateLink(let link): "update \(link.key)"
            case .unlink(let key): "unlink \(key)"
            case .remove(let key): "remove \(key)"
            }
        }
        #expect(
            steps == [
                "update cam", "add decode(cam, width 320)", "add encode(decode(cam, width 320))", "update web",
                "link encode(decode(cam, width 320)) -> web",
                "link decode(cam, width 320) -> encode(decode(cam, width 320))", "link cam -> decode(cam, width 320)",
                "unlink cam -> decode(cam, width 640)",
                "unlink decode(cam, width 640) -> encode(decode(cam, width 640))",
                "unlink encode(decode(cam, width 640)) -> web",
                "remove encode(decode(cam, width 640))", "remove decode(cam, width 640)",
            ])
    }

    @Test("a node is wanted before its links open, and no longer wanted after they closed")
    func wantedAround() {
        let nodes = [
            PlanningNodes.node("pic", "pictures"), PlanningNodes.node("plain", "plain", input: ["pic"]),
            PlanningNodes.node("screen", "screen", input: ["plain"]),
        ]
        let watched = plan(nodes)
        let idle = plan(nodes) { $0.subscriptions = [:] }
        #expect(
            watched.edits(from: idle) == [
                .updateNode(watched.nodes[0]), .updateNode(watched.nodes[1]), .updateNode(watched.nodes[2]),
                .updateLink(watched.links[1]), .updateLink(watched.links[0]),
            ])
        #expect(
            idle.edits(from: watched) == [
                .updateNode(idle.nodes[0]), .updateLink(idle.links[0]), .updateLink(idle.links[1]),
                .updateNode(idle.nodes[2]), .updateNode(idle.nodes[1]),
            ])
    }
}

extension Plan {
    /// What is wrong with a plan, whatever it is of; nil when nothing is.
    fileprivate var fault: String? {
        if Set(nodes.map(\.key)).count != nodes.count { return "two nodes with one key" }
        if Set(links.map(\.key)).count != links.count { return "two links with one key" }
        var seen: [NodeKey: PlannedNode] = [:]
        for node in nodes {
            seen[node.key] = node
            if case .implicit(let role, let upstream, _, _) = node.key {
                guard let above = seen[upstream.node] else { return "\(node.key) stands before what feeds it" }
                if above.isLive != node.isLive { return "\(node.key) differs in liveness from what feeds it" }
                if case .implicit(role, _, _, _) = upstream.node { return "\(node.key): a conversion twice" }
                if role == .decode, case .packets(let packets)? = outputFormats[upstream], !packets.isIntraCoded,
                    case .implicit(_, _, let request, _) = node.key, request != ConverterRequest()
                {
                    return "\(node.key): a second decoder of an inter-coded stream"
                }
                let leads = links.filter { $0.key.from.node == node.key }
                if leads.isEmpty { return "\(node.key) leads nowhere" }
            }
        }
        for link in links {
            guard let from = seen[link.key.from.node], let to = seen[link.key.to] else { return "\(link.key) dangles" }
            if !from.isLive, link.policy.whenFull != .block { return "\(link.key) may drop what is not live" }
            if !from.isLive, link.maxRate != nil || link.lateAfter != nil {
                return "\(link.key) drops what is not live"
            }
            if link.lateAfter != nil, link.lateAfter != to.lateAfter {
                return "\(link.key): another deadline than \(to.key)"
            }
            if case .implicit = link.key.to, link.isOpen != to.isWanted { return "\(link.key): open is not wanted" }
        }
        return nil
    }
}
