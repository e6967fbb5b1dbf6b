package import CampipeKit

/// The bounded queue between an output port and an input port, with its lock and its wake-ups.
///
/// "Room" and "there is room again" are decided under the one lock: the producer leaves a mark, the consumer's taking
/// clears it and wakes. No call waits for anything but the lock.
package final class Link: Sendable {
    package let key: LinkKey
    package let producer: Runner
    package let consumer: Runner
    private let state: Lock<State>

    private struct State {
        var queue: LinkQueue
        /// The producer found no room and waits to be woken.
        var producerWaits = false
        /// It was opened, and has not been given what came last before.
        var awaitsGreeting: Bool
        /// Another link brings what follows, so that its end is not the end of the stream.
        var isReplaced = false
        /// Its producer, or what feeds that, waits for its own `when`.
        var isFed: Bool
        /// Whether what does not fit is a loss to be told of.
        var keepsAll: Bool
    }

    package init(_ planned: PlannedLink, from producer: Runner, to consumer: Runner) {
        key = planned.key
        self.producer = producer
        self.consumer = consumer
        state = Lock(
            State(
                queue: LinkQueue(
                    planned.policy, lateAfter: planned.lateAfter, maxRate: planned.maxRate, isOpen: planned.isOpen),
                awaitsGreeting: planned.isOpen, isFed: planned.isFed, keepsAll: planned.keepsAll))
        keepGroup(planned)
    }

    /// A closed link keeps the newest group for whoever opens it, but for who keeps all, and who has a `when`, whose
    /// beginning that is.
    private func keepGroup(_ planned: PlannedLink) {
        let isGated = (consumer as? NodeRunner)?.assignment.when.isEmpty == false
        let keeps = planned.policy.whenFull == .dropGOP && !planned.keepsAll && !isGated
        state.withLock { $0.queue.keepsGroup = keeps }
    }

    /// How many items the producer may put in now; when none, it will be woken.
    package func room() -> Int {
        state.withLock { state in
            let room = state.queue.room
            if room == 0 { state.producerWaits = true }
            return room
        }
    }

    /// Puts in what a port emitted, from the item and the control of `range` on up to those where it ends.
    ///
    /// - Parameter isLast: Whether no other link of the port needs it.
    package func offer(_ port: OutputPorts.Port, _ range: EmittedRange, isLast: Bool) {
        let hasEntries = state.withLock { state -> Bool in
            var next = range.items.lowerBound
            for index in range.controls {
                let (position, control) = port.controls[index]
                if position > next { state.queue.push(port.items, next..<position, takes: isLast) }
                state.queue.push(control)
                next = max(next, position)
            }
            if next < range.items.upperBound {
                state.queue.push(port.items, next..<range.items.upperBound, takes: isLast)
            }
            return state.queue.hasEntries
        }
        // A consumer behind a closed link is not woken for each item.
        if hasEntries { consumer.wake() }
    }

    /// Gives the newest item of its stream to a link that was opened since it was last asked: who begins to look need not
    /// wait for the next one, which of a slow camera is long. Who keeps what comes is given nothing of before.
    package func greet(_ item: ItemStorage?) {
        let hasEntries = state.withLock { state -> Bool in
            guard state.awaitsGreeting else { return false }
            state.awaitsGreeting = false
            guard let item, !state.keepsAll else { return false }
            state.queue.greet(item)
            return state.queue.hasEntries
        }
        if hasEntries { consumer.wake() }
    }

    /// Puts in a control alone.
    package func offer(_ control: Control) {
        let hasEntries = state.withLock { state -> Bool in
            state.queue.push(control)
            return state.queue.hasEntries
        }
        if hasEntries { consumer.wake() }
    }

    /// Puts in what the producer gave since its newest keyframe, before the link was there; not for who keeps all, and
    /// has its own beginning.
    package func begin(with group: [ItemStorage]) {
        let hasBegun = state.withLock { !$0.keepsAll && $0.queue.begin(with: group) }
        if hasBegun { consumer.wake() }
    }

    /// Moves what waits into `batch`.
    ///
    /// - Returns: Whether more waits.
    package func take(
        into batch: inout Batch, limit: Int, byteLimit: Int = .max, through: Instant? = nil, clock: any PipelineClock
    ) -> Bool {
        let (more, wakes) = state.withLock { state -> (Bool, Bool) in
            state.queue.take(into: &batch, limit: limit, byteLimit: byteLimit, through: through) { clock.now }
            let wakes = state.producerWaits && state.queue.isHalfEmpty
            if wakes { state.producerWaits = false }
            return (state.queue.hasEntries, wakes)
        }
        if wakes { producer.wake() }
        return more
    }

    /// What a join asks about a side.
    package var progress: SideAligner.Side {
        state.withLock {
            SideAligner.Side(
                watermark: $0.queue.watermark, hasEnded: $0.queue.hasEnded && !$0.isReplaced,
                isClosed: !$0.queue.isOpen || !$0.isFed)
        }
    }

    /// From now on its end means that another link brings what follows.
    package func replace() { state.withLock { $0.isReplaced = true } }
    package var isReplaced: Bool { state.withLock { $0.isReplaced } }

    /// Lifts limits while the consumer waits for another of its inputs, or sets them again.
    package func setElastic(_ elasticity: LinkQueue.Elasticity) {
        let wakes = state.withLock { state -> Bool in
            state.queue.elasticity = elasticity
            guard elasticity != .none, state.producerWaits, state.queue.room > 0 else { return false }
            state.producerWaits = false
            return true
        }
        if wakes { producer.wake() }
    }

    /// The join's primary has nothing up to then: what was captured before may go when the limit is reached.
    package func spare(through: Instant) {
        let wakes = state.withLock { state -> Bool in
            state.queue.spareThrough = max(state.queue.spareThrough, through)
            guard state.producerWaits, state.queue.isHalfEmpty else { return false }
            state.producerWaits = false
            return true
        }
        if wakes { producer.wake() }
    }

    /// Takes over policy, deadline, rate, and whether it is open and fed.
    package func update(_ planned: PlannedLink) {
        let wakes = state.withLock { state -> Bool in
            state.queue.setPolicy(planned.policy)
            state.queue.lateAfter = planned.lateAfter
            state.queue.maxRate = planned.maxRate
            if planned.isOpen, !state.queue.isOpen { state.awaitsGreeting = true }
            state.queue.setOpen(planned.isOpen)
            state.isFed = planned.isFed
            state.keepsAll = planned.keepsAll
            defer { state.producerWaits = false }
            return state.producerWaits
        }
        keepGroup(planned)
        if wakes { producer.wake() }
        consumer.wake()
    }

    /// The consumer is gone: what waits is dropped, and so is what still comes; it is never opened again.
    ///
    /// - Parameter untouched: Items that were taken and never looked at; they count as dropped too.
    /// - Returns: What waited, and the gaps in it.
    @discardableResult
    package func abandon(_ reason: DropReason, untouched: Int = 0) -> Gap? {
        let (gap, wakes) = state.withLock { state -> (Gap?, Bool) in
            defer { state.producerWaits = false }
            return (state.queue.abandon(reason, untouched: untouched), state.producerWaits)
        }
        if wakes { producer.wake() }
        return gap
    }

    /// Whether the producer has said all.
    package var hasEnded: Bool { state.withLock { $0.queue.hasEnded } }
    /// Whether the producer has said all, or nobody listens.
    package var isOver: Bool { state.withLock { $0.queue.hasEnded || $0.queue.isAbandoned } }
    /// Whether it is known what became of all that was offered.
    package var isSettled: Bool {
        state.withLock { $0.queue.isAbandoned || $0.queue.hasEnded && $0.queue.count == 0 }
    }
    /// Whether anything waits.
    package var hasEntries: Bool { state.withLock { $0.queue.hasEntries } }
    /// What did not fit, or came too late, where that is a loss.
    package var losses: [(reason: DropReason, count: Int)] {
        state.withLock { $0.keepsAll ? $0.queue.ledger.drops.filter { $0.reason.isTooSlow } : [] }
    }
    package var ledger: Ledger { state.withLock { $0.queue.ledger } }
    package var isOpen: Bool { state.withLock { $0.queue.isOpen } }
    package var queuedBytes: Int { state.withLock { $0.queue.bytes } }
}

/// A part of what a port emitted: items, and the controls among them, by position.
package struct EmittedRange {
    package var items: Range<Int>
    package var controls: Range<Int>
}
