/// Decides when something that recurs is said, with the count since it was last said: at once the first time, then less and
/// less often (after 1 s, 10 s, a minute, ten minutes, then hourly), so that what goes on for a day fills no log. When it
/// has not happened for a while, the next time is the first.
public struct RecurringNote: Sendable {
    private static let waits: [Duration] = [
        .seconds(1), .seconds(10), .seconds(60), .seconds(600), .seconds(3600),
    ]
    /// After so long without it, it is over.
    private static let over = Duration.seconds(600)

    private let every: Duration
    private var count = 0
    private var step = 0
    private var lastSaid: Instant?
    private var lastHappened: Instant?

    /// How often it happened since it was last said: for the end, when there is no other time to say it.
    public var untold: Int { count }

    /// - Parameter every: Not more often than this.
    public init(every: Duration = .seconds(1)) { self.every = every }

    /// It happened again.
    ///
    /// - Returns: How often it happened since it was last said, when it is time to say so; nil otherwise.
    public mutating func happened(_ times: Int = 1, at now: Instant) -> Int? {
        count += times
        defer { lastHappened = now }
        if let lastHappened, now - lastHappened >= Self.over { (step, lastSaid) = (0, nil) }
        if let lastSaid {
            guard now - lastSaid >= max(every, Self.waits[step]) else { return nil }
            step = min(step + 1, Self.waits.count - 1)
        }
        defer { count = 0 }
        lastSaid = now
        return count
    }
}
