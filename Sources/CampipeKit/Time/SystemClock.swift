import Dispatch
#if canImport(Glibc)
    import Glibc
#endif

/// The host's clocks: CLOCK_MONOTONIC for instants, CLOCK_REALTIME for the world's time, Dispatch for timers.
public struct SystemClock: PipelineClock {
    public init() {}

    public var now: Instant {
        Instant(nanoseconds: Int64(bitPattern: DispatchTime.now().uptimeNanoseconds))
    }

    public var wallTime: WallTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    @discardableResult
    public func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) -> Timer {
        let timer = Timer(work)
        let deadline = DispatchTime(uptimeNanoseconds: UInt64(max(instant.nanoseconds, 1)))
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: deadline) { timer.fire() }
        return timer
    }
}
