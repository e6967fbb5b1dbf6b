import CampipeKit

/// Runs runners on the thread that calls `run`, in an order drawn by a seed; for tests.
///
/// Every interleaving of turns that it draws is one that the pool could have taken.
package final class SeededExecutor: RunnerExecutor {
    private let state: Lock<(ready: [Runner], random: SplitMix)>

    package init(seed: UInt64) { state = Lock(([], SplitMix(seed: seed))) }

    package func schedule(_ runner: Runner) { state.withLock { $0.ready.append(runner) } }
    package func reschedule(_ runner: Runner) { schedule(runner) }

    /// Runs one turn of a runner drawn from those that are ready.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package func step() -> Bool {
        let runner = state.withLock { state -> Runner? in
            guard !state.ready.isEmpty else { return nil }
            return state.ready.remove(at: Int(state.random.next() % UInt64(state.ready.count)))
        }
        runner?.run()
        return runner != nil
    }

    /// Runs turns until nobody is ready, or `limit` is reached.
    ///
    /// - Returns: How many turns ran.
    @discardableResult
    package func run(limit: Int = .max) -> Int {
        var turns = 0
        while turns < limit, step() { turns += 1 }
        return turns
    }
}

/// A small generator of reproducible numbers (SplitMix64, Steele, Lea and Flood 2014).
package struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
