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
        /// A subscription that ended so long ago that its chain may go, unless it came back since.
        case lingered(String, Demand.ID, Int)
        case stop(Duration)
        case retry(String, Value.ValueMap?)
        case deadline
    }

    private struct Shown {
        var plan = Plan()
        var runners: [NodeRunner] = []
        var links: [Link] = []
        var retired = RetiredLinks()
        var formats: [PlannedOutput: Format] = [:]
    }

    /// How long a subscription that ended keeps its chain, for a viewer that comes back.
    static let linger = Duration.seconds(2)

    private let graph: GraphDescription
    private let planner: Planner
    private let registry: Registry
    private let environment: NodeEnvironment
    private let threads: (@Sendable (String) -> any RunnerExecutor)?
    private let executor: any RunnerExecutor
    private let mailbox: Lock<[Message]>
    private let shown: Lock<Shown>

    private var state: PlannerState
    private var plan = Plan()
    private var runners: [NodeKey: NodeRunner] = [:]
    private var links: [LinkKey: Link] = [:]
    private struct Lingering {
        let number: Int
        let timer: Timer
    }
    private var lingering: [String: [Demand.ID: Lingering]] = [:]
    private var lingerings = 0
    private var outcome = PipelineOutcome()
    private var ended: Set<NodeKey> = []
    /// Of each runner, so that the reports of one that is gone are told from those of its successor.
    private var numbers: [NodeKey: Int] = [:]
    private var lastNumber = 0
    /// Formats of what is not live that wait until what they replace has run dry, in the order of their coming.
    private var changes: [FormatChange] = []
    /// Who goes on after this turn, since it was planned for what it announced.
    private var planned: [NodeKey] = []
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
        self.graph = graph
        self.registry = registry
        self.environment = environment
        self.threads = threads
        planner = Planner(graph: graph, registry: registry)
        state = PlannerState(graph)
        shown = Lock(Shown())
        mailbox = Lock([])
        self.executor = executor
        runner.setRank(0)
    }

    func send(_ message: Message) {
        mailbox.withLock { $0.append(message) }
        runner.wake()
    }

    // MARK: Turns

    private func turn() {
        let before = state
        var plans = false
        for message in mailbox.withLock({ taken(&$0) }) {
            switch message {
            case .start(let changed, let finished):
                self.changed = changed
                self.finished = finished
                plans = true
            case .report(let report, let number):
                if isCurrent(report, number) { take(report) }
            case .looks: break
            case .lingered(let id, let subscription, let number):
                guard lingering[id]?[subscription]?.number == number else { continue }
                lingering[id]?[subscription] = nil
                state.subscriptions[id]?[subscription] = nil
            case .stop(let within): stop(within: within)
            case .retry(let id, let options):
                runners[.explicit(id)]?.perform { ($0 as? SourceRunner)?.retryNow(options: options) }
            case .deadline: giveUp()
            }
        }
        if finished != nil {
            if plans || state != before { adopt(planner.plan(state)) }
            adoptChanges()
        }
        // Now that the links lead to consumers that take the format, what follows it may go.
        let waits = !changes.isEmpty
        for key in taken(&planned) {
            runners[key]?.perform { [weak self] runner in
                runner.planned()
                if waits { self?.send(.looks) }
            }
        }
        finishIfEnded()
    }

    /// Whether a report is of a runner that is still the node's; how a node is may be told by one that goes.
    private func isCurrent(_ report: RunnerReport, _ number: Int) -> Bool {
        switch report {
        case .state: true
        case .format(let output, _): numbers[output.node] == number
        case .demand(let key, _, _), .gate(let key, _), .ended(let key, _), .failed(let key, _, _):
            numbers[key] == number
        }
    }

    private func take(_ report: RunnerReport) {
        switch report {
        case .format(let output, let format):
            if runners[output.node]?.assignment.isLive == false {
                changes.append(FormatChange(output, format))
            } else {
                state.formats[output] = format
                planned.append(output.node)
            }
        case .demand(let key, let id, let want):
            if case .explicit(let node) = key { setDemand(node, id, want) }
        case .gate(let key, let isOpen):
            if case .explicit(let node) = key { state.gates[node] = isOpen }
        case .ended(let key, _):
            ended.insert(key)
            guard case .explicit(let id) = key, graph[id]?.descriptor.contract == .sink else { return }
            state.ended.insert(id)
        case .failed(let key, let error, let stopsPipeline):
            let id = name(of: key)
            outcome.failures.append((id, error))
            if case .explicit(let id) = key { state.ended.insert(id) }
            if stopsPipeline { stop(within: .seconds(10)) }
        case .state(let key, let state):
            changed?(name(of: key), state)
        }
    }

    /// Sets a subscription; one that ends keeps its chain for a moment.
    private func setDemand(_ node: String, _ id: Demand.ID, _ want: Want?) {
        lingering[node]?.removeValue(forKey: id)?.timer.cancel()
        if let want {
            state.subscriptions[node, default: [:]][id] = want
        } else if state.subscriptions[node]?[id] != nil {
            lingerings += 1
            let number = lingerings
            let timer = environment.clock.schedule(at: environment.clock.now + Self.linger) { [weak self] in
                self?.send(.lingered(node, id, number))
            }
            lingering[node, default: [:]][id] = Lingering(number: number, timer: timer)
        }
    }

    private func name(of key: NodeKey) -> String {
        if case .explicit(let id) = key { id } else { key.description }
    }

    // MARK: Plans

    /// Plans for the formats that wait, once what they replace has run dry.
    ///
    /// While it does, the plan before stays in force for it, so that formats that change within it are planned for too.
    private func adoptChanges() {
        var index = 0
        while index < changes.count {
            guard isDry(plan.branch(behind: changes[index].ended)) else {
                index += 1
                continue
            }
            var candidate = state
            candidate.formats[changes[index].output] = changes[index].format
            let new = planner.plan(candidate)
            let heads = plan.heads(replacedBy: new, since: changes[index].output)
            endLinks(heads.subtracting(changes[index].ended), for: index)
            let branch = plan.branch(behind: changes[index].ended)
            guard isDry(branch) else {
                index += 1
                continue
            }
            planned.append(changes.remove(at: index).output.node)
            state = candidate
            adopt(new, replacing: branch)
            // Others may wait for less now, or for what was just made.
            index = 0
        }
    }

    /// Whether all that was fed to a part of the graph has reached the links to its consumers.
    private func isDry(_ branch: Plan.Branch) -> Bool {
        branch.nodes.allSatisfy(ended.contains) && branch.tails.allSatisfy { links[$0]?.isOver ?? true }
            && !changes.contains { branch.nodes.contains($0.output.node) }
    }

    /// Ends links for a change, behind what they were offered.
    private func endLinks(_ heads: Set<LinkKey>, for change: Int) {
        changes[change].ended.formUnion(heads)
        for key in plan.branch(behind: changes[change].ended).tails { links[key]?.replace() }
        for key in heads {
            guard let from = runners[key.from.node] else { continue }
            from.perform { [weak self] runner in
                runner.endLink(key)
                self?.send(.looks)
            }
        }
    }

    /// Performs what leads from the plan in force to another one.
    ///
    /// - Parameter branch: What ran dry, and goes before anything new is made, even if it is made again.
    private func adopt(_ new: Plan, replacing branch: Plan.Branch = Plan.Branch()) {
        for (id, failure) in new.failures where plan.failures[id] == nil {
            environment.log.error("cannot be fed", ["node": id, "cause": failure.error])
            outcome.failures.append((id, failure.error))
        }
        for id in new.off.subtracting(plan.off) { changed?(id, SourceStatus(.off)) }
        var orders = Orders()
        var leaving: [NodeRunner] = []
        let replaced = Set(changes.flatMap { new.branch(behind: $0.ended).tails })
        for edit in branch.edits + new.edits(from: plan.without(branch)) { perform(edit, &orders, &leaving) }
        for key in replaced { links[key]?.replace() }
        orders.give()
        for runner in leaving { letGo(runner) }
        // What cannot be fed ends, by its name.
        for (id, failure) in new.failures where plan.failures[id] == nil {
            let reason = failure.error.description
            runners[.explicit(id)]?.perform {
                ($0 as? ConsumerRunner)?.endOnceTaken(
                    EndCause(node: id, message: reason), state: SourceStatus(.failed, reason: reason))
            }
        }
        plan = new
        rankRunners()
        var retired = shown.withLock { $0.retired }
        for link in shown.withLock({ $0.links }) where links[link.key] !== link { retired.add(link.key, link.ledger) }
        let present = Shown(
            plan: new, runners: new.nodes.compactMap { runners[$0.key] }, links: new.links.compactMap { links[$0.key] },
            retired: retired, formats: state.formats)
        shown.withLock { $0 = present }
    }

    private func perform(_ edit: Edit, _ orders: inout Orders, _ leaving: inout [NodeRunner]) {
        switch edit {
        case .add(let node):
            guard let runner = makeRunner(node) else { return }
            runners[node.key] = runner
            if isClosing { orders.add(runner) { ($0 as? ConsumerRunner)?.close() } }
            orders.add(runner) { $0.setDemand(isWanted: node.isWanted, want: node.want) }
        case .updateNode(let node):
            guard let runner = runners[node.key] else { return }
            orders.add(runner) { $0.setDemand(isWanted: node.isWanted, want: node.want) }
        case .link(let planned):
            guard let from = runners[planned.key.from.node], let to = runners[planned.key.to] else { return }
            let link = Link(planned, from: from, to: to)
            links[planned.key] = link
            orders.add(to) { ($0 as? ConsumerRunner)?.attach(inlet: link) }
            orders.add(from) {
                $0.attach(link, output: planned.key.from.port)
                $0.updateWanted()
            }
        case .updateLink(let planned):
            guard let link = links[planned.key] else { return }
            link.update(planned)
            link.producer.wake()
            if let from = runners[planned.key.from.node] { orders.add(from) { $0.updateWanted() } }
        case .unlink(let key):
            guard links.removeValue(forKey: key) != nil else { return }
            for index in changes.indices { changes[index].ended.remove(key) }
            if let from = runners[key.from.node] {
                orders.add(from) {
                    $0.detach(key)
                    $0.updateWanted()
                }
            }
            if let to = runners[key.to] { orders.add(to) { ($0 as? ConsumerRunner)?.detach(inlet: key) } }
        case .remove(let key):
            guard let runner = runners.removeValue(forKey: key) else { return }
            state.formats = state.formats.filter { $0.key.node != key }
            ended.remove(key)
            numbers[key] = nil
            changes.removeAll { $0.output.node == key }
            leaving.append(runner)
        }
    }

    /// Ends a node, if it has not ended, and lets go of its links and its thread.
    private func letGo(_ runner: NodeRunner) {
        runner.perform { runner in
            runner.end(nil)
            runner.detachAll()
        }
        (runner.executor as? ThreadExecutor)?.stop()
    }

    private func makeRunner(_ node: PlannedNode) -> NodeRunner? {
        guard let assignment = assignment(for: node) else { return nil }
        let executor: any RunnerExecutor =
            if assignment.registration.descriptor.execution == .ownThread, let threads { threads(assignment.id) } else {
                executor
            }
        lastNumber += 1
        let number = lastNumber
        numbers[node.key] = number
        let report: @Sendable (RunnerReport) -> Void = { [weak self] in self?.send(.report($0, number)) }
        return assignment.registration.descriptor.contract == .source
            ? SourceRunner(assignment, environment: environment, executor: executor, report: report)
            : ConsumerRunner(assignment, environment: environment, executor: executor, report: report)
    }

    private func assignment(for node: PlannedNode) -> NodeAssignment? {
        switch node.key {
        case .explicit(let id):
            guard let description = graph[id] else { return nil }
            var assignment = NodeAssignment(
                key: node.key, id: id, registration: description.registration, options: description.options,
                source: source(of: id), isLive: node.isLive)
            assignment.camera = description.camera
            assignment.onError = description.onError
            assignment.when = description.when
            assignment.stallAfter = description.stallAfter
            assignment.reconnects = description.reconnects
            assignment.onDemand = description.onDemand
            return assignment
        case .implicit(let role, let upstream, let request, _):
            guard let registration = registry.converter(role) else { return nil }
            let origin = upstream.node.origin
            var assignment = NodeAssignment(
                key: node.key, id: node.key.description, registration: registration, options: request.options,
                source: source(of: origin), isLive: node.isLive)
            assignment.camera = graph[origin]?.camera
            // One picture that cannot be converted must not take the stream away.
            assignment.onError = .skip
            return assignment
        }
    }

    /// The source that feeds a node's main input.
    private func source(of id: String) -> String {
        var id = id
        for _ in 0..<graph.nodes.count {
            guard let node = graph[id], let from = node.inputs.first?.from.first else { break }
            id = from.node
        }
        return id
    }

    /// Who is nearer to a sink goes first.
    private func rankRunners() {
        var distance: [NodeKey: Int] = [:]
        for node in plan.nodes.reversed() {
            let own = distance[node.key] ?? 0
            runners[node.key]?.setRank(own)
            for link in plan.links where link.key.to == node.key {
                distance[link.key.from.node] = max(distance[link.key.from.node] ?? 0, own + 1)
            }
        }
    }

    // MARK: Ending

    private func stop(within duration: Duration) {
        guard finished != nil, !isStopping else { return }
        isStopping = true
        for runner in runners.values { runner.perform { $0.stop() } }
        closeConsumers()
        deadline = environment.clock.schedule(at: environment.clock.now + duration) { [weak self] in
            self?.send(.deadline)
        }
    }

    /// Nothing new comes any more: who takes nothing now, since nobody looks, need not wait for an end.
    private func closeConsumers() {
        guard !isClosing else { return }
        isClosing = true
        for runner in runners.values { (runner as? ConsumerRunner)?.perform { ($0 as? ConsumerRunner)?.close() } }
    }

    private func giveUp() {
        guard finished != nil else { return }
        outcome.stragglers = plan.nodes.map(\.key).filter { !ended.contains($0) && runners[$0] != nil }.map(name)
        finish()
    }

    /// All sinks ended, or there is nothing left to run.
    private func finishIfEnded() {
        guard finished != nil else { return }
        let running = plan.nodes.filter { !ended.contains($0.key) }.map(\.key)
        if running.isEmpty { return finish() }
        if plan.nodes.allSatisfy({ !isSource($0.key) || ended.contains($0.key) }) { closeConsumers() }
        let sinks = plan.nodes.filter { node in
            if case .explicit(let id) = node.key { graph[id]?.descriptor.contract == .sink } else { false }
        }
        // Nobody is left who wants anything: the sources may go.
        if !isStopping, sinks.allSatisfy({ ended.contains($0.key) || plan.failures[name(of: $0.key)] != nil }) {
            stop(within: .seconds(10))
        }
    }

    private func isSource(_ key: NodeKey) -> Bool {
        if case .explicit(let id) = key { graph[id]?.descriptor.contract == .source } else { false }
    }

    private func finish() {
        guard let finished else { return }
        self.finished = nil
        deadline?.cancel()
        for timer in lingering.values.flatMap(\.values) { timer.timer.cancel() }
        for runner in runners.values { letGo(runner) }
        let outcome = outcome
        finished(outcome)
    }

    // MARK: From anywhere

    var currentPlan: Plan { shown.withLock { $0.plan } }
    var currentRunners: [NodeRunner] { shown.withLock { $0.runners } }

    var snapshot: PipelineSnapshot {
        let shown = shown.withLock { $0 }
        return PipelineSnapshot(
            nodes: shown.runners.map { runner in
                PipelineSnapshot.Node(
                    key: runner.assignment.key, id: runner.assignment.id,
                    type: runner.assignment.registration.descriptor.name,
                    contract: runner.assignment.registration.descriptor.contract, isLive: runner.assignment.isLive,
                    state: runner.state, ages: (runner as? ConsumerRunner)?.ageHistogram,
                    removed: ((runner as? SourceRunner)?.removals ?? (runner as? ConsumerRunner)?.removals)?.current
                        ?? [:])
            },
            links: shown.links.map { link in
                PipelineSnapshot.LinkState(
                    key: link.key, from: name(of: link.key.from.node), to: name(of: link.key.to), isOpen: link.isOpen,
                    ledger: link.ledger, queuedBytes: link.queuedBytes)
            },
            retired: shown.retired, off: shown.plan.off, formats: shown.formats)
    }
}
