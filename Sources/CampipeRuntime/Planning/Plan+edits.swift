extension Plan {
    /// The steps from another plan to this one: make before break.
    ///
    /// Every prefix leaves a graph whose links have both ends. Nodes come first, upstream before downstream; links are
    /// made from the sinks up, so that nothing flows into a chain that leads nowhere yet; then what is not wanted any
    /// more is closed and unlinked from the sources down; nodes go last, downstream first. A node is wanted before its
    /// links open, and no longer wanted after they closed.
    package func edits(from old: Plan) -> [Edit] {
        let oldNodes = Dictionary(old.nodes.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let oldLinks = Dictionary(old.links.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let newNodeKeys = Set(nodes.map(\.key))
        let newLinkKeys = Set(links.map(\.key))

        var edits: [Edit] = []
        var rests: [Edit] = []
        for node in nodes {
            guard let before = oldNodes[node.key] else {
                edits.append(.add(node))
                continue
            }
            guard before != node else { continue }
            if before.isWanted, !node.isWanted {
                rests.append(.updateNode(node))
            } else {
                edits.append(.updateNode(node))
            }
        }
        for link in links.reversed() {
            guard let before = oldLinks[link.key] else {
                edits.append(.link(link))
                continue
            }
            if before != link, link.isOpen { edits.append(.updateLink(link)) }
        }
        for link in links {
            if let before = oldLinks[link.key], before != link, !link.isOpen { edits.append(.updateLink(link)) }
        }
        edits += old.links.filter { !newLinkKeys.contains($0.key) }.map { .unlink($0.key) }
        edits += rests.reversed()
        edits += old.nodes.reversed().filter { !newNodeKeys.contains($0.key) }.map { .remove($0.key) }
        return edits
    }
}
