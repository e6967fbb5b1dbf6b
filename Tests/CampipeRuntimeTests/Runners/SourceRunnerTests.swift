import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct SourceRunnerTests {
    @Test("A source that runs before its links are attached makes one item, so that it cannot overfill them")
    func withoutLinks() {
        let executor = SeededExecutor(seed: 1)
        let runner = SourceRunner(
            NodeAssignment(
                key: .explicit("s"), id: "s", registration: Registration(source: CountingSource.self),
                options: Value.ValueMap(), source: "s", isLive: false),
            environment: NodeEnvironment(pipeline: "test", clock: ManualClock(), log: .silent), executor: executor,
            report: { _ in })
        runner.wake()
        executor.run()
        #expect(runner.box.ports.ports[0].emitted == 1)
    }

    @Test(
        "A node tells that it failed before it tells that it ended, so that the outcome knows",
        arguments: [true, false])
    func failureFirst(isSource: Bool) {
        let reports = Lock<[String]>([])
        let report = { @Sendable (report: RunnerReport) in
            switch report {
            case .failed: reports.withLock { $0.append("failed") }
            case .ended: reports.withLock { $0.append("ended") }
            default: break
            }
        }
        let executor = SeededExecutor(seed: 1)
        let assignment = NodeAssignment(
            key: .explicit("s"), id: "s",
            registration: isSource
                ? Registration(source: NeverOpening.self) : Registration(sink: NeverOpeningSink.self),
            options: Value.ValueMap(), source: "s", isLive: false)
        let environment = NodeEnvironment(pipeline: "test", clock: ManualClock(), log: .silent)
        let runner: NodeRunner =
            isSource
            ? SourceRunner(assignment, environment: environment, executor: executor, report: report)
            : ConsumerRunner(assignment, environment: environment, executor: executor, report: report)
        runner.wake()
        executor.run()
        #expect(reports.withLock { $0 } == ["failed", "ended"])
    }
}

private struct NeverOpening: Source {
    static let name = "never"
    static let summary = "Cannot be opened."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    mutating func open(_ context: borrowing Context) throws { throw CampipeError(.notFound, "there is none") }
    mutating func next(to output: inout Output) throws -> Next { .ended }
}

private struct NeverOpeningSink: Sink {
    typealias Input = Packet
    static let name = "never"
    static let summary = "Cannot be opened."
    mutating func open(_ context: borrowing Context) throws { throw CampipeError(.notFound, "there is none") }
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
}
