package import CampipeKit

/// What became of everything that was offered to a link: `in = out + queued + dropped[reason]`, in every snapshot.
package struct Ledger: Hashable, Sendable {
    /// Items offered.
    package internal(set) var offered = 0
    /// Items taken by the consumer.
    package internal(set) var taken = 0
    /// Items waiting.
    package internal(set) var queued = 0
    /// Items that came after the consumer had failed for good; among those dropped, since nobody wants them.
    package internal(set) var inVain = 0
    private var counts = [Int](repeating: 0, count: DropReason.allCases.count)

    package init() {}

    mutating func drop(_ reason: DropReason, _ count: Int = 1) { counts[Int(reason.rawValue)] += count }

    /// Items dropped for one reason.
    package func dropped(_ reason: DropReason) -> Int { counts[Int(reason.rawValue)] }

    /// Items dropped, all reasons.
    package var dropped: Int { counts.reduce(0, +) }

    /// The reasons that ever occurred, with their counts.
    package var drops: [(reason: DropReason, count: Int)] {
        DropReason.allCases.compactMap { dropped($0) > 0 ? ($0, dropped($0)) : nil }
    }

    /// What waits counted as dropped, since the pipeline wants it no more.
    var givenUp: Ledger {
        var ledger = self
        ledger.drop(.noDemand, queued)
        ledger.queued = 0
        return ledger
    }

    /// Adds what became of another link's items.
    mutating func add(_ other: Ledger) {
        offered += other.offered
        taken += other.taken
        inVain += other.inVain
        for index in counts.indices { counts[index] += other.counts[index] }
        queued += other.queued
    }

    package var isBalanced: Bool { offered == taken + queued + dropped }
}
