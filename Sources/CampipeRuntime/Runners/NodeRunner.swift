import CampipeKit
import Synchronization

/// Runs one node: opens it, gives it turns, puts what it emits on the links, finishes it.
///
/// Everything but `wake`, `perform`, `signal` and `state` is touched in turns only.
package class NodeRunner: Runner, @unchecked Sendable {
    // Its stored state is touched in turns only; what other threads reach has a lock or is atomic.

    enum Phase { case new, open, waiting, ended }

    package let assignment: NodeAssignment
    let environment: NodeEnvironment
    let report: @Sendable (RunnerReport) -> Void
    let log: Log
    /// The links of each output.
    private(set) var outlets: [[Link]]
    var box: NodeBox
    var phase = Phase.new

    private let commands = Lock<[@Sendable (NodeRunner) -> Void]>([])
    private let hasCommands = Atomic<Bool>(false)
    private let isSignalled = Atomic<Bool>(false)
    private let shownState: Lock<SourceStatus>
    private var timer: Timer?

    package init(
        _ assignment: NodeAssignment, environment: NodeEnvironment, executor: any RunnerExecutor,
        report: @escaping @Sendable (RunnerReport) -> Void
    ) {
        self.assignment = assignment
        self.environment = environment
        self.report = report
        log = environment.log.with("node", assignment.id)
        box = assignment.registration.make(assignment.options)
        outlets = box.ports.ports.map { _ in [] }
        shownState = Lock(SourceStatus(.connecting))
        super.init(executor: executor)
    }

    var key: NodeKey { assignment.key }
    var clock: any PipelineClock { environment.clock }

    // MARK: From anywhere

    /// Has something done in the node's next turn, in order.
    package final func perform(_ command: @escaping @Sendable (NodeRunner) -> Void) {
        commands.withLock { $0.append(command) }
        hasCommands.store(true, ordering: .releasing)
        wake()
    }

    /// The node's waker was called.
    final func signal() {
        isSignalled.store(true, ordering: .releasing)
        wake()
    }

    /// How the node is.
    package final var state: SourceStatus { shownState.withLock { $0 } }

    // MARK: Turns

    final override func turn() -> Bool {
        if hasCommands.load(ordering: .relaxed), hasCommands.exchange(false, ordering: .acquiring) {
            for command in commands.withLock({ taken(&$0) }) { command(self) }
        }
        return work()
    }

    /// The node's own part of a turn.
    func work() -> Bool { preconditionFailure("every contract has its work") }

    /// Whether the waker was called since the last turn.
    final func takeSignal() -> Bool {
        isSignalled.load(ordering: .relaxed) && isSignalled.exchange(false, ordering: .acquiring)
    }

    /// Wakes this runner at an instant; only the last one asked for counts.
    final func wake(at instant: Instant) {
        timer?.cancel()
        timer = clock.schedule(at: instant) { [weak self] in self?.wake() }
    }

    final func show(_ state: SourceStatus) {
        let changed = shownState.withLock { shown -> Bool in
            defer { shown = state }
            return shown != state
        }
        if changed { report(.state(key, state)) }
    }

    // MARK: The node's life

    final func makeContext() -> Context {
        let key = key
        let report = report
        return Context(
            id: assignment.id, pipeline: environment.pipeline, camera: assignment.camera, source: assignment.source,
            isLive: assignment.isLive, isGated: !assignment.when.isEmpty, clock: clock, log: log, waker: Waker { [weak self] in self?.signal() },
            demand: Demand { id, want in report(.demand(key, id, want)) }, pool: environment.pool,
            services: environment.services)
    }

    /// Finishes the node if it was opened.
    final func finishNode() {
        guard phase == .open else { return }
        phase = .waiting
        do { try box.finish() } catch { log.warning("cannot finish cleanly", ["cause": error]) }
    }

    /// Ends for good: tells the links, finishes the node, lets the timer go.
    func end(_ cause: EndCause?, state: SourceStatus = SourceStatus(.stopped)) {
        guard phase != .ended else { return }
        box.ports.append(end: cause)
        flush()
        finishNode()
        phase = .ended
        timer?.cancel()
        show(state)
        report(.ended(key, cause))
    }

    /// Puts a new instance in the node's place; it is opened in a later turn.
    final func replaceNode() {
        let formats = box.ports.ports.map(\.format)
        let wanted = box.ports.ports.map(\.isWanted)
        box = assignment.registration.make(assignment.options)
        for index in box.ports.ports.indices {
            // The links know these formats already.
            box.ports.ports[index].format = formats[index]
            box.ports.ports[index].isWanted = wanted[index]
        }
    }

    // MARK: Outputs

    /// Items that every blocking link of the node has room for.
    final var room: Int {
        var room = Int.max
        for links in outlets { for link in links { room = min(room, link.room()) } }
        return room
    }

    /// Puts what the node emitted on its links.
    final func flush() {
        for index in outlets.indices {
            if box.ports.ports[index].items.isEmpty, box.ports.ports[index].controls.isEmpty { continue }
            for case (_, .format(let format)) in box.ports.ports[index].controls {
                report(.format(PlannedOutput(key, index), format))
            }
            offer(index)
        }
        box.ports.emitted = 0
    }

    private func offer(_ index: Int) {
        let links = outlets[index]
        for position in links.indices {
            links[position].offer(&box.ports.ports[index], isLast: position == links.count - 1)
        }
        box.ports.ports[index].items.removeAll()
        box.ports.ports[index].controls.removeAll(keepingCapacity: true)
    }

    final func attach(_ link: Link, output: Int) {
        outlets[output].append(link)
        if phase == .ended { return link.offer(.end(nil)) }
        if let format = box.ports.ports[output].format { link.offer(.format(format)) }
    }

    final func detach(_ key: LinkKey) {
        for index in outlets.indices { outlets[index].removeAll { $0.key == key } }
    }

    /// Learns whether anybody wants what each output carries.
    final func updateWanted() {
        for index in outlets.indices {
            box.ports.ports[index].isWanted = outlets[index].contains { $0.isOpen }
        }
    }

    /// Learns whether its outputs are wanted now, and how.
    func setDemand(isWanted: Bool, want: Want?) {}

    /// What remains of the links at the end, so that nothing holds the graph in a circle.
    func detachAll() { outlets = outlets.map { _ in [] } }
}

/// Takes a value, leaving an empty one.
func taken<T: RangeReplaceableCollection>(_ value: inout T) -> T {
    defer { value = T() }
    return value
}
