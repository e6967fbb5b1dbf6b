import CampipeKit
import Testing

@testable import CampipeRuntime

/// Deadlines in whole pipelines (design 4.2).
@Suite struct LatenessTests {
    private static let interval = Duration.nanoseconds(1_000_000_000 / 30)

    /// A transform that sleeps: its turn takes the clock's time, as the only worker's.
    private func pipeline(_ source: [String: String], lateAfter: Duration, sleeps: Int) -> TestPipeline {
        TestPipeline([
            .source("a", CountingSource.self, source),
            .transform("b", SleepingTransform.self, from: "a", ["microseconds": "\(sleeps)"]),
            .sink("c", CollectingSink.self, from: "b", lateAfter: lateAfter),
        ])
    }

    @Test(
        "A transform that sleeps three intervals on a live source keeps the p99 age under late_after and one interval",
        arguments: [4, 6, 30])
    func sleepingTransform(intervals: Int) throws {
        let lateAfter = Self.interval * intervals
        let test = pipeline(
            ["count": "100000", "rate": "30", "live": "true"], lateAfter: lateAfter, sleeps: 100_000)
        test.start()
        test.run(for: .seconds(60))
        let ages = try #require(test.ages("c"))
        #expect(ages.count > 400)
        #expect(try #require(ages.percentile(0.99)) < lateAfter + Self.interval)
        for link in test.pipeline.snapshot.links { #expect(link.ledger.isBalanced) }
    }

    /// A link that the transform's work makes late gives one a second; what comes to it comes each 0.3 to 1.3 s.
    @Test("A transform that makes all too late still shows pictures, instead of none")
    func alwaysLate() {
        let test = pipeline(
            ["count": "100000", "rate": "10", "live": "true"], lateAfter: .milliseconds(100), sleeps: 300_000)
        test.start()
        test.run(for: .seconds(20))
        let times = test.collector["c"].compactMap { entry -> Instant? in
            if case .packet(_, let captured) = entry { captured } else { nil }
        }
        #expect(times.count >= 8)
        for (before, after) in zip(times, times.dropFirst()) { #expect(after - before <= .milliseconds(2500)) }
    }

    @Test("The same graph on a file with speed max drops nothing")
    func file() {
        let test = pipeline(["count": "300"], lateAfter: Self.interval * 4, sleeps: 100_000)
        test.start()
        test.run(for: .seconds(600))
        #expect(test.collector.numbers("c") == Array(0..<300))
        #expect(test.outcome?.isClean == true)
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.dropped == 0 })
    }

    @Test("A sink's ages are counted glass to sink, of what is live only")
    func ages() throws {
        let live = TestPipeline([
            .source("a", CountingSource.self, ["count": "50", "rate": "10", "live": "true"]),
            .transform("b", SleepingTransform.self, from: "a", ["microseconds": "7000"]),
            .sink("c", CollectingSink.self, from: "b"), .sink("d", CollectingSink.self, from: "a"),
        ])
        live.start()
        live.run(for: .seconds(4.95))
        let ages = try #require(live.ages("c"))
        #expect(ages.count == 50)
        #expect(try #require(ages.percentile(0.5)) >= .milliseconds(7))
        #expect(try #require(ages.largest) <= .milliseconds(15))
        let file = TestPipeline([
            .source("a", CountingSource.self, ["count": "50"]), .sink("c", CollectingSink.self, from: "a"),
        ])
        file.start()
        file.run()
        #expect(file.ages("c")?.count == 0)
    }

    @Test("A sink that is stuck on a live source slows no sibling, whatever its link's policy", arguments: 1...20)
    func stuckSink(seed: Int) throws {
        for policy in WhenFull.allCases where policy != .block {
            var stuck = NodeDescription.sink("stuck", StuckSink.self, from: "b", link: LinkOptions(whenFull: policy))
            stuck.lateAfter = seed % 2 == 0 ? .milliseconds(100) : nil
            let test = TestPipeline(
                [
                    .source("a", CountingSource.self, ["count": "300", "rate": "30", "live": "true"]),
                    .transform("b", PassingTransform.self, from: "a"), stuck,
                    .sink("c", CollectingSink.self, from: "b"), .sink("d", CollectingSink.self, from: "a"),
                ], seed: UInt64(seed))
            test.start()
            test.run(for: .seconds(9.99))
            #expect(test.collector.numbers("c") == Array(0..<300))
            #expect(test.collector.numbers("d") == Array(0..<300))
            #expect(try #require(test.ages("c")?.largest) == .zero)
            let link = try #require(test.pipeline.snapshot.links.first { $0.to == "stuck" })
            #expect(link.ledger.taken <= 2)
            #expect(link.ledger.queued <= 32)
        }
    }
}
