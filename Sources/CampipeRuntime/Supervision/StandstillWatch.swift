package import CampipeKit

/// Finds out by beats that come late that nothing ran: a process that was stopped by SIGSTOP, a virtual machine that was
/// paused.
///
/// A value: whoever beats tells it the time.
package struct StandstillWatch: Sendable {
    /// A time in which nothing ran: from the last beat to the first one after it.
    package struct Standstill: Hashable, Sendable {
        package var from: Instant
        package var through: Instant
    }

    /// Between beats.
    package static let interval = Duration.seconds(1)
    /// How late a beat is after a standstill; a busy machine is no standstill.
    package static let lateness = Duration.seconds(2)

    /// The last one.
    package private(set) var last: Standstill?
    private var lastBeat: Instant

    package init(at now: Instant) { lastBeat = now }

    /// When the next beat is due.
    package var nextBeat: Instant { lastBeat + Self.interval }

    /// Something ran.
    ///
    /// - Returns: What stood still up to now.
    package mutating func beat(at now: Instant) -> Standstill? {
        let before = lastBeat
        lastBeat = max(before, now)
        guard now - before >= Self.interval + Self.lateness else { return nil }
        last = Standstill(from: before, through: now)
        return last
    }
}
