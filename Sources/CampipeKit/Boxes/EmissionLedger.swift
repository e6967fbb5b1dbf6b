/// Tells what became of the inputs of a transform or a join on one of its outputs: what was neither emitted nor may
/// still be held leaves a gap by itself.
///
/// A node says only how many of its latest inputs it may keep back (`holds`). While it works on input *n* it may emit
/// what it made of the inputs *n − holds … n*; afterwards the inputs up to *n − holds* are done with, so the watermark
/// trails by `holds` inputs and is never above an item that may still come. Items emitted count for the oldest inputs
/// first; a node that makes several items of one input owes nothing for it.
///
/// The runtime and the harness keep one for each output, and put what is returned behind the items of the same call.
/// A value without I/O and clock.
@usableFromInline package struct EmissionLedger: Sendable {
    /// How many of the latest inputs the node may keep back; changed only when nothing is held.
    @usableFromInline package var holds: Int
    /// Why an input is missing that the node neither emitted nor holds.
    @usableFromInline let reason: DropReason
    /// Items emitted on the output since the start, as last told.
    @usableFromInline var emitted = 0
    /// When the inputs were captured that neither an item nor a gap has answered for, oldest first.
    @usableFromInline var unanswered: [Instant] = []
    /// When the last `holds` inputs were captured, oldest first: the node may still emit these.
    private var recent: [Instant] = []
    /// Everything captured at or before it is done with, unless a recent input is older.
    private var passed = Instant.distantPast
    /// Gaps from upstream that wait until as many further inputs were taken, so that they stay behind what is held.
    @usableFromInline var waiting: [(gap: Gap, inputs: Int)] = []

    package init(holds: Int, reason: DropReason = .filtered) {
        self.holds = holds
        self.reason = reason
    }

    /// The node took an item that was captured at `captured`.
    ///
    /// An input at which the node failed, and that `on_error` passes over, is not told here but to `gapCame`, as a gap
    /// with the reason `failed`.
    ///
    /// - Parameter total: How many items it emitted on this output since the start.
    /// - Returns: The gap that follows the items of this call, if any.
    @inlinable package mutating func consumed(captured: Instant, emitted total: Int) -> Gap? {
        let made = total - emitted
        emitted = total
        // Most nodes keep nothing back and make something of each.
        if made > 0, holds == 0, unanswered.isEmpty, waiting.isEmpty { return nil }
        return answer(captured: captured, made: made)
    }

    @usableFromInline mutating func answer(captured: Instant, made: Int) -> Gap? {
        if holds == 0, unanswered.isEmpty, waiting.isEmpty { return Gap(reason, at: captured) }
        unanswered.append(captured)
        unanswered.removeFirst(min(max(made, 0), unanswered.count))
        recent.append(captured)
        while recent.count > holds { passed = max(passed, recent.removeFirst()) }

        var result: Gap?
        let missing = unanswered.count - holds
        if missing > 0 {
            result = filtered(missing)
            unanswered.removeFirst(missing)
        }
        for index in waiting.indices { waiting[index].inputs -= 1 }
        while let first = waiting.first, first.inputs <= 0 {
            waiting.removeFirst()
            passed = max(passed, first.gap.through)
            result.merge(first.gap)
        }
        return result.map(belowHeld)
    }

    /// A gap came from upstream, in order with the items.
    ///
    /// It goes on at once where nothing can be held; else it waits for as many further inputs. That a camera was lost
    /// goes on at once in any case, with a watermark below what is held.
    ///
    /// - Returns: What goes on now.
    package mutating func gapCame(_ gap: Gap) -> Gap? {
        if gap.isLost || recent.isEmpty && waiting.isEmpty { return belowHeld(gap) }
        waiting.append((gap, holds))
        return nil
    }

    /// The node emitted though no input came; it answers for what was held, if anything was.
    ///
    /// - Parameter total: How many items it emitted on this output since the start.
    package mutating func woke(emitted total: Int) {
        unanswered.removeFirst(min(max(total - emitted, 0), unanswered.count))
        emitted = total
    }

    /// The node was drained, at the end or before its format changes: it holds nothing any more.
    ///
    /// - Parameter total: How many items it emitted on this output since the start, those of the draining among them.
    /// - Returns: The gap that follows them: the inputs that never came out, and all that waited.
    package mutating func drained(emitted total: Int) -> Gap? {
        let made = total - emitted
        emitted = total
        unanswered.removeFirst(min(max(made, 0), unanswered.count))
        passed = recent.reduce(passed, max)
        recent = []
        var result = unanswered.isEmpty ? nil : filtered(unanswered.count)
        unanswered = []
        for entry in waiting { result.merge(entry.gap) }
        waiting = []
        return result
    }

    private func filtered(_ count: Int) -> Gap {
        Gap(
            count: count, reasons: DropReasons(reason), from: unanswered.prefix(count).min() ?? passed,
            through: passed)
    }

    /// The gap with a watermark that says nothing of what may still be emitted.
    private func belowHeld(_ gap: Gap) -> Gap {
        guard let oldest = recent.min(), gap.through >= oldest else { return gap }
        var gap = gap
        gap.through = oldest - .nanoseconds(1)
        gap.from = min(gap.from, gap.through)
        return gap
    }
}
