/// Decides when something that recurs is said: at once the first time, then at most once a second with the count since.
public struct RecurringNote: Sendable {
    private let every: Duration
    private var count = 0
    private var lastSaid: Instant?

    /// How often it happened since it was last said: for the end, when there is no other time to say it.
    public var untold: Int { count }

    public init(every: Duration = .seconds(1)) { self.every = every }

    /// It happened again.
    ///
    /// - Returns: How often it happened since it was last said, when it is time to say so; nil otherwise.
    public mutating func happened(_ times: Int = 1, at now: Instant) -> Int? {
        count += times
        if let lastSaid, now - lastSaid < every { return nil }
        defer { count = 0 }
        lastSaid = now
        return count
    }
}
