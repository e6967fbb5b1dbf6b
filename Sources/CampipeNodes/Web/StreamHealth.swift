import CampipeKit

/// How the pictures of a stream come: alive, late, or not at all, and how many a second. A value without clock.
///
/// After `max(2 s, 3 intervals)` without a new picture the last one must not pass for live (design 4.5). The time counts
/// from when somebody began to look, if that was later: nobody makes pictures that nobody wants.
struct StreamHealth: Sendable {
    enum Condition: Hashable, Sendable {
        case live
        /// The last picture is too old to pass for live.
        case stale
        /// The camera was lost, or there never was a picture.
        case lost
    }

    private var times: [Instant] = []
    private var pace = StreamRate()
    /// Between two pictures: as asked for at least, then as seen.
    private var interval: Duration
    /// Between two pictures of the source, as far as that is known beside.
    private var usual = Duration.zero
    /// When the newest picture of the source came, as far as that is known beside.
    private var heardOf: Instant?
    private var last: Instant?
    private var openedAt: Instant?
    private(set) var lostSince: Instant?

    private static let span = 16
    private static let leastPatience = Duration.seconds(2)

    /// - Parameters:
    ///   - rate: How many a second were asked for at most, if that is known.
    ///   - last: When the last picture was taken that is known of.
    init(rate: Double? = nil, last: Instant? = nil) {
        interval = rate.map { .seconds(1 / $0) } ?? .zero
        self.last = last
    }

    /// A picture came, taken at that time.
    mutating func came(_ taken: Instant) {
        if times.count == Self.span { times.removeFirst() }
        times.append(taken)
        pace.came(taken)
        if let first = times.first, times.count > 1, taken > first { interval = (taken - first) / (times.count - 1) }
        last = max(last ?? taken, taken)
        if let lostSince, taken > lostSince { self.lostSince = nil }
    }

    /// Somebody begins to look; what came before does not count for the pace.
    mutating func opened(at now: Instant) {
        openedAt = now
        times = []
        pace.reset()
    }

    /// The camera was lost: what was taken up to then is the last of it. Of news that comes late, by another way, and
    /// is older than what was seen since, nothing follows.
    mutating func lost(since: Instant) {
        guard since >= last ?? since else { return }
        lostSince = since
        times = []
        pace.reset()
    }

    /// The source tells how it gave pictures of late, also those that were not made for this stream: how far apart they
    /// are, and that it is back.
    mutating func heard(_ news: SourceNews, at now: Instant) {
        usual = news.interval ?? usual
        heardOf = news.newest ?? heardOf
        guard let since = lostSince, let newest = news.newest, newest > since else { return }
        lostSince = nil
        if openedAt != nil { openedAt = now }
    }

    var isLost: Bool { lostSince != nil }
    var hasSeenAny: Bool { last != nil }

    /// A picture as old is given to who waits for one; after an older one others follow at once. Not those of a source
    /// that gives fewer than one a second.
    var freshness: Duration { usual <= .seconds(1) ? .seconds(1) : patience }

    /// How long after a picture the next may come before it counts as late.
    var patience: Duration { max(Self.leastPatience, max(interval, usual) * 3) }

    func condition(at now: Instant) -> Condition {
        if isLost { return .lost }
        guard let reference else { return .live }
        if now - reference < patience { return .live }
        return last == nil ? .lost : .stale
    }

    /// When the condition has to be looked at again; nil while nothing can change by itself.
    func nextLook(after now: Instant) -> Instant? {
        guard condition(at: now) == .live else { return now + .seconds(1) }
        return reference.map { $0 + patience }
    }

    /// Pictures a second of late; 0 when they do not come.
    func rate(at now: Instant) -> Double {
        condition(at: now) == .live ? pace.perSecond(now: now) : 0
    }

    private var reference: Instant? {
        guard let last, let openedAt else { return last ?? openedAt }
        // Of a source that gave nothing by then there was nothing to wait for.
        if let heardOf, openedAt - heardOf >= patience { return last }
        return max(last, openedAt)
    }
}
