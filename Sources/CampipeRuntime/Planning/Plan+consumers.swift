extension Plan {
    /// The explicit nodes that take what a node gives, directly or through implicit ones: who suffers when an implicit
    /// node fails for good.
    package func consumers(of key: NodeKey) -> Set<String> {
        var found: Set<String> = []
        var reached: Set<NodeKey> = [key]
        // Links stand in the order of the nodes that they lead to, so that one pass sees each chain from its beginning.
        for link in links where reached.contains(link.key.from.node) {
            switch link.key.to {
            case .explicit(let id): found.insert(id)
            case .implicit: reached.insert(link.key.to)
            }
        }
        return found
    }
}
