/// What shows `captured` as the world's time: strftime in a text or a file's name.
///
/// Of what is live the clock tells it. A stream that is not live counts from its own start, and its source may know when
/// that was: a container says when it was recorded. Then the same file gives the same names and texts whenever it runs.
public struct CaptureTime: Sendable {
    private let isLive: Bool
    private let clock: any PipelineClock
    private let origin: StreamOrigin

    public init(isLive: Bool, clock: any PipelineClock, origin: StreamOrigin = StreamOrigin()) {
        self.isLive = isLive
        self.clock = clock
        self.origin = origin
    }

    /// The world's time at which `captured` was.
    ///
    /// - Parameter unknown: When a stream began that is not live and whose source does not know it.
    public func wallTime(at captured: Instant, unknown: WallTime = WallTime(microseconds: 0)) -> WallTime {
        if isLive { return clock.wallTime(at: captured) }
        return (origin.time ?? unknown) + (captured - .zero)
    }
}

/// When a stream that is not live began, in the world's time. Its source sets it before the first item; whoever is fed
/// by that source reads it.
public final class StreamOrigin: Sendable {
    private let began = Lock<WallTime?>(nil)

    public init() {}

    /// The time of `captured` zero; nil while it is not known.
    public var time: WallTime? { began.withLock { $0 } }
    /// Says when the stream began.
    public func set(_ time: WallTime) { began.withLock { $0 = time } }
}

/// The origins of a pipeline's sources, by their ids. For the runtime.
package final class StreamOrigins: Sendable {
    private let origins = Lock<[String: StreamOrigin]>([:])

    package init() {}

    /// The beginning of a source's stream, the same object for all that ask.
    package func origin(of source: String) -> StreamOrigin {
        origins.withLock { origins in
            if let origin = origins[source] { return origin }
            let origin = StreamOrigin()
            origins[source] = origin
            return origin
        }
    }
}
