import CampipeKit
import CampipeRuntime

/// What became of the items of all links of a pipeline, by the name that a link has in metrics. A value.
///
/// Links that differ only in the subscription that they serve have one name. A sum never falls: a link that is taken out
/// of the graph while it is looked at may count a few items more than when it was put to those that are gone, and
/// Prometheus would take a smaller number for a new beginning.
struct LinkTotals: Sendable {
    struct Total: Equatable, Sendable {
        var offered = 0
        var taken = 0
        var dropped: [DropReason: Int] = [:]
        /// Now.
        var queued = 0
        var queuedBytes = 0

        fileprivate mutating func add(_ ledger: Ledger) {
            offered += ledger.offered
            taken += ledger.taken
            for (reason, count) in ledger.drops { dropped[reason, default: 0] += count }
        }

        fileprivate mutating func raise(to other: Total) {
            offered = max(offered, other.offered)
            taken = max(taken, other.taken)
            dropped.merge(other.dropped) { max($0, $1) }
        }
    }

    /// By name: `front -> web`.
    private(set) var totals: [String: Total] = [:]

    /// Takes over how the links are now.
    mutating func update(_ snapshot: PipelineSnapshot) {
        var present: [String: Total] = [:]
        for (key, ledger) in snapshot.retired.ledgers {
            present[key.description, default: Total()].add(ledger)
            present[key.description]?.queued += ledger.queued
        }
        for link in snapshot.links {
            var total = present[link.key.description] ?? Total()
            total.add(link.ledger)
            total.queued += link.ledger.queued
            total.queuedBytes += link.queuedBytes
            present[link.key.description] = total
        }
        for (name, before) in totals { present[name, default: Total()].raise(to: before) }
        totals = present
    }
}
