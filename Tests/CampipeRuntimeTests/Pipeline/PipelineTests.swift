import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct PipelineTests {
    @Test("What is not live passes whole and in order, and the pipeline ends with its sources", arguments: 1...20)
    func wholeAndInOrder(seed: Int) {
        let test = TestPipeline(
            [
                .source("a", CountingSource.self, ["count": "500"]),
                .transform("b", PassingTransform.self, from: "a"),
                .sink("c", CollectingSink.self, from: "b"),
            ], seed: UInt64(seed))
        test.start()
        test.run()
        #expect(test.collector.numbers("c") == Array(0..<500))
        #expect(test.collector["c"].last == .finished)
        #expect(test.outcome?.isClean == true)
    }

    @Test("A live source is paced by the clock and loses nothing to a sink that keeps up")
    func livePace() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "50", "rate": "10", "live": "true"]),
            .sink("c", CollectingSink.self, from: "a"),
        ])
        test.start()
        test.run(for: .seconds(4.95))
        test.pipeline.stop()
        test.run()
        #expect(test.collector.numbers("c") == Array(0..<50))
        #expect(test.outcome?.isClean == true)
    }
}
