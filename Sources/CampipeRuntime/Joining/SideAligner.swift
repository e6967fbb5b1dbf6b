package import CampipeKit

/// Decides when the head of a join's primary may go: once each side has handed over all that it captured up to it.
///
/// What is not live waits as long as it takes. What is live waits `joinWait` for the first head that a side is behind
/// for, and no longer than for half of the time that is left until it is late; while the side stays behind, each
/// following head goes at the age at which that one went, at half of its deadline at most. So a dead side delays the
/// stream, but does not thin it, and leaves those who work on it the time that they need. A side that has said nothing
/// for `deadAfter` since a head went without it is not waited for until it says something. A value: the runner tells it
/// the time.
package struct SideAligner: Sendable {
    /// How far one side is known.
    package struct Side: Hashable, Sendable {
        /// Nothing captured at or before it is still to come; nil while nothing is known.
        package var watermark: Instant?
        package var hasEnded: Bool
        /// Nobody offers to it, or it is brought nothing, so there is nothing to wait for.
        package var isClosed: Bool

        package init(watermark: Instant?, hasEnded: Bool = false, isClosed: Bool = false) {
            self.watermark = watermark
            self.hasEnded = hasEnded
            self.isClosed = isClosed
        }

        /// Whether it has handed over all that was captured up to then.
        func hasPassed(_ captured: Instant) -> Bool {
            if hasEnded || isClosed { return true }
            return watermark.map { $0 >= captured } ?? false
        }
    }

    /// What is to become of the primary's next item.
    package enum Verdict: Hashable, Sendable {
        /// Hand it over with what the sides hold up to it.
        case go
        /// Ask again when a side moves, at the latest then.
        case waitUntil(Instant)
        /// Ask again when a side moves.
        case wait
    }

    /// How long a live head waits for its sides.
    package static let joinWait = Duration.milliseconds(100)
    /// For how long a side is waited for that says nothing more.
    package static let deadAfter = Duration.seconds(2)

    /// How far a side was known when a head first went without it.
    private struct Miss {
        var watermark: Instant?
        var since: Instant
    }

    private let isLive: Bool
    private let joinWait: Duration
    private var headSince: Instant?
    /// The age at which the last head went that did not get all its sides.
    private var patience: Duration?
    /// The sides that heads go without, by their places.
    private var misses: [Miss?] = []

    package init(isLive: Bool, joinWait: Duration = Self.joinWait) {
        self.isLive = isLive
        self.joinWait = joinWait
    }

    /// Whether the head may go now. After `.go` the next call is about the next head; until then about the same one, or
    /// one that took its place.
    ///
    /// - Parameters:
    ///   - captured: When the head was captured.
    ///   - sides: The connected sides, always in the same order.
    ///   - lateAfter: At which age it is late for those behind the join; nil is never.
    ///   - now: The clock's time; not looked at when the join is not live.
    package mutating func decide(
        head captured: Instant, sides: some Collection<Side>, lateAfter: Duration? = nil, now: Instant
    ) -> Verdict {
        if misses.count != sides.count { misses = Array(repeating: nil, count: sides.count) }
        var isComplete = true
        for (place, side) in sides.enumerated() where isAwaited(side, at: place, for: captured, now) {
            isComplete = false
        }
        if isComplete {
            headSince = nil
            patience = nil
            return .go
        }
        guard isLive else { return .wait }
        let since = headSince ?? now
        headSince = since
        var deadline = since + joinWait
        if let lateAfter { deadline = min(deadline, since + max(.zero, captured + lateAfter - since) / 2) }
        if let patience { deadline = min(deadline, captured + min(patience, lateAfter.map { $0 / 2 } ?? patience)) }
        guard now >= deadline else { return .waitUntil(deadline) }
        headSince = nil
        if patience == nil { patience = deadline - captured }
        for (place, side) in sides.enumerated() where misses[place] == nil && !side.hasPassed(captured) {
            misses[place] = Miss(watermark: side.watermark, since: now)
        }
        return .go
    }

    /// Whether a head waits for a side: one that is behind and not known to be dead.
    private mutating func isAwaited(_ side: Side, at place: Int, for captured: Instant, _ now: Instant) -> Bool {
        if let miss = misses[place] {
            if miss.watermark == side.watermark, !side.hasPassed(captured) {
                return now - miss.since < Self.deadAfter
            }
            misses[place] = nil
        }
        return !side.hasPassed(captured)
    }
}
