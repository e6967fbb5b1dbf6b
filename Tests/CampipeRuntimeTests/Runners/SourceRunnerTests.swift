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
}
