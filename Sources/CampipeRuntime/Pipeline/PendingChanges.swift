import CampipeKit

/// Changes that wait until what they replace has run dry, since it is not live, in the order of their coming.
struct PendingChanges {
    struct Pending {
        fileprivate(set) var change: StateChange
        /// The links that were ended for it; what is behind them runs dry.
        fileprivate(set) var ended: Set<LinkKey> = []
        /// Who gives nothing meanwhile, since what he gives is for those that take the place of the links.
        fileprivate(set) var held: [NodeKey] = []
    }
    private var list: [Pending] = []

    init() {}

    var isEmpty: Bool { list.isEmpty }
    var count: Int { list.count }
    subscript(index: Int) -> Pending { list[index] }

    mutating func append(_ change: StateChange) { list.append(Pending(change: change)) }
    mutating func remove(at index: Int) { list.remove(at: index) }

    /// Lets a change take the place of one that waits.
    ///
    /// - Returns: Whether there is one.
    mutating func replace(with change: StateChange) -> Bool {
        guard let index = list.firstIndex(where: { change.supersedes($0.change) }) else { return false }
        list[index].change = change
        return true
    }

    /// What runs dry for a change.
    func branch(_ index: Int, in plan: Plan) -> Plan.Branch { plan.branch(behind: list[index].ended) }

    /// Whether all that was fed to a part of the graph has reached the links to its consumers.
    func isDry(_ branch: Plan.Branch, in graph: RunningGraph) -> Bool {
        branch.nodes.allSatisfy(graph.ended.contains) && branch.tails.allSatisfy { graph.links[$0]?.isOver ?? true }
            && !list.contains { $0.change.announcer.map { branch.nodes.contains($0.node) } ?? false }
    }

    /// Ends links for a change, behind what they were offered, and holds back what follows. Who announced a format
    /// waits by himself.
    ///
    /// - Parameter looks: Called when some were ended: what is behind them may have run dry.
    mutating func cut(
        _ heads: Set<LinkKey>, for index: Int, of plan: Plan, _ graph: RunningGraph,
        looks: @escaping @Sendable () -> Void
    ) {
        list[index].ended.formUnion(heads)
        for key in branch(index, in: plan).tails { graph.links[key]?.replace() }
        let grouped = Dictionary(grouping: plan.links.lazy.map(\.key).filter(heads.contains), by: \.from.node)
        // In the plan's order, so that equal runs are equal.
        for node in plan.nodes.lazy.map(\.key) {
            guard let keys = grouped[node], let runner = graph.runners[node] else { continue }
            let holds = list[index].change.announcer?.node != node && !list[index].held.contains(node)
            if holds { list[index].held.append(node) }
            runner.perform { runner in
                if holds { runner.hold() }
                for key in keys { runner.endLink(key) }
                looks()
            }
        }
    }

    /// A change begins anew, with what ran dry for it put back.
    ///
    /// - Returns: Who need not be held back any more.
    mutating func restart(_ index: Int) -> [NodeKey] {
        let held = list[index].held
        list[index] = Pending(change: list[index].change)
        return held
    }

    /// The links of a plan whose end means that another takes their place.
    func replaced(in plan: Plan) -> Set<LinkKey> { Set(list.flatMap { plan.branch(behind: $0.ended).tails }) }

    /// What edits take away needs no more.
    mutating func forget(_ edits: [Edit]) {
        for edit in edits {
            switch edit {
            case .unlink(let key): for index in list.indices { list[index].ended.remove(key) }
            case .remove(let key):
                for index in list.indices { list[index].held.removeAll { $0 == key } }
                list.removeAll { $0.change.announcer?.node == key }
            default: break
            }
        }
    }
}
