import CampipeKit
import Dispatch
import Testing

@testable import CampipeRuntime

/// The end of a pipeline: in order, within a deadline, naming who did not finish (design 4.5).
@Suite struct ShutdownTests {
    @Test("A stopped pipeline ends its sources, drains its links and finishes its sinks, in order", arguments: 1...20)
    func ordered(seed: Int) {
        let test = TestPipeline(
            [
                .source("a", CountingSource.self, ["count": "1000000", "rate": "1000"]),
                .transform("b", PassingTransform.self, from: "a"), .sink("c", CollectingSink.self, from: "b"),
                .sink("d", CollectingSink.self, from: "b"),
            ], seed: UInt64(seed))
        test.start()
        test.run(for: .seconds(1))
        test.pipeline.stop()
        test.run()
        #expect(test.outcome?.isClean == true)
        for sink in ["c", "d"] {
            let numbers = test.collector.numbers(sink)
            #expect(numbers == Array(0..<numbers.count))
            #expect(numbers.count >= 990)
            #expect(test.collector[sink].count { $0 == .finished } == 1)
            #expect(test.collector[sink].last == .finished)
        }
        for link in test.pipeline.snapshot.links { #expect(link.ledger.taken == link.ledger.offered) }
    }

    @Test("A pipeline that is stopped as soon as it was started ends at once")
    func atOnce() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "1000", "rate": "10", "live": "true"]),
            .sink("c", CollectingSink.self, from: "a"),
        ])
        test.start()
        test.pipeline.stop()
        test.run(for: .seconds(1))
        #expect(test.outcome?.leftovers == [] && test.outcome?.stragglers == [])
    }

    @Test("A sink that pauses for ever is finished at the deadline, what waits for it is dropped as stopped, and told")
    func pausing() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "1000", "rate": "10", "live": "true"]),
            .sink("stuck", StuckSink.self, from: "a"), .sink("c", CollectingSink.self, from: "a"),
        ])
        test.start()
        test.run(for: .seconds(2))
        test.pipeline.stop(within: .seconds(10))
        test.run(for: .seconds(9.9))
        #expect(test.outcome == nil)
        #expect(test.collector["c"].last == .finished)
        test.run(for: .seconds(1))
        #expect(test.outcome?.stragglers == [] && test.outcome?.isClean == true)
        #expect(test.outcome?.leftovers == [.init(node: "stuck", items: 1, isLive: true)])
        let link = test.pipeline.snapshot.links.first { $0.to == "stuck" }
        #expect(link?.ledger.dropped(.stopped) == 1 && link?.ledger.isBalanced == true)
    }

    @Test("A recorder that cannot keep up is finished at the deadline with what it has, not left open and named")
    func slowRecorder() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "1000", "rate": "10", "live": "true"]),
            .sink(
                "rec", SlowSink.self, from: "a", ["seconds": "1"],
                link: LinkOptions(whenFull: .dropNewest, maxItems: 100)),
        ])
        test.start()
        test.run(for: .seconds(12))
        test.pipeline.stop(within: .seconds(10))
        test.run(for: .seconds(30))
        let outcome = test.outcome
        #expect(outcome?.stragglers == [] && outcome?.isClean == true)
        #expect(outcome?.leftovers.map(\.node) == ["rec"])
        let link = test.pipeline.snapshot.links.first { $0.to == "rec" }
        #expect(outcome?.leftovers.first?.items == link?.ledger.dropped(.stopped))
        #expect(link?.ledger.dropped(.stopped) ?? 0 > 50 && link?.ledger.isBalanced == true)
        #expect(test.collector["rec"].last == .finished)
        #expect(test.collector.numbers("rec").count == link?.ledger.taken)
    }

    @Test("A batch that a stop cuts short did not keep what it was to keep")
    func slowBatch() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "1000"]),
            .transform("b", PassingTransform.self, from: "a"), .sink("c", SlowSink.self, from: "b", ["seconds": "1"]),
        ])
        test.start()
        test.run(for: .seconds(5))
        test.pipeline.stop(within: .seconds(10))
        test.run(for: .seconds(30))
        #expect(test.outcome?.stragglers == [] && test.outcome?.isClean == false)
        let left = test.outcome?.leftovers.reduce(0) { $0 + $1.items }
        let dropped = test.pipeline.snapshot.links.reduce(0) { $0 + $1.ledger.dropped(.stopped) }
        #expect(left == dropped && dropped > 20)
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced && $0.ledger.queued == 0 })
        #expect(test.collector["c"].last == .finished)
    }

    @Test("A second signal ends at once, and what was open is finished")
    func abandon() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "1000", "rate": "10", "live": "true"]),
            .sink("stuck", StuckSink.self, from: "a"), .sink("c", CollectingSink.self, from: "a"),
        ])
        test.start()
        test.run(for: .seconds(2))
        test.pipeline.abandon()
        test.executor.run()
        #expect(Set(test.outcome?.stragglers ?? []) == ["a", "stuck", "c"])
        #expect(test.collector["c"].last == .finished)
        #expect(test.collector["c"].count { $0 == .finished } == 1)
    }

    @Test("A pipeline in which everything is off ends")
    func allOff() {
        var source = NodeDescription.source("a", CountingSource.self)
        source.isEnabled = false
        let test = TestPipeline([source, .sink("c", CollectingSink.self, from: "a")])
        test.start()
        test.run()
        #expect(test.outcome?.isClean == true)
    }

    @Test("A sink that blocks its own thread holds up neither siblings nor the end, and is named; it finishes once")
    func blocked() throws {
        let collector = Collector()
        let latch = Latch()
        var services = Services()
        services.add(collector)
        services.add(latch)
        let pipeline = Pipeline(
            graph: GraphDescription(
                name: "test",
                nodes: [
                    .source("a", CountingSource.self, ["count": "100000", "rate": "1000", "live": "true"]),
                    .sink("stuck", BlockingSink.self, from: "a"), .sink("c", CollectingSink.self, from: "a"),
                ]), registry: Registry(),
            environment: NodeEnvironment(pipeline: "test", clock: SystemClock(), log: .silent, services: services))
        let outcome = Lock<PipelineOutcome?>(nil)
        let ended = DispatchSemaphore(value: 0)
        pipeline.start { result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
        let deadline = SystemClock().now + .seconds(20)
        while collector.numbers("c").count < 50, SystemClock().now < deadline {
            _ = ended.wait(timeout: .now() + .milliseconds(2))
        }
        #expect(collector.numbers("stuck").count == 1)
        pipeline.stop(within: .milliseconds(200))
        #expect(ended.wait(timeout: .now() + .seconds(20)) == .success)
        #expect(outcome.withLock { $0?.stragglers } == ["stuck"])
        #expect(collector["c"].last == .finished)
        latch.open()
        #expect(latch.waitForFinish())
        #expect(collector["stuck"].count { $0 == .finished } == 1)
        #expect(collector.numbers("stuck").count == 1)
    }

    @Test("A transform that hangs in its turn on the pool holds up neither siblings nor the end, and is named")
    func hanging() throws {
        let collector = Collector()
        let latch = Latch()
        var services = Services()
        services.add(collector)
        services.add(latch)
        let pipeline = Pipeline(
            graph: GraphDescription(
                name: "test",
                nodes: [
                    .source("a", CountingSource.self, ["count": "100000", "rate": "1000", "live": "true"]),
                    .transform("stuck", HangingTransform.self, from: "a"),
                    .sink("behind", CollectingSink.self, from: "stuck"), .sink("c", CollectingSink.self, from: "a"),
                ]), registry: Registry(),
            environment: NodeEnvironment(pipeline: "test", clock: SystemClock(), log: .silent, services: services))
        let outcome = Lock<PipelineOutcome?>(nil)
        let ended = DispatchSemaphore(value: 0)
        pipeline.start { result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
        let deadline = SystemClock().now + .seconds(30)
        while collector.numbers("c").count < 50, SystemClock().now < deadline {
            _ = ended.wait(timeout: .now() + .milliseconds(2))
        }
        #expect(collector.numbers("c").count >= 50)
        pipeline.stop(within: .milliseconds(200))
        #expect(ended.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(outcome.withLock { $0?.stragglers }?.contains("stuck") == true)
        #expect(outcome.withLock { $0?.isClean } == false)
        #expect(collector.numbers("behind").isEmpty && collector["c"].last == .finished)
        latch.open()
        #expect(latch.waitForFinish())
    }
}
