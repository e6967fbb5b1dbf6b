/// What a link does with an item that comes when it is full.
package enum WhenFull: String, Sendable, CaseIterable {
    /// The producer is not scheduled until the link is half empty.
    case block
    /// The newest replaces the waiting one.
    case latest
    case dropOldest = "drop_oldest"
    case dropNewest = "drop_newest"
    /// Whole groups up to the next keyframe go, never a reference alone.
    case dropGOP = "drop_gop"
}

/// The policy of a link and its limits; whichever is reached first makes it full. An item alone is always admitted.
package struct LinkPolicy: Hashable, Sendable {
    package var whenFull: WhenFull
    package var maxItems: Int
    package var maxBytes: Int
    /// Newest minus oldest `captured`.
    package var maxAge: Duration?

    package init(_ whenFull: WhenFull, maxItems: Int, maxBytes: Int = 256 << 20, maxAge: Duration? = nil) {
        self.whenFull = whenFull
        self.maxItems = maxItems
        self.maxBytes = maxBytes
        self.maxAge = maxAge
    }

    /// What is not live: nothing is lost, the slowest branch sets the pace.
    package static let block = LinkPolicy(.block, maxItems: 32, maxBytes: 32 << 20)
    /// Live frames and live intra-coded packets.
    package static let latest = LinkPolicy(.latest, maxItems: 1)
    /// Live events.
    package static let events = LinkPolicy(.dropOldest, maxItems: 1024)
    /// Live inter-coded packets.
    package static let gop = LinkPolicy(.dropGOP, maxItems: 4096, maxAge: .seconds(1))
    /// Recordings of live intra-coded packets, and of live frames that are still to be encoded.
    package static let record = LinkPolicy(.dropNewest, maxItems: 4096, maxBytes: 64 << 20, maxAge: .seconds(10))
    /// Recordings of live inter-coded packets.
    package static let recordGOP = LinkPolicy(.dropGOP, maxItems: 4096, maxBytes: 64 << 20, maxAge: .seconds(10))
}
