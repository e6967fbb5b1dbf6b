import Synchronization

/// Runners that wait for a worker: who is nearer to a sink first, then first come.
struct ReadyList {
    private var byRank: [(rank: Int, runners: [Runner], next: Int)] = []
    private(set) var count = 0

    mutating func insert(_ runner: Runner) {
        let rank = runner.rank.load(ordering: .relaxed)
        count += 1
        var index = 0
        while index < byRank.count, byRank[index].rank < rank { index += 1 }
        if index < byRank.count, byRank[index].rank == rank {
            byRank[index].runners.append(runner)
        } else {
            byRank.insert((rank, [runner], 0), at: index)
        }
    }

    mutating func popFirst() -> Runner? {
        for index in byRank.indices where byRank[index].next < byRank[index].runners.count {
            let runner = byRank[index].runners[byRank[index].next]
            byRank[index].next += 1
            if byRank[index].next == byRank[index].runners.count {
                byRank[index].runners.removeAll(keepingCapacity: true)
                byRank[index].next = 0
            }
            count -= 1
            return runner
        }
        return nil
    }
}
