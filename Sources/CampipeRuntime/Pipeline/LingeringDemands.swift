import CampipeKit

/// The subscriptions that ended and keep their chains for a moment, for a viewer that comes back.
struct LingeringDemands {
    private struct Entry {
        let number: Int
        let timer: Timer
    }
    private var entries: [String: [Demand.ID: Entry]] = [:]
    private var count = 0

    /// How long a subscription that ended keeps its chain.
    static let linger = Duration.seconds(2)

    init() {}

    /// Arranges to be told when the chain may go.
    ///
    /// - Parameter lingered: Told the number that tells this time from others.
    mutating func begin(
        _ node: String, _ id: Demand.ID, clock: any PipelineClock, lingered: @escaping @Sendable (Int) -> Void
    ) {
        count += 1
        let number = count
        let timer = clock.schedule(at: clock.now + Self.linger) { lingered(number) }
        entries[node, default: [:]][id] = Entry(number: number, timer: timer)
    }

    /// It came back, or ended once more.
    mutating func cancel(_ node: String, _ id: Demand.ID) { entries[node]?.removeValue(forKey: id)?.timer.cancel() }

    /// Its time is over.
    ///
    /// - Returns: Whether the chain may go; not if it came back since.
    mutating func end(_ node: String, _ id: Demand.ID, _ number: Int) -> Bool {
        guard entries[node]?[id]?.number == number else { return false }
        entries[node]?[id] = nil
        return true
    }

    mutating func cancelAll() {
        for entry in entries.values.flatMap(\.values) { entry.timer.cancel() }
        entries = [:]
    }
}
