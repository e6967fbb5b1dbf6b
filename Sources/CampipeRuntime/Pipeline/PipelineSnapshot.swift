package import CampipeKit

/// How a pipeline is, at one moment: each node's state, each link's ledger.
package struct PipelineSnapshot: Sendable {
    package struct Node: Sendable {
        package var key: NodeKey
        package var id: String
        package var type: String
        package var contract: NodeDescriptor.Contract
        package var isLive: Bool
        package var state: SourceStatus
        /// Glass to here, of a sink.
        package var ages: AgeHistogram?
        /// What it removed that no link's ledger knows, by reason.
        package var removed: [DropReason: Int] = [:]
        /// How often a new instance took its place.
        package var restarts = 0

        /// Whether to tell how it is: a node of the file, or one of those between them that ever failed.
        package var isNamed: Bool {
            if case .explicit = key { return true }
            return restarts > 0 || state.state == .waiting || state.state == .failed
        }
    }

    package struct LinkState: Sendable {
        package var key: LinkKey
        package var from: String
        package var to: String
        package var isOpen: Bool
        package var ledger: Ledger
        package var queuedBytes: Int
    }

    package var nodes: [Node]
    package var links: [LinkState]
    /// The ledgers of links that are gone.
    package var retired = RetiredLinks()
    /// Nodes that are switched off, or left without what they need since others are.
    package var off: Set<String> = []
    package var formats: [PlannedOutput: Format]

    /// Items that were given to a node, by its id, and lost since it failed.
    package func lostItems(of node: String) -> Int {
        let own = nodes.filter { $0.id == node }.reduce(0) { $0 + ($1.removed[.failed] ?? 0) }
        let waiting = links.filter { $0.to == node }.reduce(own) { $0 + $1.ledger.dropped(.failed) }
        return retired.ledgers.filter { $0.key.to.description == node }.reduce(waiting) {
            $0 + $1.value.dropped(.failed)
        }
    }
}
