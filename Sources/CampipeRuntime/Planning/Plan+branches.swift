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
            links.filter { if case .explicit = $0.to { true } else { false } }
        }

        /// The steps that take it away.
        var edits: [Edit] { links.map { .unlink($0) } + nodes.reversed().map { .remove($0) } }
    }

    /// Where the parts begin that another plan replaces though what flows there is not live: they have to be fed to
    /// their end and run dry first, since nothing that is not live is ever dropped.
    ///
    /// Each begins at the output whose new format the other plan is for: what that gave before is still in all the
    /// converters behind it, also in those that the other plan keeps. Such a part counts when the other plan serves an
    /// input that it feeds otherwise, cannot feed the consumer any more, or leads what the part gives to somebody new,
    /// who had the same from another part. An input that goes because its subscription ended does not count: nobody
    /// waits for what it brings.
    func heads(replacedBy new: Plan, since announcer: PlannedOutput) -> Set<LinkKey> {
        func head(of key: LinkKey) -> LinkKey? {
            var head = key
            while head.from != announcer, case .implicit(_, let upstream, _, _) = head.from.node {
                head = LinkKey(from: upstream, to: head.from.node)
            }
            return head.from == announcer ? head : nil
        }
        let before = Set(links.map(\.key))
        let after = Set(new.links.map(\.key))
        let places = Set(after.map(Place.init))
        let replaced = before.subtracting(after).filter { key in
            guard case .explicit(let id) = key.to else { return false }
            return places.contains(Place(key)) || new.failures[id] != nil && failures[id] == nil
        }
        let made = after.subtracting(before).compactMap(head).filter(before.contains)
        return Set(replaced.compactMap(head) + made)
    }

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
        var plan = self
        plan.links.removeAll { branch.links.contains($0.key) }
        plan.nodes.removeAll { branch.nodes.contains($0.key) }
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
