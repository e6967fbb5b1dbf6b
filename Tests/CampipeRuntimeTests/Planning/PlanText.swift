import CampipeKit

@testable import CampipeRuntime

extension Plan {
    /// Links as text, one each, sorted: `cam -> decode(cam) latest rate 5.0 late 1.0`; closed ones in brackets.
    var linkTexts: [String] {
        links.map { link in
            let from = link.key.from.port == 0 ? "\(link.key.from.node)" : "\(link.key.from.node):\(link.key.from.port)"
            let input = link.key.input == 0 ? "" : ":\(link.key.input)"
            var text = "\(from) -> \(link.key.to)\(input) \(link.policy.whenFull.rawValue)"
            if let rate = link.maxRate { text += " rate \(rate)" }
            if let late = link.lateAfter { text += " late \(late.seconds)" }
            return link.isOpen ? text : "[\(text)]"
        }.sorted()
    }

    /// Nodes as text, in order; what is not wanted in brackets.
    var nodeTexts: [String] { nodes.map { $0.isWanted ? "\($0.key)" : "[\($0.key)]" } }

    func node(_ id: String) -> PlannedNode? { nodes.first { "\($0.key)" == id } }
    func link(_ from: String, _ to: String) -> PlannedLink? {
        links.first { "\($0.key.from.node)" == from && "\($0.key.to)" == to }
    }
}

/// The plan of a graph of test nodes.
func plan(_ nodes: [NodeDescription], _ change: (inout PlannerState) -> Void = { _ in }) -> Plan {
    let graph = GraphDescription(name: "test", nodes: nodes)
    var state = PlannerState(graph)
    change(&state)
    return Planner(graph: graph, registry: PlanningNodes.registry).plan(state)
}

/// The announced format of an output of an explicit node, as a state has it.
func announced(_ id: String, port: Int = 0, _ format: Format) -> [PlannedOutput: Format] {
    [PlannedOutput(.explicit(id), port): format]
}
