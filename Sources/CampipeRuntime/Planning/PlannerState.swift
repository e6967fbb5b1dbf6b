package import CampipeKit

/// What the planner has to know of a running graph beside its description. Equal states give equal plans.
package struct PlannerState: Equatable, Sendable {
    /// What each sink's main input is asked for now. On what is not live, a sink that asks for nothing wants all.
    package var subscriptions: [String: [Demand.ID: Want]] = [:]
    /// What the outputs have announced so far, those of implicit nodes too. It stays when such a node is removed: one
    /// that cannot feed its consumer would else be made again and again.
    package var formats: [PlannedOutput: Format] = [:]
    /// Whether the `when` of a node is true now, of nodes that do not keep history; unknown counts as false.
    package var gates: [String: Bool] = [:]
    /// Nodes that want nothing more: they ended, or failed for good.
    package var ended: Set<String> = []
    /// Nodes that are switched off, besides those that the file switches off.
    package var off: Set<String> = []

    package init() {}

    /// The state before the start: each sink has what it wants from its options.
    package init(_ graph: GraphDescription) {
        for node in graph.nodes {
            if let want = node.inspection.want { subscriptions[node.id] = [0: want] }
        }
    }
}
