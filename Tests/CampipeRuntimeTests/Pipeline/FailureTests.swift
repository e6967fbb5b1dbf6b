import CampipeKit
import Testing

@testable import CampipeRuntime

/// What becomes of a node that fails, by its `on_error` (design 4.5).
@Suite struct FailureTests {
    private func pipeline(_ onError: OnError, live: Bool = false) -> TestPipeline {
        var failing = NodeDescription.transform("b", FailingTransform.self, from: "a", ["every": "10"])
        failing.onError = onError
        return TestPipeline([
            .source("a", CountingSource.self, ["count": "40", "live": "\(live)", "rate": live ? "10" : "0"]),
            failing, .sink("c", CollectingSink.self, from: "b"),
        ])
    }

    @Test("restart puts a new instance in its place, and loses the one item at which it failed")
    func restart() {
        let test = pipeline(.restart)
        test.start()
        test.run(for: .seconds(600))
        #expect(test.collector.numbers("c") == (0..<40).filter { $0 == 0 || $0 % 10 != 0 })
        #expect(
            test.collector["b"] == [.opened, .finished, .opened, .finished, .opened, .finished, .opened, .finished])
        let gaps = test.collector["c"].compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
        #expect(gaps.map(\.count) == [1, 1, 1])
        #expect(gaps.allSatisfy { $0.reasons.contains(.failed) })
        #expect(test.outcome?.isClean == true)
    }

    @Test("A node that waits for its restart is shown so, with the reason and the retries")
    func visible() {
        let test = pipeline(.restart)
        test.start()
        test.run(for: .milliseconds(1))
        #expect(test.states["b"]?.map(\.state) == [.running, .waiting])
        #expect(test.states["b"]?.last?.reason?.contains("at 10") == true)
        #expect(test.states["b"]?.last?.retries == 1)
        #expect(test.states["b"]?.last?.retryAt != nil)
    }

    @Test("skip drops the item with a gap and goes on with the same instance")
    func skip() {
        let test = pipeline(.skip)
        test.start()
        test.run()
        #expect(test.collector.numbers("c") == (0..<40).filter { $0 == 0 || $0 % 10 != 0 })
        #expect(test.collector["b"] == [.opened, .finished])
        #expect(test.outcome?.isClean == true)
    }

    @Test("stop stops the pipeline, and its outcome names the node and the cause")
    func stop() {
        let test = pipeline(.stop)
        test.start()
        test.run()
        #expect(test.collector.numbers("c") == Array(0..<10))
        #expect(test.outcome?.failures.map(\.node) == ["b"])
        #expect(test.outcome?.failures.first?.error.description.contains("at 10") == true)
        #expect(test.outcome?.stragglers == [])
        #expect(test.collector["c"].last == .finished)
    }

    @Test("A pipeline that stops does not wait for the restart of a node of a live stream")
    func stopWhileWaiting() {
        let test = pipeline(.restart, live: true)
        test.start()
        test.run(for: .milliseconds(1001))
        let before = test.clock.now
        test.pipeline.stop()
        test.executor.run()
        #expect(test.outcome?.isClean == true)
        #expect(test.clock.now == before)
    }

    @Test("A skipped packet of an inter-coded stream takes those that need it with it")
    func skipToKeyframe() {
        var failing = NodeDescription.transform("b", DrawnTransform.self, from: "a", ["fail_every": "3"])
        failing.onError = .skip
        let journal = Journal()
        let test = TestPipeline(
            [
                .source("a", DrawnSource.self, ["count": "9", "coding": "h264", "group": "5"]), failing,
                .sink("c", DrawnSink.self, from: "b", ["keeps": "true"]),
            ], services: { $0.add(journal) })
        test.start()
        test.run()
        // The third fails, the two behind it need it; the next group begins with the third that it is given again.
        let numbers = journal["c"].entries.compactMap { if case .item(let ticks, _) = $0 { ticks / 1000 } else { nil } }
        #expect(numbers == [1, 2, 6, 7])
        #expect(journal["c"].arrived == 9)
    }
}
