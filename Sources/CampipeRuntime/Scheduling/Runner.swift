import Synchronization

/// The one thing that may touch a node's struct, in turns.
///
/// Its atomic state is the only exclusion: idle, scheduled, running, running and woken. Whoever has something for the
/// node wakes its runner; a wake-up while it runs makes it run once more.
package class Runner: @unchecked Sendable {
    // Subclasses keep state that is touched in turns only; a turn is exclusive by the atomic state below.

    private enum Activity: UInt8, AtomicRepresentable { case idle, scheduled, running, woken }
    private let activity = Atomic<Activity>(.idle)

    package let executor: any RunnerExecutor
    /// How many links away the farthest sink is; who is nearer to a sink goes first.
    let rank = Atomic<Int>(0)
    /// About how long its turns take, in nanoseconds; unknown counts as long.
    let estimate = Atomic<Int64>(1_000_000)
    /// How many turns more are not for lent threads.
    private let withheld = Atomic<Int>(0)

    package init(executor: any RunnerExecutor) { self.executor = executor }

    /// Whether a lent thread may do its next turn; asked once for each.
    final func mayBorrow() -> Bool {
        let left = withheld.load(ordering: .relaxed)
        if left > 0 { withheld.store(left - 1, ordering: .relaxed) }
        return left == 0
    }

    /// Leaves that many of its next turns to the workers where a lent thread would do them.
    final func withhold(_ turns: Int) { withheld.store(turns, ordering: .relaxed) }

    /// Says how many links away the nearest sink is; nearer ones have their turns first.
    package final func setRank(_ distance: Int) { rank.store(distance, ordering: .relaxed) }

    /// Makes it run soon; any thread, any number of times.
    ///
    /// - Parameter here: Whether the calling thread may do a short turn itself; it holds no lock then.
    package final func wake(here: Bool = false) {
        while true {
            // Sequentially consistent, as are the marks set before a wake-up: a mark must be visible to the turn that
            // this load takes for one still to come.
            switch activity.load(ordering: .sequentiallyConsistent) {
            case .idle:
                if exchange(.idle, .scheduled) { return here ? executor.runHere(self) : executor.schedule(self) }
            case .running:
                if exchange(.running, .woken) { return }
            case .scheduled, .woken:
                return
            }
        }
    }

    /// Runs one turn, on the thread that the executor chose.
    final func run() {
        activity.store(.running, ordering: .sequentiallyConsistent)
        if turn() || !exchange(.running, .idle) {
            activity.store(.scheduled, ordering: .releasing)
            executor.reschedule(self)
        }
    }

    /// Does a bounded piece of work; never blocks, unless its executor is a thread of its own.
    ///
    /// - Returns: Whether it knows of more to do.
    func turn() -> Bool { preconditionFailure("every runner has turns") }

    private func exchange(_ old: Activity, _ new: Activity) -> Bool {
        activity.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }
}

/// Decides when and on which thread scheduled runners run.
package protocol RunnerExecutor: Sendable {
    /// A runner became ready; it runs exactly once for it.
    func schedule(_ runner: Runner)
    /// A runner ended its turn and has more to do; others go first.
    func reschedule(_ runner: Runner)
    /// A runner became ready, and the calling thread may do a short turn itself.
    func runHere(_ runner: Runner)
}

extension RunnerExecutor {
    package func runHere(_ runner: Runner) { schedule(runner) }
}
