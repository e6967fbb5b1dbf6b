import CampipeKit
import Synchronization

/// Runs a transform, a join or a sink: takes what its links bring, aligned to its sides and its `when`, and hands it to
/// the node.
package final class ConsumerRunner: NodeRunner, @unchecked Sendable {
    // As its superclass: touched in turns only.

    private let contract: NodeDescriptor.Contract
    private let keepsHistory: Bool
    private let connects: Bool
    private let batchLimit: Int
    private var inlets: Inlets
    /// How it ends once all is taken.
    private var ending: (cause: EndCause, state: SourceStatus)?
    private var gate: NodeGate
    private var node: NodeWork
    private var restarts: NodeRestarts
    /// Until when, or whether at all, the sink wants no more.
    private var pause: Next = .more
    private let ages = Lock(AgeHistogram())
    private var skipped = RecurringNote()
    private var skippedCause: (any Error)?
    /// What was told of that was lost since it, or who is behind it and keeps all, is too slow.
    private var lossNote = LossNote()
    private var isClosing = false
    /// Of a sink that connects: whether this instance has taken nothing yet.
    private var isConnecting = false
    private var story = SourceStory()
    /// What is missing of its main input since it failed.
    private var missed: Gap?
    /// Of a mixer: when it is called.
    private var ticks: MixerTicks?

    package override init(
        _ assignment: NodeAssignment, environment: NodeEnvironment, executor: any RunnerExecutor,
        report: @escaping @Sendable (RunnerReport) -> Void
    ) {
        contract = assignment.registration.descriptor.contract
        keepsHistory = assignment.registration.descriptor.keepsHistory && !assignment.when.isEmpty
        connects = assignment.registration.descriptor.connects
        // One at a time where lateness is tested as each is taken.
        batchLimit = assignment.isLive ? 1 : TurnBudget.maxItems
        inlets = Inlets(
            assignment.registration.descriptor, isLive: assignment.isLive, joinWait: environment.joinWait)
        gate = NodeGate(assignment.when, isLive: assignment.isLive, keepsHistory: keepsHistory)
        node = NodeWork(contract)
        restarts = NodeRestarts(assignment, environment)
        super.init(assignment, environment: environment, executor: executor, report: report)
    }

    /// Glass-to-sink ages, of a sink of live items.
    package var ageHistogram: AgeHistogram { ages.withLock { $0 } }

    override func learn(_ planned: PlannedNode) { inlets.lateAfter = planned.lateAfter }

    // MARK: Links

    func attach(inlet link: Link) {
        if phase == .ended { link.abandon(.noDemand) } else { inlets.attach(link) }
    }

    func detach(inlet key: LinkKey) {
        let gap = inlets.detach(key, ending == nil ? .noDemand : .failed)
        if ending != nil { missed.merge(gap) }
    }

    /// Ends for a reason once all that its links brought is taken; they lead to nowhere any more.
    func endOnceTaken(_ cause: EndCause, state: SourceStatus) {
        if inlets.main.isEmpty { end(cause, state: state) } else { ending = (cause, state) }
    }

    /// Nothing new will come: it ends once what was offered is taken, even if no link leads to it.
    func close() { isClosing = true }

    /// A stop's deadline came: it ends with what it has, and what waits is dropped.
    func cutShort() {
        guard phase != .ended else { return }
        let items = inlets.waiting
        if items > 0 { report(.cutShort(key, items: items)) }
        missed.merge(inlets.abandon(.stopped))
        guard phase == .open else { return endWithoutNode() }
        if let missed { passGap(missed) }
        missed = nil
        drainNode()
        end(nil)
    }

    override func detachAll() {
        inlets.abandon(.stopped)
        inlets.removeAll()
        super.detachAll()
    }

    override func end(_ cause: EndCause?, state: SourceStatus = SourceStatus(.stopped)) {
        guard phase != .ended else { return }
        tellLosses(isLast: true)
        if skipped.untold > 0 { saySkipped(skipped.untold) }
        let gap = inlets.abandon(cause == nil ? .noDemand : .failed)
        if cause != nil { missed.merge(gap) }
        // Whoever takes what it made hears of what it did not make any more.
        if let missed { node.lose(missed, box) }
        super.end(cause, state: state)
    }

    // MARK: Turns

    override func work() -> Bool {
        if assignment.isLive, phase != .ended { tellLosses() }
        guard openIfDue() else { return false }
        if takeSignal() { wakeNode() }
        guard phase == .open, isReady else { return false }
        let room = self.room
        guard room > 0 else {
            // It waits for its consumers, not for another of its inputs.
            inlets.setElastic(.none)
            return false
        }
        var budget = TurnBudget(room: room, clock: clock)
        var more = ticks == nil ? false : mix(&budget)
        for offset in inlets.main.indices where phase == .open && pause == .more && !budget.isUsed {
            guard let index = inlets.turn(offset) else { continue }
            more = drain(index, &budget) || more
        }
        if inlets.dropLeft() { more = true }
        inlets.rotate()
        if phase == .open, gate.isUsed { passGateAlone() }
        flush()
        finishIfEnded()
        if case .waitUntil(let instant) = pause { wake(at: instant) }
        return more && phase == .open && pause == .more
    }

    /// Whether a sink wants more now.
    private var isReady: Bool {
        if case .waitUntil(let instant) = pause, clock.now >= instant {
            pause = .more
            attempt { pause = try box.wake() }
        }
        switch pause {
        case .more, .ended: return phase == .open
        case .wait: return false
        case .waitUntil(let instant):
            wake(at: instant)
            return false
        }
    }

    /// Handles what an inlet brings, as far as the budget and the sides allow.
    ///
    /// - Returns: Whether more could be done at once.
    private func drain(_ index: Int, _ budget: inout TurnBudget) -> Bool {
        let inlet = inlets.main[index]
        // For all of the turn: a reference that is taken and let go for each item costs as much as the item.
        let box = self.box
        let ports = box.ports
        var output = Output(ports)
        while phase == .open {
            guard inlet.refill(limit: batchLimit, clock: clock) else {
                // Who feeds a side must not wait, since the main input may need it to go on.
                inlets.sides.setElastic(.blocking)
                return false
            }
            while phase == .open, let control = inlet.batch.takeControl() { take(control, from: inlet) }
            guard phase == .open else { return false }
            if !inlets.sides.isEmpty, let captured = inlet.batch.headCaptured {
                guard align(inlets.align(index, to: captured, clock: clock), to: captured) else { return false }
                if passGate(upTo: captured, inlet), let item = inlet.batch.takeItem() {
                    hand(item, from: inlet, box, to: &output)
                }
            } else {
                // Controls alone?
                guard let item = inlet.batch.takeItem() else { continue }
                hand(item, from: inlet, box, to: &output)
            }
            if phase != .open || contract == .sink && pause != .more { return false }
            if !budget.goesOn(emitted: ports.emitted) { return true }
        }
        return false
    }

    /// Calls a mixer for each instant that is due, as far as the budget and its inputs allow.
    ///
    /// - Returns: Whether more could be done at once.
    private func mix(_ budget: inout TurnBudget) -> Bool {
        let box = self.box
        while phase == .open, let instant = dueTick() {
            guard align(inlets.align(tick: instant, clock: clock), to: instant) else { return false }
            let superseded = inlets.sides.takeSuperseded()
            if superseded > 0 { removals.count(.superseded, superseded) }
            if gate.isUsed { pass(gate.advance(to: instant, &inlets.sides)) }
            // Nothing comes any more, and all that came was shown.
            if !assignment.isLive, inlets.sides.haveEnded { return false }
            ticks?.had(instant)
            let parts = inlets.sides.takeParts(assignment.feeds.count)
            guard gate.isUsed == false || gate.admits else { continue }
            box.ports.inherited = assignment.isLive ? [.live] : []
            do {
                var output = Output(box.ports)
                try box.mix(Parts(parts), at: instant, to: &output)
                workedAgain()
            } catch {
                failed(error, at: instant, nil)
            }
            if !budget.goesOn(emitted: box.ports.emitted) { return true }
        }
        return false
    }

    /// The instant that a mixer is to be called for; of what is live only once it is there, and while it is wanted.
    private func dueTick() -> Instant? {
        guard let ticks else { return nil }
        if assignment.isLive {
            if gate.isUsed { passGateAlone() }
            guard box.ports.ports.contains(where: \.isWanted), !gate.isUsed || gate.admits else { return nil }
        }
        switch ticks.due(at: clock.now) {
        case .now(let instant): return instant
        case .notBefore(let instant):
            wake(at: instant)
            return nil
        }
    }

    /// Says of links that lead to who keeps all what did not fit on them.
    private func tellLosses(isLast: Bool = false) {
        guard let told = lossNote.told(inlets.main.map(\.link), at: clock.now, isLast: isLast) else { return }
        let message =
            phase == .waiting
            ? "not at work, what came meanwhile was lost" : "too slow for what comes, items were lost"
        log.error(message, ["count": told.count, "reasons": told.reasons])
    }

    /// The node's waker was called.
    private func wakeNode() {
        switch contract {
        case .sink: attempt { pause = try box.wake() }
        case .transform:
            box.ports.inherited = assignment.isLive ? .live : []
            attempt { try node.wake(box) }
        case .join, .source: break
        }
    }

    // MARK: Items

    @inline(__always)
    private func hand(
        _ item: consuming ItemStorage, from inlet: Inlet, _ box: NodeBox, to output: inout Output
    ) {
        let captured = item.captured
        if inlet.awaitsKeyframe {
            guard item.flags.contains(.key) else {
                removals.count(.brokenReference)
                return passGap(Gap(.brokenReference, at: captured))
            }
            inlet.awaitsKeyframe = false
        }
        let inherited = item.flags.intersection(.inherited)
        box.ports.inherited = inherited
        let before = box.ports.emitted
        do {
            switch contract {
            case .transform:
                try box.process(item, to: &output)
            case .join:
                let sides = Sides(names: box.descriptor.inputs.map(\.name), items: inlets.sides.takeItems())
                try box.process(item, with: sides, to: &output)
            case .sink:
                if inlet.input == 0, inherited.contains(.live), !inherited.contains(.earlier) {
                    ages.withLock { $0.record(clock.now - captured) }
                }
                let subscription = inlet.link.key.subscription
                if subscription != 0 { item = item.marked(subscription) }
                pause = try box.consume(item, port: inlet.input)
            case .source:
                preconditionFailure("a source consumes nothing")
            }
            workedAgain()
        } catch {
            failed(error, at: captured, inlet)
            return
        }
        node.took(captured, box)
        if let omits = node.omits, box.ports.emitted == before { removals.count(omits) }
        if !box.ports.removed.isEmpty {
            for (reason, count) in box.ports.removed { removals.count(reason, count) }
            box.ports.removed.removeAll()
        }
    }

    // MARK: Controls

    private func take(_ control: Control, from inlet: Inlet) {
        switch control {
        case .format(let format):
            guard inlet.format != format else { return }
            inlet.format = format
            guard inlet.input == 0 else { return }
            if node.hasBegun { drainNode() }
            begin(format)
        case .gap(let gap):
            guard inlet.input == 0 else { return }
            passGap(gap)
            guard !inlets.sides.isEmpty else { return }
            inlets.sides.spare(through: gap.through)
            gate.gapCame(through: gap.through)
        case .end:
            inlet.hasEnded = true
        }
    }

    private func passGap(_ gap: Gap) { node.pass(gap, box) }

    private func begin(_ format: Format) {
        do { try node.begin(format, box) } catch { fail(error, isFinal: true) }
    }

    private func drainNode() { attempt { try node.drain(box) } }

    private func finishIfEnded() {
        guard phase == .open else { return }
        if pause == .ended, contract == .sink { return end(nil) }
        if let ending {
            guard inlets.main.isEmpty else { return }
            if let missed { passGap(missed) }
            missed = nil
            drainNode()
            return end(ending.cause, state: ending.state)
        }
        guard inlets.areDone(isClosing: isClosing) else { return }
        if keepsHistory { passGateAlone(isOver: true) }
        drainNode()
        end(nil)
    }

    // MARK: Sides and when

    /// Whether each side has said all it has up to `captured`; if not, arranges to look again.
    private func align(_ verdict: Inlets.Verdict, to captured: Instant) -> Bool {
        switch verdict {
        case .go(let ended):
            if !ended.isEmpty { pass(gate.end(ended, at: captured, &inlets.sides)) }
            return true
        case .wait(let instant):
            if let instant { wake(at: instant) }
            return false
        }
    }

    /// Lets the events up to `captured` open or close the node's `when`.
    ///
    /// - Returns: Whether the item that was captured then is for the node; if not, it is dropped here, with a gap.
    private func passGate(upTo captured: Instant, _ inlet: Inlet) -> Bool {
        guard gate.isUsed else { return true }
        pass(gate.advance(to: captured, &inlets.sides))
        if gate.admits { return true }
        _ = inlet.batch.takeItem()
        inlets.sides.dropItems()
        passGap(Gap(.gated, at: captured))
        return false
    }

    private func passGateAlone(isOver: Bool = false) {
        let takesAll = (assignment.isLive || isOver) && inlets.isIdle
        pass(gate.advanceAlone(&inlets.sides, takesAll: takesAll, clock: clock))
        if takesAll, let expiry = gate.nextExpiry { wake(at: expiry) }
    }

    private func pass(_ changes: [GateChange]) {
        for change in changes {
            report(.gate(key, isOpen: change.isOpen))
            if contract == .sink { attempt { try box.gate(change) } }
        }
    }

    // MARK: Opening and failing

    private func openIfDue() -> Bool {
        switch phase {
        case .open: return true
        case .ended: return false
        case .waiting:
            let hasAll = inlets.main.allSatisfy(\.link.hasEnded)
            switch restarts.opening(isStopping: isStopping, hasAll: hasAll, at: clock.now) {
            case .never:
                endWithoutNode()
                return false
            case .notBefore(let instant):
                wake(at: instant)
                return false
            case .now:
                replaceNode()
                inlets.reopen()
            }
        case .new:
            break
        }
        do {
            try box.open(makeContext())
        } catch {
            fail(error, isOpening: true)
            return false
        }
        phase = .open
        pause = .more
        node.opened(box)
        if ticks == nil { ticks = box.rate.map { MixerTicks(rate: $0, isLive: assignment.isLive) } }
        // A new instance's ports count from zero, and it must hear the format again.
        if let format = inlets.format { begin(format) }
        isConnecting = connects
        if phase == .open { show(restarts.opened) }
        return phase == .open
    }

    /// An item was taken without a fault; of account after a restart only.
    @inline(__always)
    private func workedAgain() {
        guard isConnecting || restarts.count > 0 else { return }
        isConnecting = false
        restarts.worked(at: clock.now)
        let status = restarts.working
        if connects, status.state != state.state || status.retries != state.retries {
            let told = story.tell(status, at: clock.now)
            if state.state != .running { log.log(told.level, "running", ["retries": status.retries]) }
        }
        show(status)
    }

    /// Does something of the node's; a failure is the node's.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail(error) }
    }

    /// The node failed at one item, which is dropped with a gap.
    private func failed(_ error: any Error, at captured: Instant, _ inlet: Inlet?) {
        node.lose(Gap(.failed, at: captured), box)
        removals.count(.failed, (error as? CampipeError)?.lostItems ?? 1)
        guard assignment.onError == .skip else { return fail(error, isCounted: true) }
        if let inlet { inlet.awaitsKeyframe = inlet.input == 0 && inlet.format?.isInterCoded == true }
        skippedCause = error
        saySkipped(skipped.happened(at: clock.now))
    }

    private func saySkipped(_ count: Int?) {
        guard let count, let cause = skippedCause else { return }
        log.warning("an item failed and was skipped", ["cause": cause, "count": count])
    }

    private func fail(_ error: any Error, isOpening: Bool = false, isFinal: Bool = false, isCounted: Bool = false) {
        guard phase != .ended else { return }
        let failure = secrets.hidden(error)
        if !isCounted { removals.count(.failed, failure.lostItems ?? 0) }
        finishNode()
        node.dropped(box)
        let next = restarts.failed(
            failure, isOpening: isOpening, isFinal: isFinal, isStopping: isStopping || isStopRequested, at: clock.now)
        // Of a series of failures the first is told, and the last.
        if next == nil || restarts.count == 1 {
            say(failed(failure, isForGood: next == nil))
            // A turn in which it cannot be opened ends here.
            if isOpening { flush() }
        }
        guard let instant = next else { return failForGood(failure) }
        phase = .waiting
        let status = restarts.status(.waiting)
        let level = connects ? story.tell(status, at: clock.now).level : .warning
        log.log(level, "failed, starts again", ["cause": failure, "retries": restarts.count])
        report(.faltered(key, failure))
        show(status)
        if isStopping { wake() } else { wake(at: instant) }
    }

    /// It ends before it was opened, or while it waits to be opened again; then it failed, which was told.
    private func endWithoutNode() { if let failure = restarts.lastFailure { endFailed(failure) } else { end(nil) } }

    private func failForGood(_ failure: CampipeError) {
        // Who was connecting when the pipeline stopped is told of with the run's outcome.
        let level = connects && isStopRequested ? Log.Level.debug : .error
        log.log(level, "failed", ["cause": failure, "retries": restarts.count])
        // First the failure: with its end the pipeline may be over, and how it went is told then.
        report(.failed(key, failure, stopsPipeline: assignment.onError == .stop))
        endFailed(failure)
    }

    private func endFailed(_ failure: CampipeError) {
        end(
            EndCause(node: assignment.id, message: failure.description),
            state: SourceStatus(.failed, reason: failure.description))
    }
}
