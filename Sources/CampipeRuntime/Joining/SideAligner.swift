package import CampipeKit

/// Decides when the head of a join's primary may go: once each side has handed over all that it captured up to it.
///
/// What is not live waits as long as it takes. What is live waits `joinWait` for the first head that a side is behind
/// for; while the side stays behind, each following head goes at the age at which that one went, so that a dead side
/// delays the stream but does not thin it. A value: the runner tells it the time.
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

    private let isLive: Bool
    private let joinWait: Duration
    private var headSince: Instant?
    /// The age at which the last head went that did not get all its sides.
    private var patience: Duration?

    package init(isLive: Bool, joinWait: Duration = Self.joinWait) {
        self.isLive = isLive
        self.joinWait = joinWait
    }

    /// Whether the head may go now. After `.go` the next call is about the next head; until then about the same one, or
    /// one that took its place.
    ///
    /// - Parameters:
    ///   - captured: When the head was captured.
    ///   - sides: The connected sides.
    ///   - now: The clock's time; not looked at when the join is not live.
    package mutating func decide(head captured: Instant, sides: some Sequence<Side>, now: Instant) -> Verdict {
        if sides.allSatisfy({ $0.hasPassed(captured) }) {
            headSince = nil
            patience = nil
            return .go
        }
        guard isLive else { return .wait }
        let since = headSince ?? now
        headSince = since
        var deadline = since + joinWait
        if let patience { deadline = min(deadline, captured + patience) }
        guard now >= deadline else { return .waitUntil(deadline) }
        headSince = nil
        if patience == nil { patience = deadline - captured }
        return .go
    }
}
