import CampipeKit

/// Formats of what is not live that wait until what they replace has run dry, in the order of their coming.
struct FormatChanges {
    struct Change {
        let output: PlannedOutput
        let format: Format
        /// The links that were ended for it; what is behind them runs dry.
        fileprivate(set) var ended: Set<LinkKey> = []
    }
    private var list: [Change] = []

    init() {}

    var isEmpty: Bool { list.isEmpty }
    var count: Int { list.count }
    subscript(index: Int) -> Change { list[index] }

    mutating func append(_ output: PlannedOutput, _ format: Format) {
        list.append(Change(output: output, format: format))
    }
    mutating func remove(at index: Int) { list.remove(at: index) }

    /// What runs dry for a change.
    func branch(_ index: Int, in plan: Plan) -> Plan.Branch { plan.branch(behind: list[index].ended) }

    /// Whether all that was fed to a part of the graph has reached the links to its consumers.
    func isDry(_ branch: Plan.Branch, in graph: RunningGraph) -> Bool {
        branch.nodes.allSatisfy(graph.ended.contains) && branch.tails.allSatisfy { graph.links[$0]?.isOver ?? true }
            && !list.contains { branch.nodes.contains($0.output.node) }
    }

    /// Ends links for a change, behind what they were offered.
    ///
    /// - Parameter looks: Called when one was ended: what is behind it may have run dry.
    mutating func cut(
        _ heads: Set<LinkKey>, for index: Int, of plan: Plan, _ graph: RunningGraph,
        looks: @escaping @Sendable () -> Void
    ) {
        let heads = heads.subtracting(list[index].ended)
        list[index].ended.formUnion(heads)
        for key in branch(index, in: plan).tails { graph.links[key]?.replace() }
        for key in heads {
            graph.runners[key.from.node]?.perform { runner in
                runner.endLink(key)
                looks()
            }
        }
    }

    /// The links of a plan whose end means that another takes their place.
    func replaced(in plan: Plan) -> Set<LinkKey> { Set(list.flatMap { plan.branch(behind: $0.ended).tails }) }

    /// What edits take away needs no more.
    mutating func forget(_ edits: [Edit]) {
        for edit in edits {
            switch edit {
            case .unlink(let key): for index in list.indices { list[index].ended.remove(key) }
            case .remove(let key): list.removeAll { $0.output.node == key }
            default: break
            }
        }
    }
}
