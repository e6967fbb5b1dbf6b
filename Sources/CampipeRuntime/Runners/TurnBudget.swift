import CampipeKit

/// When a turn is to end: after 32 items, when the links have no more room, or after a millisecond.
struct TurnBudget {
    private var items: Int
    private let room: Int
    private let clock: any PipelineClock
    /// In nanoseconds, as all here, since `Duration` counts in 128 bits.
    private let end: Int64
    private var isSlow = false
    /// Whether the turn is to end.
    private(set) var isUsed = false

    static let maxItems = 32
    static let maxTime: Int64 = 1_000_000
    /// A node that takes longer for an item is asked for the time after each.
    private static let slowItem: Int64 = 50_000

    init(room: Int, clock: any PipelineClock) {
        items = Self.maxItems
        self.room = room
        self.clock = clock
        end = clock.now.nanoseconds + Self.maxTime
    }

    /// Whether another item may be taken after one that left `emitted` items for the links.
    ///
    /// The clock is read at the first, and then at each of a slow node, at every sixteenth of a fast one.
    mutating func goesOn(emitted: Int) -> Bool {
        isUsed = !allows(emitted: emitted)
        return !isUsed
    }

    private mutating func allows(emitted: Int) -> Bool {
        items -= 1
        guard items > 0, emitted < room else { return false }
        if isSlow || items == Self.maxItems - 1 || items & 15 == 0 {
            let now = clock.now.nanoseconds
            if now >= end { return false }
            isSlow = end - now < Self.maxTime - Self.slowItem
        }
        return true
    }
}
