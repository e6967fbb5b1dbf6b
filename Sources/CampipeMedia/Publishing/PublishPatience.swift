import CampipeKit

/// Decides when a call that waits for a server is given up: at its deadline, or a moment after somebody asked to stop. A
/// value without clock.
struct PublishPatience: Sendable {
    private var deadline = Instant.distantFuture
    private var grace = Duration.zero
    private var stopSeen: Instant?

    /// A call begins.
    ///
    /// - Parameters:
    ///   - limit: How long it may take.
    ///   - grace: How long it may go on once somebody asked to stop.
    mutating func begin(limit: Duration, grace: Duration, at now: Instant) {
        deadline = now + limit
        self.grace = grace
        stopSeen = nil
    }

    /// Whether the call is to be given up.
    mutating func isOver(at now: Instant, isStopping: Bool) -> Bool {
        if now >= deadline { return true }
        guard isStopping else { return false }
        let seen = stopSeen ?? now
        stopSeen = seen
        return now - seen >= grace
    }
}

/// What libavformat asks while it waits. On the connection's own thread.
final class PublishInterrupt {
    private let clock: any PipelineClock
    private let stop: StopFlag
    private var patience = PublishPatience()
    /// Whether the call at hand was given up.
    private(set) var hasGivenUp = false

    init(_ clock: any PipelineClock, _ stop: StopFlag) {
        self.clock = clock
        self.stop = stop
    }

    var isStopping: Bool { stop.isRaised }

    func begin(limit: Duration, grace: Duration) {
        hasGivenUp = false
        patience.begin(limit: limit, grace: grace, at: clock.now)
    }

    var isOver: Bool {
        if !hasGivenUp { hasGivenUp = patience.isOver(at: clock.now, isStopping: stop.isRaised) }
        return hasGivenUp
    }
}
