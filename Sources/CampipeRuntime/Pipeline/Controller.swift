import CampipeKit

/// Plans, and performs the difference of plans, in turns of its own; the only place where a graph changes.
final class Controller: @unchecked Sendable {
    // Its state is touched in turns only; what other threads read is under `shown`.

    enum Message: Sendable {
        case start(changed: @Sendable (String, SourceStatus) -> Void, finished: @Sendable (PipelineOutcome) -> Void)
        /// What a runner tells, with its number, since a node's key may be another runner's by now.
        case report(RunnerReport, Int)
        /// A link may have been ended: what is behind it may have run dry.
        case looks
        case stop(Duration)
        case retry(String, Value.ValueMap?)
        /// The links should be drained by now.
        case deadline(Duration)
        case abandon
    }

    private struct Shown {
        var plan = Plan()
        var runners: [NodeRunner] = []
        var links: [Link] = []
        /// What became of the items of links that are gone.
        var retired = RetiredLinks()
        /// Those that are gone, and of which something is still taken before what takes their place.
        var leaving: [Link] = []
        var formats: [PlannedOutput: Format] = [:]
    }

    private let description: GraphDescription
    private let planner: Planner
    private let environment: NodeEnvironment
    private let mailbox = Lock<[Message]>([])
    private let shown = Lock(Shown())
    private let executor: any RunnerExecutor

    private var state: PlannerState
    private var plan = Plan()
    private lazy var graph = RunningGraph(factory) { [weak self] in self?.send(.report($0, $1)) }
    private let factory: RunnerFactory
    private var outcome = PipelineOutcome()
    /// What this turn brought, in order.
    private var incoming: [StateChange] = []
    private var changes = PendingChanges()
    /// Who goes on after this turn, since it was planned for what it announced.
    private var planned: [NodeKey] = []
    /// Who is held back no more after this turn.
    private var released: [NodeKey] = []
    private var isStopping = false
    private var isClosing = false
    private var changed: (@Sendable (String, SourceStatus) -> Void)?
    private var finished: (@Sendable (PipelineOutcome) -> Void)?
    private var deadline: Timer?
    private lazy var runner = TurnsRunner(executor: executor) { [weak self] in self?.turn() }

    init(
        graph: GraphDescription, registry: Registry, environment: NodeEnvironment, executor: any RunnerExecutor,
        threads: (@Sendable (String) -> any RunnerExecutor)?
    ) {
        description = graph
        planner = Planner(graph: graph, registry: registry)
        self.environment = environment
        self.executor = executor
        state = PlannerState(graph)
        factory = RunnerFactory(
            graph: graph, registry: registry, environment: environment, executor: executor, threads: threads)
        runner.setRank(0)
    }

    func send(_ message: Message) {
        mailbox.withLock { $0.append(message) }
        runner.wake()
    }

    // MARK: Turns

    private func turn() {
        var isFirst = false
        var stopsWithin: Duration?
        for message in mailbox.withLock({ taken(&$0) }) {
            switch message {
            case .start(let changed, let finished):
                self.changed = changed
                self.finished = finished
                isFirst = true
                if description.nodes.contains(where: \.inspection.isLive) {
                    environment.pulse.start(environment.clock, environment.log)
                }
            case .report(let report, let number):
                if graph.isCurrent(report, number) { take(report) }
            case .looks: break
            case .stop(let within): stopsWithin = within
            case .retry(let id, let options):
                graph.runners[.explicit(id)]?.perform { ($0 as? SourceRunner)?.retryNow(options: options) }
            case .deadline(let within): cutShort(within: within)
            case .abandon: giveUp()
            }
        }
        if finished != nil {
            adoptIncoming(isFirst: isFirst)
            adoptChanges()
        }
        // Whoever was made in this turn is stopped too.
        if let stopsWithin { stop(within: stopsWithin) }
        // Now that the links lead to consumers that take it, what follows may go.
        let waits = !changes.isEmpty
        let goOn = taken(&planned).map { ($0, true) } + taken(&released).map { ($0, false) }
        for (key, isPlanned) in goOn {
            graph.runners[key]?.perform { [weak self] runner in
                if isPlanned { runner.planned() } else { runner.release() }
                if waits { self?.send(.looks) }
            }
        }
        finishIfEnded()
    }

    private func take(_ report: RunnerReport) {
        switch report {
        case .format(let output, let format): take(format, of: output)
        case .demand(let key):
            guard case .explicit(let node) = key, let wishes = graph.runners[key]?.wishes else { return }
            incoming += wishes.take().map { .want(node, $0.id, $0.want) }
        case .gate(let key, let isOpen):
            if case .explicit(let node) = key { incoming.append(.gate(node, isOpen: isOpen)) }
        case .ended(let key, _):
            graph.hasEnded(key)
            guard case .explicit(let id) = key, description[id]?.descriptor.contract == .sink else { return }
            incoming.append(.ended(id))
        case .unread(let key): outcome.unread.append(key.description)
        case .faltered(let key, let error): outcome.failed(key.description, error)
        case .cutShort(let key, let items):
            let isLive = graph.runners[key]?.assignment.isLive ?? true
            outcome.leftovers.append(.init(node: key.description, items: items, isLive: isLive))
        case .failed(let key, let error, let stopsPipeline):
            outcome.failed(key.description, error)
            if case .explicit(let id) = key { incoming.append(.ended(id)) }
            if stopsPipeline { stop(within: .seconds(10)) }
        case .state(let key, let state):
            changed?(key.description, state)
        }
    }

    /// An output has a format; one that was planned for already changes nothing.
    private func take(_ format: Format, of output: PlannedOutput) {
        guard plan.outputFormats[output] == format else { return incoming.append(.format(output, format)) }
        state.formats[output] = format
        shown.withLock { $0.formats[output] = format }
        planned.append(output.node)
    }

    // MARK: Plans

    /// Plans for what this turn brought; what replaces something that is not live waits.
    private func adoptIncoming(isFirst: Bool) {
        var now: [StateChange] = []
        let brought = taken(&incoming)
        let ended = brought.reduce(into: state.ended) { ended, change in
            if case .ended(let node) = change { ended.insert(node) }
        }
        for change in brought where !change.isWant(ofOneOf: ended) && !changes.replace(with: change) {
            // What such a format replaces is known best when the one before it was planned for.
            if let output = change.announcer, graph.runners[output.node]?.assignment.isLive == false {
                changes.append(change)
            } else {
                // Of two that came in one turn the later one counts.
                now.removeAll(where: change.supersedes)
                now.append(change)
            }
        }
        // Mostly nothing that is not live is replaced by any of them.
        if isFirst || !now.isEmpty, adopt(now, evenIfEqual: isFirst) { return }
        for change in now where !adopt([change]) { changes.append(change) }
    }

    /// Plans for changes, unless they replace something that has to run dry first.
    ///
    /// - Returns: Whether it did.
    private func adopt(_ now: [StateChange], evenIfEqual: Bool = false) -> Bool {
        var candidate = state
        for change in now { change.apply(to: &candidate) }
        if candidate != state || evenIfEqual {
            let new = planner.plan(candidate)
            guard plan.heads(replacedBy: new).isEmpty else { return false }
            state = candidate
            adopt(new)
        }
        planned += now.compactMap { $0.announcer?.node }
        return true
    }

    /// Plans for the changes that wait, once what they replace has run dry.
    ///
    /// While it does, the plan before stays in force for it, so that formats that change within it are planned for too.
    private func adoptChanges() {
        var index = 0
        while index < changes.count {
            guard changes.isDry(changes.branch(index, in: plan), in: graph) else {
                index += 1
                continue
            }
            let pending = changes[index]
            let announcer = pending.change.announcer
            var candidate = state
            pending.change.apply(to: &candidate)
            let new = planner.plan(candidate)
            let heads = plan.heads(replacedBy: new, since: announcer).subtracting(pending.ended)
            if let lowest = pending.held.map({ plan.place(of: $0) }).max(),
                heads.contains(where: { plan.place(of: $0.from.node) <= lowest })
            {
                // Another change made more of this one: who is held would have to run dry himself.
                let branch = changes.branch(index, in: plan)
                released += changes.restart(index)
                adopt(planner.plan(state), replacing: branch)
                continue
            }
            let cut = plan.uppermost(heads)
            changes.cut(cut, for: index, of: plan, graph) { [weak self] in self?.send(.looks) }
            let branch = changes.branch(index, in: plan)
            guard changes.isDry(branch, in: graph) else {
                index += 1
                continue
            }
            if cut != heads { continue }
            released += changes[index].held
            changes.remove(at: index)
            if let announcer { planned.append(announcer.node) }
            state = candidate
            adopt(new, replacing: branch)
            // Others may wait for less now, or for what was just made.
            index = 0
        }
    }

    /// Performs what leads from the plan in force to another one.
    ///
    /// - Parameter branch: What ran dry, and goes before anything new is made, even if it is made again.
    private func adopt(_ new: Plan, replacing branch: Plan.Branch = Plan.Branch()) {
        // What cannot be fed ends, by its name.
        var failing: [(node: NodeKey, command: Orders.Command)] = []
        for (id, failure) in new.failures.sorted(by: { $0.key < $1.key }) where plan.failures[id] == nil {
            environment.log.error("cannot be fed", ["node": id, "cause": failure.error])
            outcome.failed(id, failure.error)
            let reason = failure.error.description
            failing.append(
                (
                    .explicit(id),
                    {
                        ($0 as? ConsumerRunner)?.endOnceTaken(
                            EndCause(node: id, message: reason), state: SourceStatus(.failed, reason: reason))
                    }
                ))
        }
        for id in new.off.subtracting(plan.off).sorted() { changed?(id, SourceStatus(.off)) }
        let edits = branch.edits + new.edits(from: plan.without(branch))
        changes.forget(edits)
        let replaced = changes.replaced(in: new)
        for case .remove(let key) in edits {
            state.formats = state.formats.filter { $0.key.node != key }
            planned.removeAll { $0 == key }
            released.removeAll { $0 == key }
        }
        graph.perform(edits, replaced: replaced, failing: failing, isClosing: isClosing)
        // Behind a node that ended already, a new link ends at once.
        for case .link(let link) in edits where !changes.isEmpty {
            graph.runners[link.key.from.node]?.perform { [weak self] _ in self?.send(.looks) }
        }
        plan = new
        graph.rank(by: new)
        let before = shown.withLock { $0 }
        let gone = before.leaving + before.links.filter { graph.links[$0.key] !== $0 }
        var leaving: [Link] = []
        var retired = before.retired
        for link in gone {
            if link.isReplaced, !link.isSettled {
                leaving.append(link)
            } else {
                retired.add(link.key, link.ledger.givenUp)
            }
        }
        let present = Shown(
            plan: new, runners: graph.runners(of: new),
            links: new.links.compactMap { graph.links[$0.key] }, retired: retired, leaving: leaving,
            formats: state.formats)
        shown.withLock { $0 = present }
    }

    // MARK: Ending

    private func stop(within duration: Duration) {
        guard finished != nil, !isStopping else { return }
        isStopping = true
        for runner in graph.runners(of: plan) { runner.requestStop() }
        closeConsumers()
        deadline = environment.clock.schedule(at: environment.clock.now + duration) { [weak self] in
            self?.send(.deadline(duration / 2))
        }
    }

    /// The links are not drained in time: who works through them ends with what it has, so that its file is whole.
    private func cutShort(within duration: Duration) {
        guard finished != nil else { return }
        for case let runner as ConsumerRunner in graph.runners(of: plan) {
            runner.perform { ($0 as? ConsumerRunner)?.cutShort() }
        }
        deadline = environment.clock.schedule(at: environment.clock.now + duration) { [weak self] in
            self?.send(.abandon)
        }
    }

    /// Nothing new comes any more: who takes nothing now, since nobody looks, need not wait for an end.
    private func closeConsumers() {
        guard !isClosing else { return }
        isClosing = true
        for case let runner as ConsumerRunner in graph.runners(of: plan) {
            runner.perform { ($0 as? ConsumerRunner)?.close() }
        }
    }

    private func giveUp() {
        guard finished != nil else { return }
        outcome.stragglers = plan.nodes.map(\.key).filter { !graph.ended.contains($0) && graph.runners[$0] != nil }
            .map(\.description)
        finish()
    }

    /// All sinks ended, or there is nothing left to run.
    private func finishIfEnded() {
        guard finished != nil else { return }
        let running = graph.running
        if running.nodes == 0 { return finish() }
        if running.sources == 0 { closeConsumers() }
        guard !isStopping else { return }
        let failing = plan.failures.keys.count { id in
            description[id]?.descriptor.contract == .sink && !graph.ended.contains(.explicit(id))
        }
        // Nobody is left who wants anything: the sources may go.
        if running.sinks <= failing { stop(within: .seconds(10)) }
    }

    private func finish() {
        guard let finished else { return }
        self.finished = nil
        deadline?.cancel()
        environment.pulse.stop()
        for runner in graph.runners(of: plan) { RunningGraph.letGo(runner) }
        var settled = shown.withLock { $0 }
        for link in settled.leaving { settled.retired.add(link.key, link.ledger.givenUp) }
        settled.leaving = []
        shown.withLock { $0 = settled }
        finished(outcome)
    }

    // MARK: From anywhere

    var currentPlan: Plan { shown.withLock { $0.plan } }
    var currentRunners: [NodeRunner] { shown.withLock { $0.runners } }

    var snapshot: PipelineSnapshot {
        let shown = shown.withLock { $0 }
        var retired = shown.retired
        for link in shown.leaving { retired.add(link.key, link.ledger) }
        return PipelineSnapshot(
            nodes: shown.runners.map { runner in
                PipelineSnapshot.Node(
                    key: runner.assignment.key, id: runner.assignment.id,
                    type: runner.assignment.registration.descriptor.name,
                    contract: runner.assignment.registration.descriptor.contract, isLive: runner.assignment.isLive,
                    state: runner.state, ages: (runner as? ConsumerRunner)?.ageHistogram,
                    removed: runner.removals.current, restarts: runner.replacements,
                    tastes: runner.assignment.registration.descriptor.inputs.map(\.taste))
            },
            links: shown.links.map { link in
                PipelineSnapshot.LinkState(
                    key: link.key, from: link.key.from.node.description, to: link.key.to.description,
                    isOpen: link.isOpen,
                    ledger: link.ledger, queuedBytes: link.queuedBytes)
            },
            retired: retired, damaged: environment.damages.current, off: shown.plan.off, formats: shown.formats)
    }
}
