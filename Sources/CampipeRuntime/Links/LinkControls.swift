import CampipeKit

/// What stands between the items of a link, each at the position of the item that it comes before. A value.
///
/// Positions count the items that were ever put in, so that they stay when items are taken. Nothing of it is dropped,
/// but gaps at one position are one, and of the formats at one position only the last is kept.
struct LinkControls {
    private var entries: [(position: Int, control: Control)] = []

    init() {}

    var isEmpty: Bool { entries.isEmpty }
    /// The position of the first one.
    var first: Int? { entries.first?.position }

    /// All its gaps in one.
    var gap: Gap? {
        var gap: Gap?
        for entry in entries { gap.merge(entry.control.gap) }
        return gap
    }

    mutating func append(_ control: Control, at position: Int) { entries.append((position, control)) }

    /// Puts a gap behind what stands at the end; at most one stands between two items.
    mutating func append(gap: Gap, at position: Int) {
        guard let index = entries.lastIndex(where: { $0.position == position && $0.control.gap != nil }),
            let other = entries[index].control.gap
        else { return append(.gap(gap), at: position) }
        entries[index].control = .gap(other.merged(with: gap))
    }

    /// Puts a gap where dropped items stood: before the item at `position`, and before formats that came after them.
    mutating func insert(gap: Gap, before position: Int) {
        if let first = entries.firstIndex(where: { $0.position == position && $0.control.gap != nil }) {
            var merged = gap
            for entry in entries where entry.position == position {
                if let other = entry.control.gap { merged = merged.merged(with: other) }
            }
            entries[first].control = .gap(merged)
            entries = entries.enumerated().filter { index, entry in
                index <= first || entry.position != position || entry.control.gap == nil
            }.map(\.element)
        } else {
            let index = entries.firstIndex { $0.position >= position } ?? entries.count
            entries.insert((position, .gap(gap)), at: index)
        }
        keepLastFormat(before: position)
    }

    /// Of formats without an item between them only the last one matters; so a link where nothing is taken stays small.
    mutating func keepLastFormat(before position: Int) {
        guard let last = entries.lastIndex(where: { $0.position == position && $0.control.isFormat }),
            let first = entries.firstIndex(where: { $0.position == position && $0.control.isFormat }), first < last
        else { return }
        let kept = entries[first..<last].filter { !$0.control.isFormat }
        entries.replaceSubrange(first..<last, with: kept)
    }

    /// The items before `position` are gone: what stood among them stands before the item there now, in its order.
    mutating func dropped(before position: Int) {
        for index in entries.indices where entries[index].position < position { entries[index].position = position }
    }

    /// The one item at `position` is gone; those behind it move up.
    mutating func dropped(at position: Int) {
        for index in entries.indices where entries[index].position > position { entries[index].position -= 1 }
    }

    mutating func removeFirst() -> Control { entries.removeFirst().control }
    mutating func removeAll() { entries.removeAll() }
}

extension Control {
    var gap: Gap? { if case .gap(let gap) = self { gap } else { nil } }
    var isFormat: Bool { if case .format = self { true } else { false } }
}
