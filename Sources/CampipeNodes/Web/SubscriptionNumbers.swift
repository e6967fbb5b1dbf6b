import CampipeKit

/// The numbers of a sink's subscriptions, from 1 on. Who asks for the same again a moment after the last one left gets
/// the same number, so that nothing in the graph changes, however many come and go. A value without clock.
struct SubscriptionNumbers {
    private struct Resting {
        let request: ViewerRequest
        let number: Demand.ID
        let end: Instant
    }
    private var last: Demand.ID = 0
    /// In the order of their ends.
    private var resting: [Resting] = []

    /// For as long the runtime keeps what was made for a subscription.
    private static let rest = Duration.seconds(2)
    private static let mostResting = 16

    init() {}

    /// The number for a request, which has none now.
    mutating func begin(_ request: ViewerRequest, at now: Instant) -> Demand.ID {
        resting.removeAll { $0.end <= now }
        if let place = resting.firstIndex(where: { $0.request == request }) {
            return resting.remove(at: place).number
        }
        last += 1
        return last
    }

    /// Nobody asks for it any more.
    mutating func end(_ number: Demand.ID, of request: ViewerRequest, at now: Instant) {
        resting.append(Resting(request: request, number: number, end: now + Self.rest))
        if resting.count > Self.mostResting { resting.removeFirst() }
    }
}
