import CampipeKit

/// The newest fragments of a stream of video, and which of them a viewer is sent next. A value without clock.
///
/// It holds whole groups of pictures, each from its keyframe on: the newest one, and those before it that a viewer who is
/// less than `patience` behind still works at. A viewer gets fragment after fragment; who is further behind goes on at
/// the newest keyframe. So nobody is sent a picture without those that it refers to, and what is held is bounded, in
/// bytes too.
struct FragmentRing {
    struct Entry {
        let message: Outgoing
        /// What a player needs to know before it; the same object for all that it is true of.
        let start: Outgoing
        let isKey: Bool
        let at: Instant
        /// As `start`, with sound; nil where there is none.
        var heardStart: Outgoing?
        /// Whether it is sound: only for viewers that want it.
        var isSound = false
    }

    /// How far a viewer may be behind while there is a newer keyframe.
    static let patience = Duration.seconds(2)
    /// A new viewer is shown no picture that is older.
    static let freshness = Duration.seconds(2)

    private let maxBytes: Int
    private var entries: [Entry] = []
    /// The number of the first entry; each fragment that ever came has one.
    private var first = 0
    /// The numbers of the keyframes among the entries.
    private var keys: [Int] = []
    private(set) var byteCount = 0

    /// - Parameter maxBytes: A group that is larger is given up: viewers wait for the next keyframe.
    init(maxBytes: Int = 32 << 20) { self.maxBytes = maxBytes }

    var count: Int { entries.count }
    private var end: Int { first + entries.count }

    /// Adds the newest one. Without the keyframe in front of it, it is of no use to anybody and only counted.
    mutating func append(_ entry: Entry) {
        guard entry.isKey || !entries.isEmpty else {
            first += 1
            return
        }
        if entry.isKey { keys.append(end) }
        entries.append(entry)
        byteCount += entry.message.count
        while keys.count > 1, entries[keys[1] - 1 - first].at < entry.at - Self.patience || byteCount > maxBytes {
            drop(keys[1] - first)
        }
        if byteCount > maxBytes { drop(entries.count) }
    }

    /// Lets go of all; the next one is sent from a keyframe on.
    mutating func clear() { drop(entries.count) }

    private mutating func drop(_ count: Int) {
        for entry in entries[..<count] { byteCount -= entry.message.count }
        entries.removeFirst(count)
        first += count
        keys.removeAll { $0 < first }
    }

    /// How many fragments from a viewer's place on are held no more.
    func missed(before place: Int?) -> Int { place.map { max(0, first - $0) } ?? 0 }

    /// What comes next for a viewer.
    ///
    /// - Parameters:
    ///   - place: The number of the fragment that is its turn; nil of a new viewer, and while it waits for its first one.
    ///     It is moved to behind the one that is returned.
    ///   - hears: Whether sound is for it too.
    /// - Returns: The fragment and how many were left out before it; nil when there is nothing to send yet.
    func next(_ place: inout Int?, now: Instant, hears: Bool = true) -> (entry: Entry, skipped: Int)? {
        if !hears, var own = place, own >= first {
            while own < end, entries[own - first].isSound { own += 1 }
            place = own
        }
        guard let own = place else {
            guard let key = keys.last, let newest = entries.last, now - newest.at <= Self.freshness else { return nil }
            place = key + 1
            return (entries[key - first], 0)
        }
        guard own < end else { return nil }
        let isBehind = own < first || now - entries[own - first].at > Self.patience
        if isBehind, let key = keys.last, key > own {
            place = key + 1
            return (entries[key - first], key - own)
        }
        guard own >= first else { return nil }
        place = own + 1
        return (entries[own - first], 0)
    }

    /// How much comes in a second, by what is held; nil while that says nothing.
    var bytesPerSecond: Int? {
        guard let oldest = entries.first, let newest = entries.last, newest.at - oldest.at >= .milliseconds(200)
        else { return nil }
        return Int(Double(byteCount) / (newest.at - oldest.at).seconds)
    }
}
