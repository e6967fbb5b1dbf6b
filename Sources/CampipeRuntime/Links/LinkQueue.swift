package import CampipeKit

/// The bounded queue of a link, as a value: what waits, what was dropped and why, how far the stream is known.
///
/// It decides and keeps; it has no lock, no clock and wakes nobody. `Link` is the class around it. Items come in order
/// of `captured`; a control keeps its place among them and is never dropped.
package struct LinkQueue {
    package private(set) var policy: LinkPolicy
    package private(set) var ledger = Ledger()
    /// After how long an item is late, tested when it is taken; nil never tests.
    package var lateAfter: Duration?
    /// How many items a second it admits; nil is all.
    package var maxRate: Double? { didSet { if maxRate != oldValue { nextAdmission = .distantPast } } }
    /// Whether its consumer waits for another of its inputs, so that the limits are lifted (but `elasticBytes`).
    package var elasticity = Elasticity.none
    /// Where the consumer is a join whose primary has nothing up to then: what was captured before may go, the oldest
    /// first, when the limit of a join that waits is reached.
    package var spareThrough = Instant.distantPast
    package private(set) var isOpen = true
    /// Nothing captured at or before it is still to come.
    package private(set) var watermark = Instant.distantPast
    /// The producer said that nothing more comes.
    package private(set) var hasEnded = false
    package private(set) var bytes = 0

    private let items = ItemRing()
    private var controls = LinkControls()
    /// Items ever removed from the front, so that positions stay.
    private var removed = 0
    private var awaitsKeyframe = false
    /// How many of the first items came before the link was there; they are beyond its limits.
    private var lead = 0
    private var format: Format?
    /// What the last item weighed; nil before the first.
    private var lastItemBytes: Int?
    /// The earliest `captured` that the rate admits.
    private var nextAdmission = Instant.distantPast
    /// When it last gave an item, for the exemption from lateness.
    private var lastGave: Instant?
    /// What a closed link missed, told when it opens or ends.
    private var missed: Gap?
    /// Whether it begins, when it opens, with what it missed since the newest keyframe.
    package var keepsGroup = false { didSet { if !keepsGroup { group.clear() } } }
    private var group = KeptGroup()
    /// What it missed before that keyframe.
    private var missedBeforeGroup: Gap?
    /// Why what comes is dropped for ever: the consumer is gone.
    private var abandoned: DropReason?
    /// Whether it is gone since it failed.
    private var hasFailed = false

    /// Which limits are lifted.
    package enum Elasticity: Sendable {
        case none
        /// Those that would make a producer wait.
        case blocking
        /// All, so that nothing is dropped meanwhile.
        case all
    }

    private var isElastic: Bool { elasticity == .all || elasticity == .blocking && policy.whenFull == .block }

    /// What a join that waits lets pile up at most.
    package static let elasticBytes = 256 << 20
    /// What an item weighs there beside its payload, so that packets without one are bounded too.
    package static let headerBytes = 256
    /// After how long without an item the newest one passes although late.
    package static let exemptAfter = Duration.seconds(1)

    package init(_ policy: LinkPolicy, lateAfter: Duration? = nil, maxRate: Double? = nil, isOpen: Bool = true) {
        self.policy = policy
        self.lateAfter = lateAfter
        self.maxRate = maxRate
        self.isOpen = isOpen
    }

    package var count: Int { items.count }
    /// The position of the item that comes next.
    private var end: Int { removed + items.count }
    /// Whether the consumer is gone.
    package var isAbandoned: Bool { abandoned != nil }
    /// Whether there is anything to take, items or controls.
    package var hasEntries: Bool { !items.isEmpty || !controls.isEmpty }
    /// When the first waiting item was captured.
    package var headCaptured: Instant? { items.isEmpty ? nil : items[0].captured }

    // MARK: Room

    /// How many more items a producer may put in before it has to wait; only a blocking link makes anybody wait.
    package var room: Int {
        guard policy.whenFull == .block, isOpen, !hasEnded else { return Int.max }
        if isElastic { return weight < Self.elasticBytes || canSpare ? 32 : 0 }
        guard !isFull(adding: 0) else { return 0 }
        let byItems = policy.maxItems - items.count
        guard let lastItemBytes else { return 1 }
        return max(1, min(byItems, (policy.maxBytes - bytes) / max(lastItemBytes, 1)))
    }

    /// Whether a producer that waits may go on: half of what the limits allow is free again.
    package var isHalfEmpty: Bool {
        if isElastic { return weight < Self.elasticBytes || canSpare }
        return items.count <= policy.maxItems / 2 && bytes <= policy.maxBytes / 2
    }

    private var canSpare: Bool { !items.isEmpty && items[0].captured <= spareThrough }

    private var weight: Int { bytes + items.count * Self.headerBytes }

    /// Newest minus oldest `captured` of what waits.
    @inline(__always)
    private var age: Duration { items.isEmpty ? .zero : items[items.count - 1].captured - items[0].captured }

    /// Whether the limits are reached; an item alone is always admitted.
    @inline(__always)
    private func isFull(adding more: Int) -> Bool {
        guard items.count > lead else { return false }
        if isElastic { return weight + more > Self.elasticBytes }
        if items.count - lead >= policy.maxItems || bytes + more > policy.maxBytes { return true }
        guard let maxAge = policy.maxAge else { return false }
        return items[items.count - 1].captured - items[lead].captured >= maxAge
    }

    /// Whether more than half of what any limit allows is used.
    @inline(__always)
    private var isOverHalf: Bool { !isHalfEmpty || policy.maxAge.map { age > $0 / 2 } ?? false }

    // MARK: Putting in

    /// Offers an item: it waits, or it or others are dropped by the policy. Each way it is counted.
    package mutating func push(_ item: consuming ItemStorage) {
        ledger.offered += 1
        watermark = max(watermark, item.captured)
        guard isOpen, !hasEnded else {
            let reason = abandoned ?? .noDemand
            ledger.drop(reason)
            if hasFailed { ledger.inVain += 1 }
            if keepsGroup, abandoned == nil, !hasEnded, item.flags.contains(.live), format?.isInterCoded == true {
                if item.flags.contains(.key) { missedBeforeGroup = missed }
                group.add(item)
            }
            return miss(Gap(reason, at: item.captured))
        }
        if awaitsKeyframe, !item.flags.contains(.key) { return refuse(item, .brokenReference) }
        if let maxRate, !admits(item, rate: maxRate) { return refuse(item, .rate) }
        if awaitsKeyframe {
            awaitsKeyframe = false
            if dropsByKeyframe, isOverHalf || isFull(adding: item.byteCount) {
                dropFirst(items.count, .superseded)
            }
        }
        if isFull(adding: item.byteCount), !makeRoom(for: item) { return }
        lastItemBytes = item.byteCount
        bytes += item.byteCount
        items.append(item)
        ledger.queued += 1
    }

    /// Puts in what came before the link was there, from a keyframe on, so that nobody waits for the next one. The limits
    /// count what comes behind it; the keyframe is never late, so that something is to be seen while the rest is worked
    /// through.
    ///
    /// - Returns: False where that is of no use.
    package mutating func begin(with group: [ItemStorage]) -> Bool {
        guard policy.whenFull == .dropGOP, isOpen, !hasEnded, awaitsKeyframe, ledger.offered == 0,
            let key = group.first, key.flags.contains(.key)
        else { return false }
        begin(at: key, with: group)
        return true
    }

    private mutating func begin(at key: ItemStorage, with group: [ItemStorage]) {
        awaitsKeyframe = false
        let first = key.copy()
        first.flags.insert(.exempt)
        for item in [first] + group.dropFirst() {
            watermark = max(watermark, item.captured)
            bytes += item.byteCount
            items.append(item)
        }
        ledger.offered += group.count
        ledger.queued += group.count
        lead = group.count
    }

    /// Puts in the newest item of before it was there. A link that was closed meanwhile has told that it missed that one.
    package mutating func greet(_ item: consuming ItemStorage) {
        guard isOpen, !hasEnded, policy.whenFull != .block, item.captured > watermark else { return }
        push(item)
    }

    /// Puts in items of a port; the same as one by one, and cheaper where none of them can be refused.
    ///
    /// - Parameter takes: Whether they are taken out of `buffer`.
    package mutating func push(_ buffer: ItemBuffer, _ range: Range<Int>, takes: Bool) {
        guard policy.whenFull == .block, isOpen, !hasEnded, maxRate == nil, !awaitsKeyframe,
            spareThrough == .distantPast
        else {
            for index in range {
                if let item = takes ? buffer.take(index) : buffer[index] { push(item) }
            }
            return
        }
        var count = 0
        var newest = watermark
        var weight = 0
        for index in range {
            guard let item = takes ? buffer.take(index) : buffer[index] else { continue }
            count += 1
            newest = max(newest, item.captured)
            lastItemBytes = item.byteCount
            weight += item.byteCount
            items.append(item)
        }
        watermark = newest
        bytes += weight
        ledger.offered += count
        ledger.queued += count
    }

    /// Adds a control behind all that waits; it is never dropped.
    package mutating func push(_ control: Control) {
        guard abandoned == nil else { return }
        // What follows it does not go with what was before.
        if !isOpen { group.clear() }
        switch control {
        case .format(let new):
            if policy.whenFull != .block, format == nil, new.isInterCoded { awaitsKeyframe = true }
            format = new
            controls.append(control, at: end)
            controls.keepLastFormat(before: end)
        case .gap(let gap):
            watermark = max(watermark, gap.through)
            // A lost camera passes closed links too: the stream after it is another one.
            guard isOpen || gap.isLost else { return miss(gap) }
            controls.append(gap: gap, at: end)
        case .end:
            guard !hasEnded else { return }
            if let missed { controls.append(gap: missed, at: end) }
            missed = nil
            controls.append(control, at: end)
            hasEnded = true
        }
    }

    /// Makes room for an item on a full link, or drops it.
    ///
    /// - Returns: Whether the item is to be put in.
    private mutating func makeRoom(for item: borrowing ItemStorage) -> Bool {
        if dropsByKeyframe { return makeRoomByKeyframe(for: item) }
        switch policy.whenFull {
        case .block:
            while isElastic, canSpare, isFull(adding: item.byteCount) { dropFirst(1, .superseded) }
        case .latest:
            if isElastic {
                dropFirst(1, .full)
            } else {
                dropFirst(items.count, .superseded)
            }
        case .dropOldest, .dropGOP:
            while isFull(adding: item.byteCount) { dropFirst(1, .full) }
        case .dropNewest:
            refuse(item, .full)
            return false
        }
        return true
    }

    /// Whether the newest is preferred, and goes by keyframes: of an inter-coded stream nothing else decodes, whatever
    /// the policy says.
    private var dropsByKeyframe: Bool {
        switch policy.whenFull {
        case .dropGOP: true
        case .latest, .dropOldest: format?.isInterCoded == true
        case .block, .dropNewest: false
        }
    }

    /// First what nothing needs, then whole groups, then what comes until a keyframe.
    private mutating func makeRoomByKeyframe(for item: borrowing ItemStorage) -> Bool {
        if item.flags.contains(.disposable) {
            refuse(item, .full)
            return false
        }
        while isFull(adding: item.byteCount) {
            if let disposable = (0..<items.count).first(where: { items[$0].flags.contains(.disposable) }) {
                dropWaiting(at: disposable, .full)
            } else if let key = (1..<max(1, items.count)).last(where: { items[$0].flags.contains(.key) }) {
                dropFirst(key, .full)
            } else if item.flags.contains(.key) {
                dropFirst(items.count, .superseded)
            } else {
                awaitsKeyframe = true
                drop(captured: item.captured, .full)
                return false
            }
        }
        return true
    }

    private mutating func admits(_ item: borrowing ItemStorage, rate: Double) -> Bool {
        // Half a millisecond of tolerance, so that a 10-a-second stream with jitter passes a rate of 10.
        guard item.captured >= nextAdmission - .microseconds(500) else { return false }
        let interval = Duration.nanoseconds(Int64(1e9 / rate))
        let next = nextAdmission + interval
        // On the grid while the stream keeps up, from here when it paused.
        nextAdmission = nextAdmission == .distantPast || next < item.captured ? item.captured + interval : next
        return true
    }

    /// Drops an item that comes, and of an inter-coded stream what may need it.
    private mutating func refuse(_ item: borrowing ItemStorage, _ reason: DropReason) {
        if format?.isInterCoded == true, !item.flags.contains(.disposable) { awaitsKeyframe = true }
        drop(captured: item.captured, reason)
    }

    /// Counts an item that comes and is not put in.
    private mutating func drop(captured: Instant, _ reason: DropReason) {
        ledger.drop(reason)
        controls.append(gap: Gap(reason, at: captured), at: end)
    }

    private mutating func miss(_ gap: Gap) { missed.merge(gap) }

    // MARK: Dropping what waits

    private mutating func dropFirst(_ count: Int, _ reason: DropReason) {
        guard count > 0 else { return }
        var gap: Gap?
        for _ in 0..<count {
            guard let item = items.popFirst() else { break }
            bytes -= item.byteCount
            gap.merge(Gap(reason, at: item.captured))
        }
        removed += count
        lead = max(0, lead - count)
        ledger.queued -= count
        ledger.drop(reason, count)
        controls.dropped(before: removed)
        if let gap { controls.insert(gap: gap, before: removed) }
    }

    private mutating func dropWaiting(at position: Int, _ reason: DropReason) {
        let item = items.remove(at: position)
        if position < lead { lead -= 1 }
        bytes -= item.byteCount
        ledger.queued -= 1
        ledger.drop(reason)
        controls.dropped(at: removed + position)
        controls.insert(gap: Gap(reason, at: item.captured), before: removed + position)
    }

    // MARK: Taking

    /// Moves what waits into `batch`, in order.
    ///
    /// - Parameters:
    ///   - limit: How many items at most.
    ///   - byteLimit: How many bytes at most, after the first item.
    ///   - through: Items captured later stay; nil takes any.
    ///   - now: For lateness; read only where it is tested.
    package mutating func take(
        into batch: inout Batch, limit: Int, byteLimit: Int = .max, through: Instant? = nil, now: () -> Instant
    ) {
        var taken = 0
        var takenBytes = 0
        while true {
            while let first = controls.first, first <= removed { batch.append(controls.removeFirst()) }
            guard taken < limit, !items.isEmpty, taken == 0 || takenBytes < byteLimit else { return }
            var count = 1
            if through == nil, lateAfter == nil {
                let next = controls.first.map { $0 - removed } ?? .max
                count = min(limit - taken, items.count, next)
            } else {
                if let through, items[0].captured > through { return }
                if let lateAfter, dropLate(lateAfter, now: now()) { continue }
            }
            let moved = items.move(count, byteLimit: byteLimit - takenBytes, into: &batch)
            removed += moved.count
            lead = max(0, lead - moved.count)
            bytes -= moved.bytes
            takenBytes += moved.bytes
            taken += moved.count
            ledger.queued -= moved.count
            ledger.taken += moved.count
        }
    }

    /// Drops the head if it is late; lets the newest pass, marked, when nothing passed for a second.
    private mutating func dropLate(_ lateAfter: Duration, now: Instant) -> Bool {
        let head = items[0]
        let since = lastGave ?? now
        if lastGave == nil { lastGave = now }
        let isTested = head.flags.contains(.live) && !head.flags.contains(.exempt)
        guard isTested, now - head.captured > lateAfter else {
            lastGave = now
            return false
        }
        if items.count == 1, now - since >= Self.exemptAfter {
            items.insert(.exempt, at: 0)
            lastGave = now
            return false
        }
        dropFirst(1, .late)
        return true
    }

    // MARK: Changing

    /// Opens or closes the link. What waited is dropped as `no_demand` on closing; what comes first after opening
    /// carries the format and a gap, and is a keyframe if inter-coded.
    package mutating func setOpen(_ open: Bool) {
        guard open != isOpen, abandoned == nil else { return }
        isOpen = open
        if open, policy.whenFull == .dropGOP, !hasEnded, let key = group.items.first {
            if let missedBeforeGroup { controls.append(gap: missedBeforeGroup, at: end) }
            (missed, missedBeforeGroup) = (nil, nil)
            begin(at: key, with: group.items)
            group.clear()
            lastGave = nil
            nextAdmission = .distantPast
        } else if open {
            if let missed { controls.append(gap: missed, at: end) }
            missed = nil
            if policy.whenFull != .block, format?.isInterCoded == true { awaitsKeyframe = true }
            lastGave = nil
            nextAdmission = .distantPast
        } else {
            dropFirst(items.count, .noDemand)
        }
    }

    /// Changes what happens when it is full, from the next item on; what waits stays.
    package mutating func setPolicy(_ new: LinkPolicy) { policy = new }

    /// Drops what waits and what comes, for ever: the consumer is gone.
    ///
    /// - Parameters:
    ///   - reason: Of what waits. What comes after a consumer that failed is what nobody wants.
    ///   - untouched: Items that were taken and never looked at; they count as dropped too.
    /// - Returns: What waited, and the gaps in it; nil when there was nothing.
    @discardableResult
    package mutating func abandon(_ reason: DropReason, untouched: Int = 0) -> Gap? {
        guard abandoned == nil else { return nil }
        group.clear()
        abandoned = reason == .failed ? .noDemand : reason
        hasFailed = reason == .failed
        ledger.taken -= untouched
        ledger.drop(reason, untouched)
        dropFirst(items.count, reason)
        let gap = controls.gap
        controls.removeAll()
        isOpen = false
        return gap
    }
}

extension Format {
    /// Whether an item may need others before it to decode.
    package var isInterCoded: Bool {
        if case .packets(let packets) = self { packets.coding != nil && !packets.isIntraCoded } else { false }
    }
}
