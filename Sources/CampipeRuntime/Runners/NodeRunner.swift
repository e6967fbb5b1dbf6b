import CampipeKit
import Synchronization

/// Runs one node: opens it, gives it turns, puts what it emits on the links, finishes it.
///
/// Everything but `wake`, `perform`, `signal`, `requestStop` and `state` is touched in turns only.
package class NodeRunner: Runner, @unchecked Sendable {
    // Its stored state is touched in turns only; what other threads reach has a lock or is atomic.

    enum Phase { case new, open, waiting, ended }

    package let assignment: NodeAssignment
    let environment: NodeEnvironment
    let report: @Sendable (RunnerReport) -> Void
    /// Without the secrets that the node was given.
    private(set) var log: Log
    private(set) var secrets: KnownSecrets
    /// What it removed that no link's ledger knows: what came and did not become an item, what it failed at.
    package let removals = RemovalCounter()
    /// What it asks for; reported when it changed.
    let wishes: WishBox
    let outlets: [Outlet]
    var box: NodeBox
    /// What the next instance is made with.
    var options: Value.ValueMap {
        didSet {
            secrets = KnownSecrets(options, box.descriptor.options)
            log = secrets.hidden(environment.log.with("node", assignment.id))
        }
    }
    var phase = Phase.new
    private(set) var isStopping = false
    /// What ends a turn that waits for others.
    private let stopFlag = StopFlag()

    private let told = ToldEvents()
    private let commands = Lock<[@Sendable (NodeRunner) -> Void]>([])
    private let hasCommands = Atomic<Bool>(false)
    private let isSignalled = Atomic<Bool>(false)
    private let replacementCount = Atomic<Int>(0)
    private let shownState: Lock<Shown>
    /// The next call that the clock owes, and when.
    private var timer: (timer: Timer, instant: Instant)?
    /// Announced formats that the graph is still being planned for; until then what follows them stays in the ports.
    private var unplanned = 0
    /// For how many changes of the graph it is held back; what it emitted stays in the ports meanwhile.
    private var holds = 0
    /// Whether the links were attached: always when the graph was planned for a first format.
    private var hasLinks: Bool

    /// How the node is, and what it says of itself beside that.
    private struct Shown {
        var status: SourceStatus
        var trouble: NodeTrouble?

        /// Trouble is of a node that runs; one that failed or ended has told worse.
        var state: SourceStatus {
            guard status.state == .running else { return status }
            return switch trouble {
            case .waiting(let reason): SourceStatus(.waiting, reason: reason)
            case .stalled(let reason): SourceStatus(.stalled, reason: reason)
            case nil: status
            }
        }
    }

    package init(
        _ assignment: NodeAssignment, environment: NodeEnvironment, executor: any RunnerExecutor,
        report: @escaping @Sendable (RunnerReport) -> Void
    ) {
        self.assignment = assignment
        self.environment = environment
        self.report = report
        secrets = KnownSecrets(assignment.options, assignment.registration.descriptor.options)
        log = secrets.hidden(environment.log.with("node", assignment.id))
        options = assignment.options
        box = assignment.registration.make(assignment.options)
        // A camera's own packets, and those of who stands in the file; what a converter makes it makes for somebody.
        let keepsGroups = if case .explicit = assignment.key { assignment.isLive } else { false }
        let keepsPictures = assignment.isLive && box.descriptor.contract == .source
        outlets = box.ports.ports.map { _ in Outlet(keepsPictures: keepsPictures, keepsGroups: keepsGroups) }
        // What befalls it is told to whoever is there by then.
        hasLinks = box.ports.ports.count == (box.descriptor.supervision == nil ? 0 : 1)
        shownState = Lock(Shown(status: SourceStatus(.connecting)))
        wishes = WishBox(clock: environment.clock) { [key = assignment.key] in report(.demand(key)) }
        super.init(executor: executor)
    }

    var key: NodeKey { assignment.key }
    var clock: any PipelineClock { environment.clock }

    // MARK: From anywhere

    /// Has something done in the node's next turn, in order.
    package final func perform(_ command: @escaping @Sendable (NodeRunner) -> Void) { perform([command]) }

    /// Has all of this done in one turn.
    final func perform(_ more: [@Sendable (NodeRunner) -> Void]) {
        commands.withLock { $0 += more }
        hasCommands.store(true, ordering: .sequentiallyConsistent)
        wake()
    }

    /// The node's waker was called.
    ///
    /// - Parameter here: Whether the calling thread may do a short turn itself.
    final func signal(here: Bool = false) {
        isSignalled.store(true, ordering: .sequentiallyConsistent)
        wake(here: here)
    }

    /// The pipeline stops: the node learns of it in its next turn, and one that waits in a turn at once.
    final func requestStop() {
        stopFlag.raise()
        perform { $0.stop() }
    }

    /// Whether `requestStop` was called.
    final var isStopRequested: Bool { stopFlag.isRaised }

    /// How the node is.
    package final var state: SourceStatus { shownState.withLock { $0.state } }

    /// How often a new instance took the node's place.
    package final var replacements: Int { replacementCount.load(ordering: .relaxed) }

    // MARK: Turns

    final override func turn() -> Bool {
        if hasCommands.load(ordering: .sequentiallyConsistent), hasCommands.exchange(false, ordering: .acquiring) {
            for command in commands.withLock({ taken(&$0) }) { command(self) }
        }
        // `planned` and `release` wake it again.
        if unplanned == 0, holds == 0 { passTold() }
        return unplanned == 0 && holds == 0 && work()
    }

    /// The node's own part of a turn.
    func work() -> Bool { preconditionFailure("every contract has its work") }

    /// Whether the waker was called since the last turn.
    final func takeSignal() -> Bool {
        isSignalled.load(ordering: .sequentiallyConsistent) && isSignalled.exchange(false, ordering: .acquiring)
    }

    /// Wakes this runner at an instant, maybe before: a call that is owed earlier stays, and whoever is woken by it
    /// asks again.
    final func wake(at instant: Instant) {
        if let timer {
            if timer.instant <= instant, timer.timer.isPending { return }
            timer.timer.cancel()
        }
        timer = (clock.schedule(at: instant) { [weak self] in self?.wake() }, instant)
    }

    // MARK: What befalls the node

    /// The node has something to tell; from any thread.
    private func tell(_ event: Event) {
        if told.add(event) { removals.count(.overrun) }
        wake()
    }

    /// Puts what the node told on its output, and on the links.
    private func passTold() {
        guard let events = told.take() else { return }
        for event in events { say(event) }
        flush()
    }

    /// Says what befell the node, where anybody is told; `flush` puts it on the links.
    final func say(_ event: Event?) {
        guard let event, let port = box.descriptor.supervision, !outlets[port].links.isEmpty else { return }
        box.ports.inherited = assignment.isLive ? .live : []
        var output = Output(box.ports)
        output.emit(event, on: Out<Event>(box.descriptor.outputs[port].name))
    }

    final func show(_ status: SourceStatus) { show { $0.status = status } }

    private func show(_ change: (inout Shown) -> Void) {
        let changed = shownState.withLock { shown -> SourceStatus? in
            let before = shown.state
            change(&shown)
            return shown.state == before ? nil : shown.state
        }
        if let changed { report(.state(key, changed)) }
    }

    // MARK: The node's life

    final func makeContext() -> Context {
        var context = Context(
            id: assignment.id, pipeline: environment.pipeline, camera: assignment.camera, source: assignment.source,
            isLive: assignment.isLive, isGated: !assignment.when.isEmpty, feeds: assignment.feeds,
            connected: assignment.connected, clock: clock, log: log,
            waker: Waker({ [weak self] in self?.signal() }, here: { [weak self] in self?.signal(here: true) }),
            demand: Demand { [wishes] id, want in wishes.set(id, want) }, pool: environment.pool,
            services: environment.services, origin: environment.origins.origin(of: assignment.source))
        context.events = EventTeller { [weak self] in self?.tell($0) }
        context.removals = RemovalTeller { [removals] in removals.count($0, $1) }
        context.stop = stopFlag
        context.trouble = TroubleTeller { [weak self] trouble in self?.show { $0.trouble = trouble } }
        return context
    }

    /// Finishes the node if it was opened.
    ///
    /// - Returns: Why it could not; it is open no more anyway.
    @discardableResult
    final func finishNode() -> CampipeError? {
        guard phase == .open else { return nil }
        phase = .waiting
        forgetNewest()
        do {
            try box.finish()
            return nil
        } catch {
            let failure = secrets.hidden(error)
            log.warning("cannot finish cleanly", ["cause": failure])
            removals.count(.failed, failure.lostItems ?? 0)
            return failure
        }
    }

    /// Ends for good: tells the links, finishes the node, lets the timer go.
    func end(_ cause: EndCause?, state: SourceStatus = SourceStatus(.stopped)) {
        guard phase != .ended else { return }
        // A sink may have something to tell at its end.
        let isSink = box.descriptor.contract == .sink
        var failure: CampipeError?
        if isSink {
            failure = finishNode()
            passTold()
            if let failure { say(failed(failure, isForGood: true)) }
        }
        box.ports.append(end: cause)
        flush()
        if !isSink { failure = finishNode() }
        phase = .ended
        timer?.timer.cancel()
        for outlet in outlets { outlet.forgetGroup() }
        if let failure, box.descriptor.contract != .source {
            // What it had taken and not written yet is lost: it failed as if at an item.
            report(.faltered(key, failure))
            show(SourceStatus(.failed, reason: failure.description))
        } else {
            show(state)
        }
        report(.ended(key, cause))
    }

    /// What is said of a transform, a join or a sink that failed.
    ///
    /// - Parameter isForGood: Whether there will be no other instance.
    final func failed(_ failure: CampipeError, isForGood: Bool) -> Event {
        let time = clock.wallTime(at: clock.now)
        return Event(
            .pluginFailed, id: "\(assignment.id)-\(time.microseconds / 1000)",
            captured: assignment.isLive ? clock.now : .zero, node: assignment.id,
            payload: [
                "reason": .text(failure.description), "type": .text(box.descriptor.name),
                "for_good": .bool(isForGood),
            ]
        ).at(time)
    }

    /// The pipeline stops: sources end, others as soon as they have nothing left.
    final func stop() {
        isStopping = true
        guard box.descriptor.contract == .source else { return }
        if phase != .ended, !assignment.isLive { report(.unread(key)) }
        end(nil)
    }

    /// Puts a new instance in the node's place; it is opened in a later turn.
    final func replaceNode() {
        replacementCount.wrappingAdd(1, ordering: .relaxed)
        let formats = box.ports.ports.map(\.format)
        let wanted = box.ports.ports.map(\.isWanted)
        box = assignment.registration.make(options)
        show { $0.trouble = nil }
        for index in box.ports.ports.indices {
            // The links know these formats already.
            box.ports.ports[index].format = formats[index]
            box.ports.ports[index].isWanted = wanted[index]
        }
    }

    // MARK: Outputs

    /// Items that every blocking link of the node has room for.
    ///
    /// One until all links are attached, since it may run before: its format has the graph planned, then they are
    /// there.
    final var room: Int {
        guard hasLinks else { return 1 }
        var room = Int.max
        for outlet in outlets { for link in outlet.links { room = min(room, link.room()) } }
        return room
    }

    /// Puts what the node emitted on its links.
    ///
    /// What follows a new format waits until the graph was planned for it: then the links lead to consumers that take
    /// it.
    final func flush() {
        box.ports.emitted = 0
        if box.ports.damaged > 0 {
            environment.damages.count(key, box.ports.damaged)
            box.ports.damaged = 0
        }
        guard unplanned == 0, holds == 0 else { return }
        for index in outlets.indices { offer(index) }
    }

    /// The graph was planned for a format that was announced.
    final func planned() {
        unplanned -= 1
        hasLinks = true
        flush()
    }

    /// Gives nothing until it is released: where a link was ended, what follows is for the one that takes its place.
    final func hold() { holds += 1 }

    final func release() {
        holds -= 1
        flush()
    }

    private func offer(_ index: Int) {
        guard let format = outlets[index].offer(&box.ports.ports[index]) else { return }
        unplanned += 1
        announced(format, port: index)
        report(.format(PlannedOutput(key, index), format))
    }

    final func attach(_ link: Link, output: Int) {
        outlets[output].attach(link, at: clock.now)
        // Where its end still waits, it comes by itself too.
        if phase == .ended, box.ports.ports[output].controls.isEmpty { link.offer(.end(nil)) }
    }

    /// Ends one link behind what it was offered; what comes later is for the link that takes its place.
    final func endLink(_ key: LinkKey) {
        for link in outlets.flatMap(\.links) where link.key == key { link.offer(.end(nil)) }
        detach(key)
    }

    final func detach(_ key: LinkKey) {
        for outlet in outlets { outlet.detach(key) }
    }

    /// Learns whether anybody wants what each output carries; a source that waits looks again when that changes.
    final func updateWanted() {
        var isChanged = false
        for index in outlets.indices {
            let isWanted = outlets[index].isWanted
            isChanged = isChanged || box.ports.ports[index].isWanted != isWanted
            box.ports.ports[index].isWanted = isWanted
            outlets[index].greet()
        }
        if isChanged, box.descriptor.contract == .source { signal() }
    }

    /// What it gave up to now is not to be shown any more.
    final func forgetNewest() { for outlet in outlets { outlet.forgetNewest() } }

    /// An output has a new format.
    func announced(_ format: Format, port: Int) {}

    /// Learns how it is planned now: whether its outputs are wanted, and until when.
    func learn(_ planned: PlannedNode) {}

    /// What remains of the links at the end, so that nothing holds the graph in a circle.
    func detachAll() { for outlet in outlets { outlet.detachAll() } }
}

/// Takes a value, leaving an empty one.
func taken<T: RangeReplaceableCollection>(_ value: inout T) -> T {
    defer { value = T() }
    return value
}
