import CampipeKit

/// What a live output of inter-coded packets gave from its newest keyframe on, for links that are made later: whoever
/// begins to look need not wait for the next keyframe. A value without clock.
///
/// It holds references; a group that is larger or longer than its limits is not kept.
struct KeptGroup {
    static let maxBytes = 8 << 20
    static let maxLength = Duration.seconds(12)
    /// What came last is not older, or the stream has stopped.
    static let freshness = Duration.seconds(2)

    private(set) var items: [ItemStorage] = []
    private var bytes = 0

    mutating func add(_ item: ItemStorage) {
        if item.flags.contains(.key) { clear() } else if items.isEmpty { return }
        items.append(item)
        bytes += item.byteCount
        if bytes > Self.maxBytes || item.captured - items[0].captured > Self.maxLength { clear() }
    }

    mutating func clear() {
        items.removeAll(keepingCapacity: true)
        bytes = 0
    }

    /// What a new link begins with: a keyframe and all that followed it; nothing where that is too old.
    func current(at now: Instant) -> [ItemStorage] {
        guard let newest = items.last, now - newest.captured <= Self.freshness else { return [] }
        return items
    }
}
