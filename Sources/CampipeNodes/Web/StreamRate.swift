import CampipeKit

/// How many pictures a second come of late, from the times of the last ones. A value without clock.
///
/// It is right from the second picture on. Pictures that came at once, as after a reader was held up, are made up for
/// by the time that follows them, also before the next one comes.
struct StreamRate: Sendable {
    private var times: [Instant] = []
    /// How much of the stream is looked at.
    private static let window = Duration.seconds(2)
    /// And how many pictures at most.
    private static let span = 120
    /// A stream that pauses for less still goes on.
    private static let patience = Duration.seconds(2)

    init() {}

    /// A picture came, taken at that time; after a pause, or where time goes back, it is the first of another stream.
    mutating func came(_ captured: Instant) {
        if let last = times.last, captured < last || times.count > 1 && captured - last > stall { times = [] }
        times.append(captured)
        let old = times.firstIndex { captured - $0 <= Self.window } ?? 0
        // Of a slow stream at least one interval.
        times.removeFirst(max(times.count - Self.span, min(old, times.count - 2), 0))
    }

    mutating func reset() { times = [] }

    /// How many a second; 0 when nothing came for as long as three pictures take, at least two seconds.
    func perSecond(now: Instant) -> Double {
        guard let interval, let first = times.first, let last = times.last, interval > .zero || now > last,
            now - last <= stall
        else { return 0 }
        // The next is overdue: the time since the last counts too.
        if now - last > interval { return Double(times.count) / (now - first).seconds }
        return 1 / interval.seconds
    }

    /// Between two pictures, on the average; nil before the second.
    private var interval: Duration? {
        guard let first = times.first, let last = times.last, times.count > 1 else { return nil }
        return (last - first) / (times.count - 1)
    }

    private var stall: Duration { max((interval ?? .zero) * 3, Self.patience) }
}
