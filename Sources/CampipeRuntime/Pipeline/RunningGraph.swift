import CampipeKit

/// The runners and links that are there; only edits change them.
struct RunningGraph {
    private(set) var runners: [NodeKey: NodeRunner] = [:]
    private(set) var links: [LinkKey: Link] = [:]
    /// Nodes that ended and have not been removed.
    private(set) var ended: Set<NodeKey> = []
    /// How many have not ended. Counted, since the end is looked for whenever one of them ends.
    private(set) var running = (nodes: 0, sources: 0, sinks: 0)
    /// Of each runner, so that the reports of one that is gone are told from those of its successor.
    private var numbers: [NodeKey: Int] = [:]
    private var lastNumber = 0
    private let factory: RunnerFactory
    private let report: @Sendable (RunnerReport, Int) -> Void

    /// - Parameter report: Told what runners report, with the runner's number.
    init(_ factory: RunnerFactory, report: @escaping @Sendable (RunnerReport, Int) -> Void) {
        self.factory = factory
        self.report = report
    }

    /// Whether a report is of a runner that is still the node's; how a node is may be told by one that goes.
    func isCurrent(_ report: RunnerReport, _ number: Int) -> Bool {
        switch report {
        case .state, .faltered, .cutShort, .unread: true
        case .format(let output, _): numbers[output.node] == number
        case .demand(let key), .gate(let key, _), .ended(let key, _), .failed(let key, _, _):
            numbers[key] == number
        }
    }

    mutating func hasEnded(_ key: NodeKey) {
        guard let runner = runners[key], ended.insert(key).inserted else { return }
        count(runner, -1)
    }

    private mutating func count(_ runner: NodeRunner, _ change: Int) {
        running.nodes += change
        switch runner.assignment.registration.descriptor.contract {
        case .source: running.sources += change
        case .sink: running.sinks += change
        case .transform, .join: break
        }
    }

    /// The runners of the plan in force, in its order, so that equal runs are equal.
    func runners(of plan: Plan) -> [NodeRunner] { plan.nodes.compactMap { runners[$0.key] } }

    /// Performs steps in order; each runner is told all of them at once.
    ///
    /// - Parameters:
    ///   - replaced: Links whose end means that another takes their place.
    ///   - failing: What those are told whose links go since they cannot be fed; before they go, in order.
    ///   - isClosing: Whether new consumers are told that nothing new comes.
    mutating func perform(
        _ edits: [Edit], replaced: Set<LinkKey>, failing: [(node: NodeKey, command: Orders.Command)], isClosing: Bool
    ) {
        var orders = Orders()
        var leaving: [NodeRunner] = []
        let isNew = failing.map { runners[$0.node] == nil }
        for (failure, isNew) in zip(failing, isNew) where !isNew {
            if let runner = runners[failure.node] { orders.add(runner, failure.command) }
        }
        for edit in edits { perform(edit, &orders, &leaving, isClosing: isClosing) }
        for (failure, isNew) in zip(failing, isNew) where isNew {
            if let runner = runners[failure.node] { orders.add(runner, failure.command) }
        }
        for key in replaced { links[key]?.replace() }
        orders.give()
        for runner in leaving { Self.letGo(runner) }
    }

    private mutating func perform(
        _ edit: Edit, _ orders: inout Orders, _ leaving: inout [NodeRunner], isClosing: Bool
    ) {
        switch edit {
        case .add(let node):
            guard let runner = makeRunner(node) else { return }
            runners[node.key] = runner
            count(runner, 1)
            if isClosing { orders.add(runner) { ($0 as? ConsumerRunner)?.close() } }
            orders.add(runner) { $0.learn(node) }
        case .updateNode(let node):
            guard let runner = runners[node.key] else { return }
            orders.add(runner) { $0.learn(node) }
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
            if let from = runners[key.from.node] {
                orders.add(from) {
                    $0.detach(key)
                    $0.updateWanted()
                }
            }
            if let to = runners[key.to] { orders.add(to) { ($0 as? ConsumerRunner)?.detach(inlet: key) } }
        case .remove(let key):
            guard let runner = runners.removeValue(forKey: key) else { return }
            if ended.remove(key) == nil { count(runner, -1) }
            numbers[key] = nil
            leaving.append(runner)
        }
    }

    private mutating func makeRunner(_ node: PlannedNode) -> NodeRunner? {
        lastNumber += 1
        numbers[node.key] = lastNumber
        return factory.make(node) { [report, lastNumber] in report($0, lastNumber) }
    }

    /// Ends a node, if it has not ended, and lets go of its links and its thread.
    static func letGo(_ runner: NodeRunner) {
        runner.perform { runner in
            runner.end(nil)
            runner.detachAll()
        }
        (runner.executor as? ThreadExecutor)?.stop()
    }

    /// Who is nearer to a sink goes first.
    func rank(by plan: Plan) {
        var distance: [NodeKey: Int] = [:]
        // Links stand in the order of the nodes that they lead to, so that one pass from the end sees each node's own
        // distance before those of who feeds it.
        for link in plan.links.reversed() {
            let (from, to) = (link.key.from.node, link.key.to)
            distance[from] = max(distance[from] ?? 0, (distance[to] ?? 0) + 1)
        }
        for node in plan.nodes { runners[node.key]?.setRank(distance[node.key] ?? 0) }
    }
}
