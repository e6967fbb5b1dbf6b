package import CampipeKit

/// How a pipeline ended.
package struct PipelineOutcome: Sendable {
    /// A node that failed: for good, or so that a new instance took its place. An item that `on_error: skip` passed over
    /// is none, nor is a camera that was lost and came back. A live source that never gave anything failed.
    package struct Failure: Sendable {
        /// Its id, or the name of an implicit node.
        package var node: String
        /// The last cause.
        package var error: CampipeError
        /// How often it failed.
        package var count = 1
    }

    /// What a node had not taken when the deadline of the stop came.
    package struct Leftover: Hashable, Sendable {
        package var node: String
        package var items: Int
        package var isLive: Bool
    }

    /// In the order of their first failures.
    package private(set) var failures: [Failure] = []
    /// Sources that are not live and were stopped before they had given all.
    package var unread: [String] = []
    package var leftovers: [Leftover] = []
    /// Nodes that had not finished when the last deadline came.
    package var stragglers: [String] = []

    package init() {}

    /// Whether it kept what it was asked to keep. What is live may leave something behind at the end, as it drops
    /// what it has no time for at work.
    package var isClean: Bool { failures.isEmpty && stragglers.isEmpty && leftovers.allSatisfy(\.isLive) }

    /// A node failed, maybe once more.
    mutating func failed(_ node: String, _ error: CampipeError) {
        if let index = failures.firstIndex(where: { $0.node == node }) {
            failures[index].error = error
            failures[index].count += 1
        } else {
            failures.append(Failure(node: node, error: error))
        }
    }
}
