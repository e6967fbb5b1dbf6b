import CampipeKit

extension Plan {
    /// A part of a plan: links, the nodes behind them that only they feed, and so on down to the consumers that the
    /// user wrote.
    struct Branch {
        /// Upstream before downstream.
        var links: [LinkKey] = []
        var nodes: [NodeKey] = []

        /// The links that lead to what the user wrote; all that flows through the branch ends there.
        var tails: [LinkKey] {
            links.filter(\.leadsToExplicit)
        }

        /// The steps that take it away.
        var edits: [Edit] { links.map { .unlink($0) } + nodes.reversed().map { .remove($0) } }
    }

    /// Where the parts begin that another plan replaces though what flows there is not live: they have to be fed to
    /// their end and run dry first, since nothing that is not live is ever dropped.
    ///
    /// A part counts when the other plan serves an input that it feeds otherwise, cannot feed the consumer any more, or
    /// leads what the part gives to somebody new, who had the same from another part. An input that goes because its
    /// subscription ended does not count: nobody waits for what it brings.
    ///
    /// A part begins where the old way to the input and the new one part. Where the other plan is for the new format of
    /// an output, it begins there: what that gave before is still in all the converters behind it, also in those that
    /// the other plan keeps.
    func heads(replacedBy new: Plan, since announcer: PlannedOutput? = nil) -> Set<LinkKey> {
        let live = Set(nodes.filter(\.isLive).map(\.key))
        guard live.count < nodes.count else { return [] }
        let before = Set(links.map(\.key))
        let after = Set(new.links.map(\.key))
        let successors = Dictionary(
            new.links.filter { $0.isOpen && $0.key.leadsToExplicit }.map { (Place($0.key), $0.key) },
            uniquingKeysWith: { first, _ in first })
        var heads: Set<LinkKey> = []
        for link in links where link.isOpen && !after.contains(link.key) && !live.contains(link.key.from.node) {
            guard case .explicit(let id) = link.key.to else { continue }
            let fails = new.failures[id] != nil && failures[id] == nil
            let successor = successors[Place(link.key)]
            guard successor != nil || fails else { continue }
            let way = link.key.way
            if let announced = way.first(where: { $0.from == announcer }) {
                heads.insert(announced)
                continue
            }
            let other = successor?.way ?? []
            let parting = zip(way, other).prefix { $0 == $1 }.count
            heads.insert(way[parting])
            if parting < other.count, before.contains(other[parting]) { heads.insert(other[parting]) }
        }
        if let announcer {
            let made = after.subtracting(before).compactMap { $0.way.first { $0.from == announcer } }
            heads.formUnion(made.filter(before.contains))
        }
        // What is behind another one runs dry with it.
        return heads.filter { head in head.way.dropLast().allSatisfy { !heads.contains($0) } }
    }

    /// Those of the links that begin behind the uppermost of the nodes that the user wrote. What is cut farther down
    /// comes later: who is held back there could not take what runs dry above him.
    func uppermost(_ heads: Set<LinkKey>) -> Set<LinkKey> {
        let first = heads.map { place(of: $0.from.node) }.min()
        return heads.filter { place(of: $0.from.node) == first }
    }

    /// Where the explicit node stands that a node is or is fed by: upstream before downstream.
    func place(of key: NodeKey) -> Int { nodes.firstIndex { $0.key == .explicit(key.origin) } ?? 0 }

    /// What is fed through these links alone; links that are not there count for nothing.
    func branch(behind heads: Set<LinkKey>) -> Branch {
        var branch = Branch()
        guard !heads.isEmpty else { return branch }
        var reached: Set<NodeKey> = []
        // Links stand in the order of the nodes that they lead to, so that one pass sees each chain from its beginning.
        for link in links where heads.contains(link.key) || reached.contains(link.key.from.node) {
            branch.links.append(link.key)
            guard case .implicit = link.key.to, reached.insert(link.key.to).inserted else { continue }
            branch.nodes.append(link.key.to)
        }
        return branch
    }

    func without(_ branch: Branch) -> Plan {
        guard !branch.links.isEmpty else { return self }
        let (links, nodes) = (Set(branch.links), Set(branch.nodes))
        var plan = self
        plan.links.removeAll { links.contains($0.key) }
        plan.nodes.removeAll { nodes.contains($0.key) }
        return plan
    }

    /// What a link brings something to.
    private struct Place: Hashable {
        let to: NodeKey
        let input: Int
        let position: Int
        let subscription: Demand.ID

        init(_ key: LinkKey) {
            to = key.to
            input = key.input
            position = key.position
            subscription = key.subscription
        }
    }
}

extension LinkKey {
    /// Whether it leads to what the user wrote.
    fileprivate var leadsToExplicit: Bool { if case .explicit = to { true } else { false } }

    /// The links from the explicit output on, this one last.
    fileprivate var way: [LinkKey] {
        var way = [self]
        while case .implicit(_, let upstream, _, _) = way[0].from.node {
            way.insert(LinkKey(from: upstream, to: way[0].from.node), at: 0)
        }
        return way
    }
}
