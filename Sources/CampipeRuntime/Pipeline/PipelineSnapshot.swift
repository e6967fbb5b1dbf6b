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
}

/// How a pipeline ended.
package struct PipelineOutcome: Sendable {
    /// Nodes that failed for good, with the cause.
    package var failures: [(node: String, error: CampipeError)] = []
    /// Nodes that had not finished when the deadline came.
    package var stragglers: [String] = []

    package init() {}

    package var isClean: Bool { failures.isEmpty && stragglers.isEmpty }
}
