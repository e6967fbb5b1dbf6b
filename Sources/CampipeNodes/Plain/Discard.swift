import CampipeKit

/// Takes all and keeps nothing: for tests, benchmarks and branches that only serve their events.
struct Discard<Input: Item>: Sink {
    static var name: String { "discard" }
    static var summary: String { "Takes everything and does nothing with it." }

    mutating func consume(_ item: consuming Input) throws -> Next { .more }
}
