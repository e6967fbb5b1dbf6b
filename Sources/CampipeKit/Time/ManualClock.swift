/// A clock that a test turns by hand.
///
/// Timers fire on the thread that calls `advance`, in order of their instants and, at one instant, in the order in
/// which they were scheduled; a timer scheduled by another fires in the same advance if it is due by then.
public final class ManualClock: PipelineClock {
    fileprivate struct State {
        var now: Instant
        var wall: WallTime
        var next = 0
        var pending: [(instant: Instant, order: Int, timer: Timer)] = []
    }
    private let state: Lock<State>

    /// - Parameters:
    ///   - now: Where the line starts.
    ///   - wall: The world's time then; by default 2026-01-01 00:00 UTC.
    public init(now: Instant = .zero, wall: WallTime = WallTime(microseconds: 1_767_225_600_000_000)) {
        state = Lock(State(now: now, wall: wall))
    }

    public var now: Instant { state.withLock { $0.now } }
    public var wallTime: WallTime { state.withLock { $0.wall } }

    @discardableResult
    public func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) -> Timer {
        let timer = Timer(work)
        state.withLock {
            $0.pending.append((instant, $0.next, timer))
            $0.next += 1
        }
        return timer
    }

    /// Moves the time on, firing each timer at its own instant.
    public func advance(by duration: Duration) { advance(to: now + duration) }

    /// Moves the time to `target`, firing each timer at its own instant; timers that are due fire even if no time
    /// passes.
    public func advance(to target: Instant) {
        while let timer = takeDue(by: target) { timer.fire() }
        state.withLock { $0.move(to: target) }
    }

    /// Sets the world's time without any passing: a clock that was set, a DST border.
    public func setWallTime(_ time: WallTime) { state.withLock { $0.wall = time } }

    /// The instant of the next call that is owed, if any.
    public var nextTimer: Instant? {
        state.withLock { state in
            state.pending.removeAll { !$0.timer.isPending }
            return state.pending.map(\.instant).min()
        }
    }

    private func takeDue(by target: Instant) -> Timer? {
        state.withLock { state -> Timer? in
            state.pending.removeAll { !$0.timer.isPending }
            let due = state.pending.indices.filter { state.pending[$0].instant <= target }
            guard
                let first = due.min(by: {
                    (state.pending[$0].instant, state.pending[$0].order)
                        < (state.pending[$1].instant, state.pending[$1].order)
                })
            else { return nil }
            let entry = state.pending.remove(at: first)
            state.move(to: entry.instant)
            return entry.timer
        }
    }
}

extension ManualClock.State {
    fileprivate mutating func move(to instant: Instant) {
        guard instant > now else { return }
        wall = wall + (instant - now)
        now = instant
    }
}
