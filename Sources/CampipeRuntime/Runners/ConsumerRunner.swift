import CampipeKit
import Synchronization

/// Runs a transform, a join or a sink: takes what its links bring, aligned to its sides and its `when`, and hands it to
/// the node.
package final class ConsumerRunner: NodeRunner, @unchecked Sendable {
    // As its superclass: touched in turns only.

    /// The main input's links; of a sink all that are not aligned.
    private var inlets: [Inlet] = []
    /// The links that are aligned to the main input: a join's sides, then the events of `when`.
    private var sides: SideInlets
    /// Whether any of the links has another in its place already.
    private var hasLeaving = false
    /// Up to when the main input is known to bring nothing, where events have not been applied up to then.
    private var gapThrough: Instant?
    /// How it ends once all is taken.
    private var ending: (cause: EndCause, state: SourceStatus)?
    /// The inlet that the next turn begins with.
    private var firstInlet = 0
    private var gate: GateState
    private var emissions: [EmissionLedger] = []
    private var restarts: RestartPolicy
    private var reopenAt: Instant?
    /// Until when, or whether at all, the sink wants no more.
    private var pause: Next = .more
    private let ages = Lock(AgeHistogram())
    private var skipped = RecurringNote()
    private var isClosing = false
    private var lastFailure: CampipeError?
    /// Whether it ever took an item without a fault.
    private var hasWorked = false
    /// Whether the instance was told a format.
    private var hasBegun = false
    /// An inter-coded packet was skipped: those that need it go too.
    private var awaitsKeyframe = false

    package override init(
        _ assignment: NodeAssignment, environment: NodeEnvironment, executor: any RunnerExecutor,
        report: @escaping @Sendable (RunnerReport) -> Void
    ) {
        contract = assignment.registration.descriptor.contract
        keepsHistory = assignment.registration.descriptor.keepsHistory && !assignment.when.isEmpty
        // One at a time where lateness is tested as each is taken.
        batchLimit = assignment.isLive ? 1 : TurnBudget.maxItems
        sides = SideInlets(inputs: assignment.registration.descriptor.inputs.count)
        gate = GateState(assignment.when, isLive: assignment.isLive)
        restarts = RestartPolicy(assignment.onError, seed: environment.seed)
        super.init(assignment, environment: environment, executor: executor, report: report)
    }

    private let contract: NodeDescriptor.Contract
    private let keepsHistory: Bool
    private let batchLimit: Int

    /// Items that were taken and that the node failed at.
    package let removals = RemovalCounter()

    /// Glass-to-sink ages, of a sink of live items.
    package var ageHistogram: AgeHistogram { ages.withLock { $0 } }

    // MARK: Links

    func attach(inlet link: Link) {
        guard phase != .ended else { return link.abandon(.noDemand) }
        let inlet = Inlet(
            link, aligner: SideAligner(isLive: assignment.isLive, joinWait: environment.joinWait))
        if inlet.input >= box.descriptor.inputs.count || contract == .join && inlet.input > 0 {
            sides.attach(inlet)
        } else {
            inlets.append(inlet)
        }
    }

    /// Lets go of a link: of one that was ended so that another takes its place once all it brought is taken.
    func detach(inlet key: LinkKey) {
        for inlet in inlets + sides.inlets where inlet.link.key == key && !inlet.isLeaving {
            if inlet.link.isReplaced, inlet.link.hasEnded {
                inlet.isLeaving = true
                hasLeaving = true
            } else {
                inlet.link.abandon()
                inlets.removeAll { $0 === inlet }
                sides.detach(inlet)
            }
        }
    }

    /// Lets go of the links that left and brought all they had.
    ///
    /// - Returns: Whether there were any, so that those in their places have their turn.
    private func dropLeft() -> Bool {
        guard hasLeaving else { return false }
        let left = inlets.filter(\.hasLeft)
        inlets.removeAll(where: \.hasLeft)
        for inlet in left {
            // What follows continues the same stream.
            inlets.first(where: inlet.precedes)?.format = inlet.format
        }
        sides.dropLeft()
        hasLeaving = (inlets + sides.inlets).contains(where: \.isLeaving)
        return !left.isEmpty
    }

    /// Ends for a reason once all that its links brought is taken; they lead to nowhere any more.
    func endOnceTaken(_ cause: EndCause, state: SourceStatus) {
        if inlets.isEmpty { end(cause, state: state) } else { ending = (cause, state) }
    }

    /// Nothing new will come: it ends once what was offered is taken, even if no link leads to it.
    func close() { isClosing = true }

    override func detachAll() {
        abandonInlets(.stopped)
        inlets = []
        sides.removeAll()
        super.detachAll()
    }

    override func end(_ cause: EndCause?, state: SourceStatus = SourceStatus(.stopped)) {
        guard phase != .ended else { return }
        super.end(cause, state: state)
        // Whoever feeds it must not wait for room.
        abandonInlets(.noDemand)
    }

    private func abandonInlets(_ reason: DropReason) {
        for inlet in inlets + sides.inlets { inlet.link.abandon(reason) }
    }

    // MARK: Turns

    override func work() -> Bool {
        guard openIfDue() else { return false }
        if takeSignal(), contract == .sink { attempt { pause = try box.wake() } }
        guard phase == .open, isReady else { return false }
        let room = self.room
        guard room > 0 else {
            // It waits for its consumers, not for another of its inputs.
            setElastic(.none)
            return false
        }
        var budget = TurnBudget(room: room, clock: clock)
        var more = false
        for offset in inlets.indices where phase == .open && pause == .more && !budget.isUsed {
            let index = (firstInlet + offset) % inlets.count
            if hasLeaving, inlets[..<index].contains(where: { $0.precedes(inlets[index]) }) { continue }
            more = drain(index, &budget) || more
        }
        if dropLeft() { more = true }
        firstInlet = inlets.count > 1 ? (firstInlet + 1) % inlets.count : 0
        if phase == .open, !assignment.when.isEmpty { passGateAlone() }
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
        let inlet = inlets[index]
        // For all of the turn: a reference that is taken and let go for each item costs as much as the item.
        let box = self.box
        let ports = box.ports
        var output = Output(ports)
        while phase == .open {
            guard inlet.refill(limit: batchLimit, clock: clock) else {
                // Who feeds a side must not wait, since the main input may need it to go on.
                sides.setElastic(.blocking)
                return false
            }
            while phase == .open, let control = inlet.batch.takeControl() { take(control, from: index) }
            guard phase == .open else { return false }
            if !sides.isEmpty, let captured = inlet.batch.headCaptured {
                guard align(to: captured, index) else { return false }
                if passGate(upTo: captured, index), let item = inlet.batch.takeItem() {
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

    // MARK: Items

    @inline(__always)
    private func hand(
        _ item: consuming ItemStorage, from inlet: Inlet, _ box: NodeBox, to output: inout Output
    ) {
        let captured = item.captured
        if awaitsKeyframe, inlet.input == 0 {
            guard item.flags.contains(.key) else { return passGap(Gap(.brokenReference, at: captured)) }
            awaitsKeyframe = false
        }
        let inherited = item.flags.intersection([.live, .exempt])
        box.ports.inherited = inherited
        do {
            switch contract {
            case .transform:
                try box.process(item, to: &output)
            case .join:
                let sides = Sides(names: box.descriptor.inputs.map(\.name), items: sides.takeItems())
                try box.process(item, with: sides, to: &output)
            case .sink:
                if inlet.input == 0, inherited.contains(.live) { ages.withLock { $0.record(clock.now - captured) } }
                let subscription = inlet.link.key.subscription
                if subscription != 0 { item = item.marked(subscription) }
                pause = try box.consume(item, port: inlet.input)
            case .source:
                preconditionFailure("a source consumes nothing")
            }
            hasWorked = true
            if restarts.restarts > 0 { restarts.worked(at: clock.now) }
        } catch {
            failed(error, at: captured, inlet)
            return
        }
        guard contract != .sink else { return }
        account(box) { ledger, emitted in ledger.consumed(captured: captured, emitted: emitted) }
    }

    /// Tells each output's ledger what happened, and puts the gap that follows behind the items.
    @inline(__always)
    private func account(_ box: NodeBox, _ change: (inout EmissionLedger, Int) -> Gap?) {
        let ports = box.ports
        for port in emissions.indices {
            if let gap = change(&emissions[port], ports.ports[port].emitted) {
                ports.append(gap: gap, port: port)
            }
        }
    }

    // MARK: Controls

    private func take(_ control: Control, from index: Int) {
        switch control {
        case .format(let format):
            guard inlets[index].format != format else { return }
            inlets[index].format = format
            guard inlets[index].input == 0 else { return }
            if hasBegun { drainNode() }
            begin(format)
        case .gap(let gap):
            guard inlets[index].input == 0 else { return }
            passGap(gap)
            guard !sides.isEmpty else { return }
            sides.spare(through: gap.through)
            gapThrough = gap.through
        case .end:
            inlets[index].hasEnded = true
        }
    }

    private func passGap(_ gap: Gap) {
        box.gap(gap)
        account(box) { ledger, _ in ledger.gapCame(gap) }
    }

    private func begin(_ format: Format) {
        do {
            guard let input = box.descriptor.mainInput, input.formats.contains(where: { $0.accepts(format) }) else {
                throw CampipeError(
                    .configuration,
                    "takes \(box.descriptor.mainInput?.formats.map(\.description) ?? []), found \(format)")
            }
            try box.begin(format)
            hasBegun = true
            for index in emissions.indices { emissions[index].holds = box.holds }
            guard contract != .sink else { return }
            box.ports.announce(try box.output(for: format), port: 0)
        } catch {
            fail(error, isFinal: true)
        }
    }

    private func drainNode() {
        guard contract != .sink else { return }
        attempt {
            var output = Output(box.ports)
            try box.drain(to: &output)
        }
        account(box) { ledger, emitted in ledger.drained(emitted: emitted) }
    }

    private func finishIfEnded() {
        guard phase == .open else { return }
        if pause == .ended, contract == .sink { return end(nil) }
        if let ending {
            guard inlets.isEmpty else { return }
            drainNode()
            return end(ending.cause, state: ending.state)
        }
        guard isClosing || inlets.contains(where: { $0.hasEnded }) else { return }
        guard isClosing || inlets.contains(where: { $0.input == 0 }), inlets.allSatisfy(isDone) else { return }
        if keepsHistory { passGateAlone(all: true) }
        drainNode()
        end(nil)
    }

    /// Whether nothing more is to be taken from an inlet: the main input ended, and so did the others where they can
    /// pause; what is live is taken as far as it came.
    private func isDone(_ inlet: Inlet) -> Bool {
        guard inlet.batch.isEmpty, inlet.isLeaving || !inlet.hasEnded || !inlet.link.isReplaced else { return false }
        return inlet.hasEnded || inlet.input > 0 && inlet.isLive && !inlet.link.hasEntries
    }

    // MARK: Alignment

    /// Whether each side has said all it has up to `captured`; if not, arranges to look again.
    private func align(to captured: Instant, _ index: Int) -> Bool {
        let progress = sides.inlets.lazy.map(\.progress)
        let now = assignment.isLive ? clock.now : .zero
        switch inlets[index].aligner.decide(head: captured, sides: progress, now: now) {
        case .go:
            setElastic(.none)
            endClauses(sides.collect(upTo: captured, clock: clock), at: captured)
            return true
        case .wait:
            setElastic(.all)
            return false
        case .waitUntil(let deadline):
            setElastic(.all)
            wake(at: deadline)
            return false
        }
    }

    private func setElastic(_ elastic: LinkQueue.Elasticity) {
        guard !sides.isEmpty else { return }
        for index in inlets.indices { inlets[index].setElastic(elastic) }
        sides.setElastic(elastic)
    }

    // MARK: When

    /// Lets the events up to `captured` open or close the node's `when`.
    ///
    /// - Returns: Whether the item that was captured then is for the node; if not, it is dropped here, with a gap.
    private func passGate(upTo captured: Instant, _ index: Int) -> Bool {
        guard !assignment.when.isEmpty else { return true }
        applyGateEvents()
        pass(gate.advance(to: captured))
        if gate.isOpen || keepsHistory { return true }
        _ = inlets[index].batch.takeItem()
        sides.dropItems()
        passGap(Gap(.gated, at: captured))
        return false
    }

    /// Lets events change the gate while no item comes: a lost camera must not leave a clip open, and a closed node is
    /// brought nothing until its gate opens.
    private func passGateAlone(all: Bool = false) {
        if !assignment.isLive { passGateOfGap() }
        guard assignment.isLive || all, inlets.allSatisfy({ $0.batch.isEmpty && !$0.link.hasEntries }) else { return }
        let ended = sides.collect(upTo: .distantFuture, gatesOnly: true, clock: clock)
        applyGateEvents()
        endClauses(ended, at: clock.now)
        if assignment.isLive { pass(gate.advance(to: clock.now)) }
        if let expiry = gate.nextExpiry { wake(at: expiry) }
    }

    /// What is not live goes by its own time: once all events up to a gap have come, they need not wait for an item.
    private func passGateOfGap() {
        guard let through = gapThrough, sides.haveEventsPassed(through) else { return }
        gapThrough = nil
        endClauses(sides.collect(upTo: through, gatesOnly: true, clock: clock), at: through)
        applyGateEvents()
    }

    private func applyGateEvents() {
        for (clause, event) in sides.takeEvents() { pass(gate.fold(event, clause: clause)) }
    }

    private func endClauses(_ clauses: [Int], at instant: Instant) {
        guard !clauses.isEmpty else { return }
        applyGateEvents()
        for clause in clauses { pass(gate.end(clause: clause, at: instant)) }
    }

    private func pass(_ changes: [GateChange]) {
        for change in changes {
            report(.gate(key, isOpen: change.isOpen))
            if keepsHistory { attempt { try box.gate(change) } }
        }
    }

    // MARK: Opening and failing

    private func openIfDue() -> Bool {
        switch phase {
        case .open: return true
        case .ended: return false
        case .waiting:
            guard let reopenAt else { return false }
            // Once the pipeline stops, what is live is not kept for it any more.
            if assignment.isLive, isStopping, inlets.allSatisfy(\.link.hasEnded) {
                endWithoutNode()
                return false
            }
            guard clock.now >= reopenAt else {
                wake(at: reopenAt)
                return false
            }
            replaceNode()
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
        reopenAt = nil
        awaitsKeyframe = false
        hasBegun = false
        emissions = box.ports.ports.map { _ in EmissionLedger(holds: box.holds) }
        // A new instance's ports count from zero, and it must hear the format again.
        if let format = inlets.first(where: { $0.input == 0 })?.format { begin(format) }
        if phase == .open { show(SourceStatus(.running)) }
        return phase == .open
    }

    /// Does something of the node's; a failure is the node's.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail(error) }
    }

    /// The node failed at one item, which is dropped with a gap.
    private func failed(_ error: any Error, at captured: Instant, _ inlet: Inlet) {
        account(box) { ledger, _ in ledger.gapCame(Gap(.failed, at: captured)) }
        removals.count(.failed)
        guard assignment.onError == .skip else { return fail(error) }
        awaitsKeyframe = inlet.input == 0 && inlet.format?.isInterCoded == true
        if let count = skipped.happened(at: clock.now) {
            log.warning("an item failed and was skipped", ["cause": error, "count": count])
        }
    }

    private func fail(_ error: any Error, isOpening: Bool = false, isFinal: Bool = false) {
        guard phase != .ended else { return }
        let failure = error as? CampipeError ?? CampipeError(.failed, "\(error)")
        finishNode()
        // What it held is gone with it.
        account(box) { ledger, emitted in ledger.drained(emitted: emitted) }
        let decision = restarts.failed(failure.kind, isOpening: isOpening || assignment.onError == .skip, at: clock.now)
        lastFailure = failure
        // Nothing is opened again while the pipeline stops; and what is not live can neither wait nor go on without it.
        let isOver = assignment.isLive ? isStopping : isOpening
        guard !isFinal, !isOver, case .restart(let instant) = decision else { return failForGood(failure) }
        phase = .waiting
        reopenAt = instant
        log.warning("failed, starts again", ["cause": failure, "retries": restarts.restarts])
        show(
            SourceStatus(.waiting, reason: failure.description, retries: restarts.restarts, retryAt: instant))
        wake(at: instant)
    }

    /// The pipeline stops while the node waits to be opened again: it failed if it never did its work.
    private func endWithoutNode() {
        if !hasWorked, let lastFailure { failForGood(lastFailure) } else { end(nil) }
    }

    private func failForGood(_ failure: CampipeError) {
        log.error("failed", ["cause": failure])
        // First the failure: with its end the pipeline may be over, and how it went is told then.
        report(.failed(key, failure, stopsPipeline: assignment.onError == .stop))
        end(
            EndCause(node: assignment.id, message: failure.description),
            state: SourceStatus(.failed, reason: failure.description))
    }
}
