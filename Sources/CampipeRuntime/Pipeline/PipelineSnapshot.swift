package import CampipeKit

/// How a pipeline is, at one moment: each node's state, each link's ledger.
package struct PipelineSnapshot: Sendable {
    /// One node at work.
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
        /// Of its inputs, by their index.
        package var tastes: [Taste] = []

        /// Whether to tell how it is: a node of the file, or one of those between them that ever failed.
        package var isNamed: Bool {
            if case .explicit = key { return true }
            return restarts > 0 || state.state == .waiting || state.state == .failed
        }
    }

    /// One link, with a ledger that balances.
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
    /// Items that each node gave marked as damaged, if any; of converters that are gone too. A picture that a source
    /// marked counts again at each node that it passes, and a decoder marks more: those in which it had to guess.
    package var damaged: [NodeKey: Int] = [:]
    /// Nodes that are switched off, or left without what they need since others are.
    package var off: Set<String> = []
    package var formats: [PlannedOutput: Format]

    /// Items that were given to a node, by its id, in vain since it failed: those that it failed at or lost with what it
    /// had begun, and those that waited or came too much meanwhile.
    package func lostItems(of node: String) -> Int {
        let own = nodes.filter { $0.id == node }
        let tastes = own.first?.tastes ?? []
        var count = own.reduce(0) { $0 + ($1.removed[.failed] ?? 0) + ($1.removed[.brokenReference] ?? 0) }
        let ledgers =
            links.filter { $0.to == node }.map { ($0.key.input, $0.ledger) }
            + retired.ledgers.filter { $0.key.to.description == node }.map { ($0.key.input, $0.value) }
        // A side or a `when` brings what belongs to the items of others.
        for (input, ledger) in ledgers where tastes.indices.contains(input) { count += ledger.lost(to: tastes[input]) }
        return count
    }

    /// Pictures of all sources that came damaged, each counted once: those that a source marked, or a converter behind it
    /// that was put in by itself, if that one found more.
    package var damagedPictures: Int {
        let sources = Set(nodes.filter { $0.contract == .source }.map(\.id))
        var most: [String: Int] = [:]
        for (key, count) in damaged where sources.contains(key.origin) {
            most[key.origin] = max(most[key.origin] ?? 0, count)
        }
        return most.values.reduce(0, +)
    }

    /// Items that wait in front of a node, by its id.
    package func waitingItems(of node: String) -> Int {
        links.filter { $0.to == node }.reduce(0) { $0 + $1.ledger.queued }
    }
}
