import CampipeKit
import Dispatch

@testable import CampipeRuntime

/// Runs a drawn graph to its end and tells what was wrong: while it ran, and of what came out.
final class DrawnRun {
    let graph: DrawnGraph
    let journal: Journal
    let pipeline: Pipeline
    private(set) var wrongs: [String] = []
    private let clock: any PipelineClock
    private let ending = Lock<PipelineOutcome?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - executor: Where its nodes run.
    ///   - clock: Its time.
    ///   - threads: Whether nodes that block have threads of their own.
    ///   - hasDeafJoins: Whether joins are broken: they forget what their primary input missed.
    init(
        _ graph: DrawnGraph, on executor: any RunnerExecutor, clock: any PipelineClock, threads: Bool, seed: UInt64,
        hasDeafJoins: Bool = false
    ) {
        self.graph = graph
        journal = Journal(hasDeafJoins: hasDeafJoins)
        self.clock = clock
        var services = Services()
        services.add(journal)
        var environment = NodeEnvironment(
            pipeline: "drawn", clock: clock, log: .silent, services: services, seed: seed)
        environment.restartLimit = .max
        pipeline = Pipeline(
            graph: GraphDescription(name: "drawn", nodes: graph.nodes), registry: Registry(), environment: environment,
            executor: executor, threads: threads ? Self.makeThread : nil)
    }

    private static let makeThread: @Sendable (String) -> any RunnerExecutor = { ThreadExecutor(name: $0) }

    var outcome: PipelineOutcome? { ending.withLock { $0 } }

    /// Runs a graph drawn by `seed` to its end, its turns in an order drawn by it too.
    ///
    /// - Parameter broken: Puts something between the nodes and the executor, to see that its faults are found.
    /// - Returns: What was wrong.
    static func seeded(
        _ seed: UInt64, onlyLive: Bool? = nil, isMixed: Bool = false, hasDeafJoins: Bool = false,
        broken: ((SeededExecutor) -> any RunnerExecutor)? = nil
    ) -> [String] {
        let executor = SeededExecutor(seed: seed)
        let clock = ManualClock()
        let graph = DrawnGraph(seed: seed, onlyLive: onlyLive, isMixed: isMixed)
        let run = DrawnRun(
            graph, on: broken?(executor) ?? executor, clock: clock, threads: false, seed: seed,
            hasDeafJoins: hasDeafJoins)
        run.run(executor, clock)
        return run.wrongs.isEmpty ? [] : ["seed \(seed)"] + run.wrongs + ["\(graph)"]
    }

    private func start() {
        pipeline.start { [ending, ended] outcome in
            ending.withLock { $0 = outcome }
            ended.signal()
        }
    }

    private func run(_ executor: SeededExecutor, _ clock: ManualClock) {
        start()
        var turns = 0
        while outcome == nil {
            if executor.step() {
                turns += 1
                if turns % 24 == 0 { checkLinks() }
                if turns > 200_000 { return wrong("it runs for ever: \(unended)") }
            } else if let next = clock.nextTimer, clock.now < .zero + .seconds(600) {
                clock.advance(to: max(next, clock.now))
            } else {
                return wrong("it is stuck: \(unended)")
            }
        }
        executor.run()
        finish()
    }

    /// Runs it in real time, where its executor runs by itself; looks at the links meanwhile.
    func run(within limit: Duration) {
        start()
        let deadline = clock.now + limit
        while ended.wait(timeout: .now() + .milliseconds(3)) == .timedOut {
            checkLinks()
            if clock.now > deadline { return wrong("it is stuck: \(unended)") }
        }
        finish()
    }

    private func finish() {
        checkLinks()
        if let outcome, !endedWell(outcome) { wrong("it ended with \(outcome)") }
        checkResults()
    }

    /// Whether only those failed that were told to.
    private func endedWell(_ outcome: PipelineOutcome) -> Bool {
        outcome.stragglers.isEmpty && outcome.leftovers.isEmpty
            && outcome.failures.allSatisfy { graph[$0.node].map { $0.options["fail_every"] != nil } ?? false }
    }

    private var unended: String {
        let snapshot = pipeline.snapshot
        return snapshot.nodes.filter { $0.state.state != .stopped }.map { "\($0.id) \($0.state)" }.joined(
            separator: ", ")
            + "\n" + snapshot.links.map { "\($0.from)-\($0.to) \($0.isOpen) \($0.ledger)" }.joined(separator: "\n")
    }

    private func wrong(_ sentence: String) { if wrongs.count < 10 { wrongs.append(sentence) } }

    // MARK: While it runs

    private func checkLinks() {
        let policies = Dictionary(
            pipeline.plan.links.map { ($0.key, $0.policy) }, uniquingKeysWith: { first, _ in first })
        for link in pipeline.snapshot.links {
            let ledger = link.ledger
            if !ledger.isBalanced { wrong("the ledger of \(link.from)-\(link.to) does not balance: \(ledger)") }
            guard let policy = policies[link.key] else { continue }
            let isAligned = graph[link.to].map { $0.descriptor.contract == .join || !$0.when.isEmpty } ?? false
            // One turn may overshoot by what one input makes, or what a node holds.
            if !isAligned, ledger.queued > policy.maxItems + (policy.whenFull == .block ? 8 : 0) {
                wrong("\(ledger.queued) items wait on \(link.from)-\(link.to), \(policy)")
            }
            let overshoot = DrawnNodes.payload.count * (policy.whenFull == .block ? 8 : 1)
            if !isAligned, link.queuedBytes > policy.maxBytes + overshoot {
                wrong("\(link.queuedBytes) bytes wait on \(link.from)-\(link.to), \(policy)")
            }
        }
    }

    // MARK: What came out

    private func checkResults() {
        let ended = Set(graph.nodes.filter { endsEarly($0) }.map(\.id))
        let wanted = wantedToTheEnd(ended)
        for node in graph.nodes {
            let record = journal[node.id]
            for sentence in record.wrongs { wrong(sentence) }
            if record.opened != record.finished {
                wrong("\(node.id) was opened \(record.opened) times and finished \(record.finished) times")
            }
            guard let main = node.inputs.first, !ended.contains(node.id) else { continue }
            // Where nobody looks at the end, who waits for its restart then is not waited for.
            if node.options["fail_every"] != nil, !wanted.contains(node.id) { continue }
            let made = main.from.reduce(0) { $0 + self.made($1) }
            if record.arrived != made {
                wrong("\(node.id) got \(record.received) items and gaps for \(record.missed) of \(made)")
            }
            for side in node.inputs.dropFirst() where wanted.contains(node.id) { checkSide(side, of: node, record) }
        }
        for link in pipeline.snapshot.links where !isLive(link.key.from.node) {
            // Who wants no more, or whose primary ended, is brought no more.
            let mayEnd = link.key.input > 0 || !wanted.contains(link.to) || isForLive(link.to)
            for (reason, count) in link.ledger.drops where !(mayEnd && reason == .noDemand) {
                wrong("\(link.from)-\(link.to) is not live and dropped \(count), \(reason)")
            }
        }
    }

    /// How many items a port's stream has: those that were emitted, and those that gaps answer for.
    private func made(_ port: PortReference) -> Int {
        guard let node = graph[port.node] else { return 0 }
        let record = journal[port.node]
        guard node.descriptor.contract != .source else { return record.emitted[0].count }
        guard case .scalar(let copies)? = node.options["copies"], port.port == "out", let copies = Int(copies.text)
        else { return record.arrived }
        return (record.received - record.failed) * copies + record.failed + record.missed
    }

    /// Whether each side item came with the first primary that was captured at or after it, and all came.
    private func checkSide(_ side: InputDescription, of node: NodeDescription, _ record: NodeRecord) {
        let came = record.sides[side.port] ?? []
        for (item, primary) in came where item > primary { wrong("\(node.id): a side of \(item) came with \(primary)") }
        for (before, after) in zip(came, came.dropFirst()) where after.side < before.side {
            wrong("\(node.id): a side of \(after.side) after one of \(before.side)")
        }
        // Live sides may be late, and gates leave primaries out.
        guard !isLive(.explicit(node.id)), node.when.isEmpty, let from = side.from.first else { return }
        let emitted = journal[from.node].emitted[from.port == "events" ? 1 : 0]
        let due = emitted.filter { $0 <= record.lastPrimary }.sorted()
        if came.map(\.side) != due {
            wrong("\(node.id): of \(due.count) items of \(side.port) up to \(record.lastPrimary) came \(came.count)")
        }
    }

    /// The sinks that take all, and what leads to their main inputs.
    private func wantedToTheEnd(_ ended: Set<String>) -> Set<String> {
        var wanted: Set<String> = []
        for node in graph.nodes.reversed() {
            let isSink = node.descriptor.contract == .sink
            if isSink ? ended.contains(node.id) : !wanted.contains(node.id) { continue }
            wanted.insert(node.id)
            for reference in node.inputs.first?.from ?? [] { wanted.insert(reference.node) }
        }
        return wanted
    }

    /// Whether a node wants no more at some time: then what it missed is nobody's business.
    private func endsEarly(_ node: NodeDescription) -> Bool {
        if case .scalar(let limit)? = node.options["limit"] { return limit.text != "0" }
        return false
    }

    /// Whether a node is live, or feeds one that is, which may be closed by its `when`.
    private func isForLive(_ id: String) -> Bool {
        isLive(.explicit(id))
            || graph.nodes.contains { node in
                node.inputs.contains { $0.from.contains { $0.node == id } } && isForLive(node.id)
            }
    }

    private func isLive(_ key: NodeKey) -> Bool {
        pipeline.plan.nodes.first { $0.key == key }?.isLive ?? false
    }
}
