import CampipeKit

/// Jittered exponential waits between tries: 0.5 s to 30 s.
///
/// The n-th wait lies between half and all of `min(30 s, 2^n s)`, n from 0, so that cameras which failed together do
/// not come back together.
package struct Backoff: Sendable {
    /// The longest wait.
    package static let cap = Duration.seconds(30)

    /// Waits handed out since the last `reset`.
    package private(set) var count = 0
    private var step = 0
    private var random: SplitMix

    /// - Parameter seed: Of the jitter.
    package init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// The next wait.
    ///
    /// - Parameter atCap: Whether to go to the longest waits at once, since trying soon is known to be useless.
    package mutating func next(atCap: Bool = false) -> Duration {
        if atCap { step = 5 }
        let longest = min(Self.cap, Duration.seconds(1 << step))
        step = min(step + 1, 5)
        count += 1
        return .nanoseconds(Int64.random(in: (longest / 2).nanoseconds...longest.nanoseconds, using: &random))
    }

    /// It worked for long enough: the next wait is short again.
    package mutating func reset() {
        count = 0
        step = 0
    }
}
