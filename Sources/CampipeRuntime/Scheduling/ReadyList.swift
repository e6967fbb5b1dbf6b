import Synchronization

/// Runners that wait for a worker: who is nearer to a sink first, then first come.
///
/// Each 16th time who waited longest goes, so that a chain that is never idle cannot keep all others from running.
struct ReadyList {
    private struct Rank {
        var rank: Int
        /// In the order in which they came; those before `next` have gone.
        var runners: [(runner: Runner, order: UInt64)] = []
        var next = 0

        mutating func take() -> Runner? {
            guard next < runners.count else { return nil }
            let runner = runners[next].runner
            next += 1
            if next == runners.count {
                runners.removeAll(keepingCapacity: true)
                next = 0
            } else if next >= 64, next * 2 >= runners.count {
                // One that is never empty must not keep all that ever waited.
                runners.removeFirst(next)
                next = 0
            }
            return runner
        }

        var oldest: UInt64? { next < runners.count ? runners[next].order : nil }
    }

    private static let fairness: UInt64 = 16
    private var ranks: [Rank] = []
    private var inserted: UInt64 = 0
    private var taken: UInt64 = 0
    private(set) var count = 0

    mutating func insert(_ runner: Runner) {
        let rank = runner.rank.load(ordering: .relaxed)
        var index = 0
        while index < ranks.count, ranks[index].rank < rank { index += 1 }
        if index == ranks.count || ranks[index].rank != rank { ranks.insert(Rank(rank: rank), at: index) }
        ranks[index].runners.append((runner, inserted))
        inserted += 1
        count += 1
    }

    mutating func popFirst() -> Runner? {
        guard count > 0 else { return nil }
        taken += 1
        count -= 1
        guard taken % Self.fairness == 0 else {
            for index in ranks.indices where ranks[index].oldest != nil { return ranks[index].take() }
            return nil
        }
        let longest = ranks.indices.min { ranks[$0].oldest ?? .max < ranks[$1].oldest ?? .max }
        return longest.flatMap { ranks[$0].take() }
    }
}
