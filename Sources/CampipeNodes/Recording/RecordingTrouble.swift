import CampipeKit

/// Tells how it is with a recording that runs and does not record: it pauses, or the disk does not answer.
///
/// A timer on another thread looks whether a call has returned; the recording's own thread may be stuck in it.
final class RecordingTrouble: Sendable {
    /// After so long a call is stuck.
    static let patience = Duration.seconds(10)

    private struct State {
        /// Why it pauses.
        var pause: String?
        /// Since when the call at hand is under way.
        var since: Instant?
        var isStuck = false
        var timer: Timer?
    }

    private let teller: TroubleTeller
    private let clock: any PipelineClock
    private let log: Log
    private let state = Lock(State())

    init(_ teller: TroubleTeller, clock: any PipelineClock, log: Log) {
        self.teller = teller
        self.clock = clock
        self.log = log
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    /// The recording pauses for a reason, or with nil no more.
    func tell(pause: String?) {
        state.withLock { $0.pause = pause }
        tell()
    }

    /// Does something that may be stuck in a call to the disk.
    func watched<Result>(_ body: () throws -> Result) rethrows -> Result {
        let now = clock.now
        let needsTimer = state.withLock { state in
            state.since = now
            return state.timer?.isPending != true
        }
        if needsTimer { look(at: now + Self.patience) }
        defer { returned() }
        return try body()
    }

    private func returned() {
        let since = state.withLock { state -> Instant? in
            defer { (state.since, state.isStuck) = (nil, false) }
            return state.isStuck ? state.since : nil
        }
        guard let since else { return }
        log.warning("the disk answers again", ["after": clock.now - since])
        tell()
    }

    /// Looks at an instant whether a call is stuck. One timer serves many calls.
    private func look(at instant: Instant) {
        let timer = clock.schedule(at: instant) { [weak self] in self?.look() }
        state.withLock { $0.timer = timer }
    }

    private func look() {
        let now = clock.now
        let (isStuck, next) = state.withLock { state -> (Bool, Instant?) in
            guard let since = state.since, !state.isStuck else { return (false, nil) }
            guard now - since >= Self.patience else { return (false, since + Self.patience) }
            state.isStuck = true
            return (true, nil)
        }
        if let next { look(at: next) }
        guard isStuck else { return }
        log.error("the disk does not answer: a call has not returned", ["for": Self.patience])
        tell()
    }

    private func tell() {
        teller.tell(
            state.withLock { state in
                if state.isStuck { return .stalled("the disk does not answer: a call has not returned for 10 s") }
                return state.pause.map(NodeTrouble.waiting)
            })
    }
}
