import CampipeKit

/// What a node asks for now, and what of it was told: only what is another in the end is told, however often it changed
/// meanwhile. A value without clock.
///
/// A wish that ends stays for a moment, for a viewer who comes back: so long, its chain is kept, and nobody hears of
/// it. Of those that stay there are so many at most; the one that ended first makes room.
struct Wishes {
    private struct Leaving {
        let id: Demand.ID
        let end: Instant
    }
    /// Those that stay among them.
    private var wanted: [Demand.ID: Want] = [:]
    private var told: [Demand.ID: Want] = [:]
    /// Where the two differ.
    private var changed: Set<Demand.ID> = []
    /// In the order of their ends.
    private var leaving: [Leaving] = []

    /// How long a wish that ended stays.
    static let linger = Duration.seconds(2)
    /// How many stay at once.
    static let mostLeaving = 16

    init() {}

    /// Whether there is something to tell.
    var hasNews: Bool { !changed.isEmpty }
    /// When `end` is to be called next.
    var nextEnd: Instant? { leaving.first?.end }

    /// Begins, changes or (with nil) ends a wish. One that ends before anybody was told of it never was.
    mutating func set(_ id: Demand.ID, _ want: Want?, at now: Instant) {
        leaving.removeAll { $0.id == id }
        if want != nil || told[id] == nil {
            put(id, want)
        } else if wanted[id] != nil {
            leaving.append(Leaving(id: id, end: now + Self.linger))
            if leaving.count > Self.mostLeaving { put(leaving.removeFirst().id, nil) }
        }
    }

    /// Ends those that stayed long enough.
    mutating func end(at now: Instant) {
        while let first = leaving.first, first.end <= now {
            leaving.removeFirst()
            put(first.id, nil)
        }
    }

    /// What changed since the last call, in the order of the numbers; it counts as told.
    mutating func take() -> [(id: Demand.ID, want: Want?)] {
        let changes = changed.sorted().map { (id: $0, want: wanted[$0]) }
        for (id, want) in changes { told[id] = want }
        changed = []
        return changes
    }

    private mutating func put(_ id: Demand.ID, _ want: Want?) {
        wanted[id] = want
        if want == told[id] { changed.remove(id) } else { changed.insert(id) }
    }
}
