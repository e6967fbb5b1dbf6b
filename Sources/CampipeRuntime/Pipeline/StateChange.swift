import CampipeKit

/// One difference of what the planner has to know of a running graph.
enum StateChange: Hashable, Sendable {
    case format(PlannedOutput, Format)
    case want(String, Demand.ID, Want?)
    case gate(String, isOpen: Bool)
    /// The node wants nothing more.
    case ended(String)

    /// The output whose format it is, if it is one.
    var announcer: PlannedOutput? { if case .format(let output, _) = self { output } else { nil } }

    /// Whether something is asked for a node that wants nothing more: to feed it otherwise would lead to it what others
    /// still wait for, only to be dropped there.
    func isWant(ofOneOf nodes: Set<String>) -> Bool {
        if case .want(let node, _, _) = self { nodes.contains(node) } else { false }
    }

    func apply(to state: inout PlannerState) {
        switch self {
        case .format(let output, let format): state.formats[output] = format
        case .want(let node, let id, let want?): state.subscriptions[node, default: [:]][id] = want
        case .want(let node, let id, nil): state.subscriptions[node]?[id] = nil
        case .gate(let node, let isOpen): state.gates[node] = isOpen
        case .ended(let node): state.ended.insert(node)
        }
    }

    /// Whether nothing of another one is left after it. A format is not undone by the next: both flow.
    func supersedes(_ other: StateChange) -> Bool {
        switch (self, other) {
        case (.want(let node, let id, _), .want(let node2, let id2, _)): node == node2 && id == id2
        case (.gate(let node, _), .gate(let node2, _)): node == node2
        case (.ended(let node), .ended(let node2)): node == node2
        default: false
        }
    }
}
