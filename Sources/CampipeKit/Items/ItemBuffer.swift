/// A row of item headers that are put in at the end and taken out by position, moved and never copied.
///
/// It keeps its memory when it is emptied. Touched by one thread at a time. For the runtime; a plain array of
/// references costs about twice as much an item.
@safe @usableFromInline package final class ItemBuffer: @unchecked Sendable {
    // Whoever holds it hands it on whole: a node in its turn, a link under its lock.
    @usableFromInline var base: UnsafeMutablePointer<ItemStorage?>
    @usableFromInline var capacity: Int
    @usableFromInline package internal(set) var count = 0
    /// How many places are empty, so that a buffer all of which was taken is emptied without a look at each.
    @usableFromInline var holes = 0

    package init() {
        capacity = 32
        unsafe base = UnsafeMutablePointer.allocate(capacity: 32)
    }

    deinit {
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    @inlinable package var isEmpty: Bool { count == 0 }

    /// Adds an item at the end.
    @inlinable package func append(_ item: consuming ItemStorage) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: item)
        count += 1
    }

    /// The item at a position, left where it is; nil where it was taken.
    @inlinable package subscript(position: Int) -> ItemStorage? {
        precondition(position >= 0 && position < count, "item \(position) of \(count)")
        return unsafe base[position]
    }

    /// Takes the item at a position out; its place stays, empty.
    @inlinable package func take(_ position: Int) -> ItemStorage? {
        precondition(position >= 0 && position < count, "item \(position) of \(count)")
        guard let item = unsafe base[position].take() else { return nil }
        holes += 1
        return item
    }

    /// Moves the times of the item at a position, with a header of its own if others hold it.
    package func shift(_ position: Int, by offset: Duration, captured: Instant) {
        guard var item = take(position) else { return }
        if !isKnownUniquelyReferenced(&item) { item = item.copy() }
        item.shift(by: offset, captured: captured)
        unsafe base[position] = item
        holes -= 1
    }

    /// Forgets all items, keeping the memory.
    package func removeAll() {
        // An empty place is a null reference, which needs no release.
        if holes < count { unsafe base.deinitialize(count: count) }
        count = 0
        holes = 0
    }

    @usableFromInline func grow() {
        let larger = UnsafeMutablePointer<ItemStorage?>.allocate(capacity: capacity * 2)
        unsafe larger.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity *= 2
    }
}
