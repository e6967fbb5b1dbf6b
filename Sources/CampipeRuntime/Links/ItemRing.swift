import CampipeKit

/// A queue of item headers, one word each, that grows by doubling; moved and never copied.
///
/// Touched by one thread at a time, such as under a link's lock.
@safe final class ItemRing: @unchecked Sendable {
    // Whoever holds it hands it on whole: a link under its lock.
    private var slots: UnsafeMutablePointer<ItemStorage?>
    private var capacity: Int
    private var head = 0
    private(set) var count = 0

    init() {
        capacity = 8
        unsafe slots = Self.allocate(8)
    }

    deinit {
        unsafe slots.deinitialize(count: capacity)
        unsafe slots.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    subscript(position: Int) -> ItemStorage {
        guard position < count, let item = unsafe slots[index(position)] else {
            preconditionFailure("item \(position) of \(count)")
        }
        return item
    }

    func append(_ item: consuming ItemStorage) {
        if count == capacity { grow() }
        unsafe slots[index(count)] = item
        count += 1
    }

    func popFirst() -> ItemStorage? {
        guard count > 0 else { return nil }
        let item = unsafe slots[head].take()
        head = (head + 1) & (capacity - 1)
        count -= 1
        return item
    }

    /// Moves the first ones into `batch`: at least one, then until `byteLimit` is reached.
    func move(_ most: Int, byteLimit: Int, into batch: inout Batch) -> (count: Int, bytes: Int) {
        var moved = 0
        var bytes = 0
        while moved < most, moved == 0 || bytes < byteLimit {
            guard let item = unsafe slots[(head + moved) & (capacity - 1)].take() else { break }
            bytes += item.byteCount
            moved += 1
            batch.append(item)
        }
        head = (head + moved) & (capacity - 1)
        count -= moved
        return (moved, bytes)
    }

    /// Takes one from the middle; what is behind it moves up.
    func remove(at position: Int) -> ItemStorage {
        let removed = self[position]
        for later in position..<(count - 1) { unsafe slots[index(later)] = slots[index(later + 1)].take() }
        count -= 1
        unsafe slots[index(count)] = nil
        return removed
    }

    /// Marks the item at a position, with a header of its own if others hold it.
    func insert(_ flags: ItemFlags, at position: Int) {
        guard var item = unsafe slots[index(position)].take() else {
            preconditionFailure("item \(position) of \(count)")
        }
        if !isKnownUniquelyReferenced(&item) { item = item.copy() }
        item.flags.formUnion(flags)
        unsafe slots[index(position)] = item
    }

    private func index(_ position: Int) -> Int { (head + position) & (capacity - 1) }

    private func grow() {
        let larger = unsafe Self.allocate(capacity * 2)
        for position in 0..<count { unsafe larger[position] = slots[index(position)].take() }
        unsafe slots.deinitialize(count: capacity)
        unsafe slots.deallocate()
        unsafe slots = larger
        capacity *= 2
        head = 0
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<ItemStorage?> {
        let slots = UnsafeMutablePointer<ItemStorage?>.allocate(capacity: capacity)
        unsafe slots.initialize(repeating: nil, count: capacity)
        return unsafe slots
    }
}
