package import CampipeKit

/// Counts what a node removed that no link's ledger knows: what a source refused before it became an item, what a
/// node failed at and passed over, and what it leaves out under a reason of its own. Any thread may read it.
package final class RemovalCounter: Sendable {
    private let counts = Lock<[DropReason: Int]>([:])

    func count(_ reason: DropReason, _ count: Int = 1) { counts.withLock { $0[reason, default: 0] += count } }

    /// By reason, since the node's first instance.
    package var current: [DropReason: Int] { counts.withLock { $0 } }
}
