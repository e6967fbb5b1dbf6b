import CampipeKit

@testable import CampipeRuntime

/// A pipeline of test nodes on a seeded executor and a manual clock.
final class TestPipeline {
    let clock = ManualClock()
    let collector = Collector()
    let executor: SeededExecutor
    let pipeline: Pipeline
    private let ending = Lock<PipelineOutcome?>(nil)

    private let shown = Lock<[String: [SourceStatus]]>([:])

    init(
        _ nodes: [NodeDescription], registry: Registry = Registry(), seed: UInt64 = 1,
        log: Log = .silent,
        services more: (inout Services) -> Void = { _ in }
    ) {
        executor = SeededExecutor(seed: seed)
        var services = Services()
        services.add(collector)
        more(&services)
        let environment = NodeEnvironment(pipeline: "test", clock: clock, log: log, services: services)
        pipeline = Pipeline(
            graph: GraphDescription(name: "test", nodes: nodes), registry: registry, environment: environment,
            executor: executor, threads: nil)
    }

    /// The ages that a sink counted.
    func ages(_ id: String) -> AgeHistogram? { pipeline.snapshot.nodes.first { $0.id == id }?.ages }

    /// The runner of the first node with such a key.
    func runner(where isMeant: (NodeKey) -> Bool) -> NodeRunner? {
        pipeline.runners.first { isMeant($0.assignment.key) }
    }

    var outcome: PipelineOutcome? { ending.withLock { $0 } }

    /// The states that each node showed, in order.
    var states: [String: [SourceStatus]] { shown.withLock { $0 } }

    func start() {
        pipeline.start(
            changed: { [shown] id, status in shown.withLock { $0[id, default: []].append(status) } },
            finished: { [ending] outcome in ending.withLock { $0 = outcome } })
    }

    /// Runs turns and turns the clock until the pipeline ended, or so much time passed.
    func run(for limit: Duration = .seconds(60), step: Duration = .milliseconds(1)) {
        let end = clock.now + limit
        while clock.now < end {
            while clock.now < end, executor.step() {}
            if outcome != nil { return }
            guard let next = clock.nextTimer else { return }
            clock.advance(to: min(max(next, clock.now), end))
        }
    }
}

extension NodeDescription {
    static func source<N: Source>(_ id: String, _ type: N.Type, _ options: [String: String] = [:]) -> NodeDescription {
        NodeDescription(id: id, registration: Registration(source: type), options: Value.ValueMap(options))
    }
    static func transform<N: Transform>(
        _ id: String, _ type: N.Type, from: String, _ options: [String: String] = [:], link: LinkOptions = LinkOptions()
    ) -> NodeDescription {
        NodeDescription(
            id: id, registration: Registration(transform: type), options: Value.ValueMap(options),
            inputs: [InputDescription(from: [PortReference(from)], link: link)])
    }
    static func sink<N: Sink>(
        _ id: String, _ type: N.Type, from: String, _ options: [String: String] = [:],
        link: LinkOptions = LinkOptions(),
        lateAfter: Duration? = nil
    ) -> NodeDescription {
        NodeDescription(
            id: id, registration: Registration(sink: type), options: Value.ValueMap(options),
            inputs: [InputDescription(from: [PortReference(from)], link: link)], lateAfter: lateAfter)
    }
}

extension Value.ValueMap {
    init(_ options: [String: String]) {
        self.init(options.sorted { $0.key < $1.key }.map { Entry($0.key, .plain($0.value)) })
    }
}
