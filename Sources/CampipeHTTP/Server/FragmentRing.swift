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
        /// How many pictures came before it.
        fileprivate(set) var picture = 0

        init(
            message: Outgoing, start: Outgoing, isKey: Bool, at: Instant, heardStart: Outgoing? = nil,
            isSound: Bool = false
        ) {
            (self.message, self.start, self.isKey, self.at) = (message, start, isKey, at)
            (self.heardStart, self.isSound) = (heardStart, isSound)
        }
    }

    /// Where a viewer is: the number of the fragment that is its turn, and that of the picture.
    struct Place: Equatable {
        var number: Int
        var picture: Int
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
    /// How many pictures ever came.
    private var pictures = 0

    /// - Parameter maxBytes: A group that is larger is given up: viewers wait for the next keyframe.
    init(maxBytes: Int = 32 << 20) { self.maxBytes = maxBytes }

    var count: Int { entries.count }
    private var end: Int { first + entries.count }

    /// Adds the newest one. Without the keyframe in front of it, it is of no use to anybody and only counted.
    mutating func append(_ entry: Entry) {
        var entry = entry
        entry.picture = pictures
        if !entry.isSound { pictures += 1 }
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

    /// How many pictures from a viewer's place on are held no more.
    func missed(before place: Place?) -> Int {
        place.map { max(0, (entries.first?.picture ?? pictures) - $0.picture) } ?? 0
    }

    /// What comes next for a viewer.
    ///
    /// - Parameters:
    ///   - place: Where it is; nil of a new viewer, and while it waits for its first fragment. It is moved to behind the
    ///     one that is returned.
    ///   - hears: Whether sound is for it too.
    /// - Returns: The fragment and how many pictures were left out before it; nil when there is nothing to send yet.
    func next(_ place: inout Place?, now: Instant, hears: Bool = true) -> (entry: Entry, skipped: Int)? {
        if !hears, let own = place?.number, own >= first {
            place?.number = (own..<end).first { !entries[$0 - first].isSound } ?? end
        }
        guard let own = place else {
            guard let key = keys.last, let newest = entries.last, now - newest.at <= Self.freshness else { return nil }
            return (go(to: key, &place), 0)
        }
        guard own.number < end else { return nil }
        let isBehind = own.number < first || now - entries[own.number - first].at > Self.patience
        if isBehind, let key = keys.last, key > own.number {
            let entry = go(to: key, &place)
            return (entry, entry.picture - own.picture)
        }
        guard own.number >= first else { return nil }
        return (go(to: own.number, &place), 0)
    }

    private func go(to number: Int, _ place: inout Place?) -> Entry {
        let entry = entries[number - first]
        place = Place(number: number + 1, picture: entry.picture + (entry.isSound ? 0 : 1))
        return entry
    }

    /// How much comes in a second, by what is held; nil while that says nothing.
    var bytesPerSecond: Int? {
        guard let oldest = entries.first, let newest = entries.last, newest.at - oldest.at >= .milliseconds(200)
        else { return nil }
        return Int(Double(byteCount) / (newest.at - oldest.at).seconds)
    }
}
