import CampipeKit

/// How many pictures a second came of late, from the times of the last ones. A value without clock.
struct StreamRate: Sendable {
    private var times: [Instant] = []
    private static let span = 16

    mutating func came(_ captured: Instant) {
        if times.count == Self.span { times.removeFirst() }
        times.append(captured)
    }

    mutating func reset() { times = [] }

    /// 0 when nothing came for as long as three pictures take, at least two seconds.
    func perSecond(now: Instant) -> Double {
        guard let first = times.first, let last = times.last, times.count > 1, last > first else { return 0 }
        let interval = (last - first) / (times.count - 1)
        return now - last > max(interval * 3, .seconds(2)) ? 0 : 1 / interval.seconds
    }
}
