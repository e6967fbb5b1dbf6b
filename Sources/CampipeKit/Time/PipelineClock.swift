/// What tells the time and rings later; the only door to both, so that a test owns them.
///
/// Any thread may call it. Work given to `schedule` runs on a thread of the clock's choosing, must not block, and may
/// be called at most once.
public protocol PipelineClock: Sendable {
    /// Now, on the pipeline's monotonic line.
    var now: Instant { get }
    /// Now, in the world's time.
    var wallTime: WallTime { get }
    /// Runs `work` at `instant` or soon after it; at once if it has passed.
    ///
    /// - Returns: What cancels it. Letting it go does not cancel.
    @discardableResult
    func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) -> Timer
}

extension PipelineClock {
    /// The world's time at an instant of this clock, taking both as they stand now.
    public func wallTime(at instant: Instant) -> WallTime { wallTime + (instant - now) }
}

/// A call that a clock owes.
public final class Timer: Sendable {
    private let work: Lock<(@Sendable () -> Void)?>

    public init(_ work: @escaping @Sendable () -> Void) { self.work = Lock(work) }

    /// Forgets the call, unless it has begun.
    public func cancel() { work.withLock { $0 = nil } }

    /// Runs the call, once, unless it was cancelled. For clocks.
    public func fire() {
        let owed = work.withLock { state -> (@Sendable () -> Void)? in
            defer { state = nil }
            return state
        }
        owed?()
    }

    /// Whether the call is still owed.
    public var isPending: Bool { work.withLock { $0 != nil } }
}
