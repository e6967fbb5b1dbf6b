package import CampipeKit

/// What a consumer took from a link, or a producer has for one: items, and what stands between them.
package struct Batch {
    private let items = ItemBuffer()
    /// Controls with the number of items that come before each.
    package var controls: [(at: Int, control: Control)] = []
    private var nextItem = 0
    private var nextControl = 0

    package init() {}

    /// The next of either, in order; nil when all is taken.
    package enum Entry {
        case item(ItemStorage)
        case control(Control)
    }

    package var isEmpty: Bool { nextItem == items.count && nextControl == controls.count }

    /// The next control, if one stands before the next item.
    package mutating func takeControl() -> Control? {
        guard nextControl < controls.count, controls[nextControl].at <= nextItem else { return nil }
        nextControl += 1
        return controls[nextControl - 1].control
    }

    /// The next item. Controls in front of it must have been taken.
    package mutating func takeItem() -> ItemStorage? {
        guard nextItem < items.count else { return nil }
        let item = items.take(nextItem)
        nextItem += 1
        return item
    }

    /// When the next item was captured; nil if there is none, or a control stands before it.
    package var headCaptured: Instant? {
        guard nextItem < items.count, nextControl == controls.count || controls[nextControl].at > nextItem else {
            return nil
        }
        return items[nextItem]?.captured
    }

    /// Forgets what was taken, keeping the memory.
    package mutating func reset() {
        items.removeAll()
        controls.removeAll(keepingCapacity: true)
        nextItem = 0
        nextControl = 0
    }

    /// Adds an item at the end.
    package mutating func append(_ item: consuming ItemStorage) { items.append(item) }
    /// Puts a control behind the items so far; two gaps without an item between them are one.
    package mutating func append(_ control: Control) {
        if case .gap(let gap) = control, let last = controls.last, last.at == items.count,
            case .gap(let before) = last.control
        {
            controls[controls.count - 1].control = .gap(before.merged(with: gap))
        } else {
            controls.append((items.count, control))
        }
    }

    /// How many items have not been taken.
    package var remaining: Int { items.count - nextItem }

    /// Leaves out what has not been taken.
    ///
    /// - Returns: How many items that are, and the gap that they and the gaps among them make.
    package mutating func giveUp(_ reason: DropReason) -> (count: Int, gap: Gap?) {
        let count = remaining
        var gap: Gap?
        while !isEmpty {
            let one: Gap
            if let control = takeControl() {
                guard let other = control.gap else { continue }
                one = other
            } else if let item = takeItem() {
                one = Gap(reason, at: item.captured)
            } else {
                break
            }
            gap.merge(one)
        }
        return (count, gap)
    }
}
