package import CampipeKit

/// Turns wants into the nodes and links that are to be there: explicit ones, and the converters between them.
///
/// A pure value: equal states give equal plans, before the start (`campipe graph`, validation) and while running. What
/// has to change is the difference of two plans (`Plan.edits(from:)`), and that is the only way a running graph
/// changes.
package struct Planner: Sendable {
    /// How many different wants of one sink get a chain each, unless told otherwise; the next gets the nearest.
    package static let usualVariants = 4

    private let graph: GraphDescription
    private let registry: Registry
    private let advice: NodeAdvice
    private let maxVariants: Int

    /// - Parameters:
    ///   - graph: Checked: every reference leads to an output, and there is no cycle.
    ///   - registry: Where converters are found by role.
    ///   - advice: What transforms and joins say of themselves; by default they are asked.
    ///   - maxVariants: How many different wants of one sink get a chain each.
    package init(
        graph: GraphDescription, registry: Registry, advice: NodeAdvice? = nil, maxVariants: Int = usualVariants
    ) {
        self.graph = graph
        self.registry = registry
        self.advice = advice ?? NodeAdvice(asking: graph)
        self.maxVariants = maxVariants
    }

    /// What is to be there in this state.
    ///
    /// A consumer that cannot be fed stands in `failures`, is planned without inputs, and wants nothing of anybody.
    package func plan(_ state: PlannerState) -> Plan {
        let order = GraphOrder(graph, off: state.off)
        var failures: [String: PlanFailure] = [:]
        // One that fails wants nothing, so that others may change; each round finds a new one or is the last.
        while true {
            let failed = Set(failures.keys)
            let demands = DemandPass(
                order, state: state, failed: failed, advice: advice, maxVariants: maxVariants)
            let built = PlanBuilder(
                order, state: state, demands: demands.nodes, failed: failed, registry: registry, advice: advice)
            let found = built.plan.failures.filter { !failed.contains($0.key) }
            if found.isEmpty {
                var plan = LinkPass(built, order).plan
                plan.failures = failures
                return plan
            }
            failures.merge(found) { first, _ in first }
        }
    }
}
