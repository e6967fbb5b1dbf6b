package import CampipeKit

/// Decides whether the world's clock can be believed when recordings are to be deleted for their age. A value.
///
/// A clock that was set by more than an hour, forwards or back, makes all recordings look old, or those that follow. From
/// then on it is wary, until somebody says that all is well or two days have passed. Across a restart a pause cannot be
/// told from a clock that was set, so it is wary after a pause too.
package struct ClockGuard: Hashable, Sendable {
    /// So far a clock may be off.
    package static let tolerance = Duration.seconds(3600)
    /// So long nobody is asked to look; then the clock is believed.
    package static let patience = Duration.seconds(2 * 86_400)

    /// A clock that was set.
    package struct Jump: Hashable, Sendable {
        /// By how much; negative is back.
        package var by: Duration
        /// What it says since.
        package var to: WallTime
        /// When that was, on the pipeline's line; nil before this run.
        package var at: Instant?
    }

    /// What a list remembers of it.
    package struct Memory: Hashable, Sendable {
        /// What the clock said when it was last looked at.
        package var seen: WallTime?
        /// What it said after it was set.
        package var jumped: WallTime?
        /// When somebody said that it is right.
        package var trusted: WallTime?

        package init(seen: WallTime? = nil, jumped: WallTime? = nil, trusted: WallTime? = nil) {
            self.seen = seen
            self.jumped = jumped
            self.trusted = trusted
        }
    }

    private var last: (wall: WallTime, at: Instant)?
    /// The jump that it is wary of; nil when the clock is believed.
    package private(set) var jump: Jump?
    /// What was said to be right before this jump.
    private var trusted: WallTime?

    package init() {}

    package static func == (left: ClockGuard, right: ClockGuard) -> Bool {
        left.jump == right.jump && left.trusted == right.trusted && left.last?.wall == right.last?.wall
            && left.last?.at == right.last?.at
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(jump) }

    /// Looks at the clock.
    ///
    /// - Returns: Whether it was set since it was last looked at.
    package mutating func look(_ memory: Memory, wall: WallTime, at now: Instant) -> Bool {
        defer { last = (wall, now) }
        let expected: WallTime?
        if let last {
            expected = last.wall + (now - last.at)
        } else {
            expected = memory.seen
            trusted = memory.trusted
            if let jumped = memory.jumped, memory.trusted.map({ $0 < jumped }) ?? true {
                jump = Jump(by: .zero, to: jumped)
            }
        }
        if let expected, wall - expected > Self.tolerance || expected - wall > Self.tolerance {
            jump = Jump(by: wall - expected, to: wall, at: now)
            trusted = memory.trusted
            return true
        }
        if let jump, memory.trusted != trusted || since(jump, wall, now) >= Self.patience { self.jump = nil }
        return false
    }

    private func since(_ jump: Jump, _ wall: WallTime, _ now: Instant) -> Duration {
        jump.at.map { now - $0 } ?? (wall - jump.to)
    }
}
