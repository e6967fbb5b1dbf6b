package import CampipeKit

/// Tells when the light of a picture arrived, on the receiver's clock: its own time, moved by the smallest delay seen.
///
/// A burst after a stall is late, a constant delay is not. The two clocks drift apart, some cameras' by a second a day;
/// so the smallest delay is that of the last half to whole minute. A value without clock.
package struct ArrivalClock: Sendable {
    package static let window = Duration.seconds(30)
    /// A delay that changes by more is another clock.
    private static let jump = Duration.seconds(10)

    private var before: Duration?
    private var now: Duration?
    private var began: Instant?
    private var last: Instant?

    package init() {}

    /// When a picture was captured.
    ///
    /// - Parameters:
    ///   - time: The picture's own time since the stream's start, mended.
    ///   - arrival: When the last of it arrived.
    /// - Returns: Not after `arrival`, and not before what was returned before.
    package mutating func captured(_ time: Duration, arrival: Instant) -> Instant {
        let delay = arrival - (Instant.zero + time)
        if let smallest, delay - smallest > Self.jump || smallest - delay > Self.jump {
            (before, now, began) = (nil, nil, nil)
        }
        if let began, arrival - began >= Self.window {
            before = now
            now = nil
            self.began = arrival
        }
        if began == nil { began = arrival }
        now = min(now ?? delay, delay)
        let found = min(arrival, Instant.zero + time + (smallest ?? delay))
        let result = max(found, last ?? found)
        last = result
        return result
    }

    private var smallest: Duration? {
        guard let now else { return before }
        return before.map { min($0, now) } ?? now
    }
}
