import CampipeKit

/// A queue of item headers, one word each, that grows by doubling and is never shared.
struct ItemRing {
    private var slots: ContiguousArray<ItemStorage?>
    private var head = 0
    private(set) var count = 0

    init() { slots = ContiguousArray(repeating: nil, count: 8) }

    var isEmpty: Bool { count == 0 }

    subscript(position: Int) -> ItemStorage {
        guard position < count, let item = slots[index(position)] else {
            preconditionFailure("item \(position) of \(count)")
        }
        return item
    }

    mutating func append(_ item: consuming ItemStorage) {
        if count == slots.count { grow() }
        slots[index(count)] = item
        count += 1
    }

    mutating func popFirst() -> ItemStorage? {
        guard count > 0 else { return nil }
        let item = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return item
    }

    mutating func removeLast() -> ItemStorage? {
        guard count > 0 else { return nil }
        count -= 1
        return slots[index(count)].take()
    }

    /// Takes one from the middle; what is behind it moves up.
    mutating func remove(at position: Int) -> ItemStorage {
        let removed = self[position]
        for later in position..<(count - 1) { slots[index(later)] = slots[index(later + 1)].take() }
        count -= 1
        slots[index(count)] = nil
        return removed
    }

    /// Puts `change`'s result in the place of an item, without a second reference to it meanwhile.
    mutating func replace(at position: Int, _ change: (consuming ItemStorage) -> ItemStorage) {
        guard let item = slots[index(position)].take() else { preconditionFailure("item \(position) of \(count)") }
        slots[index(position)] = change(item)
    }

    private func index(_ position: Int) -> Int { (head + position) & (slots.count - 1) }

    private mutating func grow() {
        var larger = ContiguousArray<ItemStorage?>(repeating: nil, count: slots.count * 2)
        for position in 0..<count { larger[position] = slots[index(position)].take() }
        slots = larger
        head = 0
    }
}
