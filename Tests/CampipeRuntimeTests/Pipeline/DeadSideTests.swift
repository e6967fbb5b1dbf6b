import CampipeKit
import Testing

@testable import CampipeRuntime

/// Joins of live streams of which a side says nothing any more.
@Suite struct DeadSideTests {
    /// A camera, a join for each of some others, and a sink with a deadline.
    private struct Scene {
        var lateAfter: Duration
        /// Between pictures, in milliseconds.
        var interval = 33
        /// How many pictures each of the others gives before it is dead.
        var lives: [Int]
        /// Milliseconds of work on each picture, in front of the joins and behind them.
        var ahead = 0
        var behind = 0
        /// Of the links into the joins.
        var link = LinkOptions()

        func pipeline(seed: UInt64 = 1) -> TestPipeline {
            var nodes = [
                source("a", lives: 1_000_000),
                .transform("ahead", SleepingTransform.self, from: "a", ["microseconds": "\(ahead * 1000)"]),
            ]
            var last = "ahead"
            for (index, lives) in lives.enumerated() {
                nodes.append(source("s\(index)", lives: lives))
                nodes.append(
                    NodeDescription(
                        id: "j\(index)", registration: Registration(join: PlainJoin.self),
                        inputs: [
                            InputDescription("input", from: [PortReference(last)], link: link),
                            InputDescription("side", from: [PortReference("s\(index)")], link: link),
                        ]))
                last = "j\(index)"
            }
            nodes.append(
                .transform("behind", SleepingTransform.self, from: last, ["microseconds": "\(behind * 1000)"]))
            nodes.append(.sink("c", CollectingSink.self, from: "behind", lateAfter: lateAfter))
            return TestPipeline(nodes, seed: seed)
        }

        private func source(_ id: String, lives: Int) -> NodeDescription {
            var node = NodeDescription.source(
                id, DyingSource.self, ["lives": "\(lives)", "interval": "\(interval)"])
            node.stallAfter = .seconds(3600)
            return node
        }
    }

    /// Seen red as it was: of a deadline below the 100 ms that a join waits, one picture a second was left.
    @Test(
        "A dead side takes no picture from those who look, however short their deadline",
        arguments: [40, 100, 110, 1000])
    func wholeRate(lateAfter: Int) throws {
        let test = Scene(lateAfter: .milliseconds(lateAfter), lives: [30]).pipeline()
        test.start()
        test.run(for: .seconds(10))
        #expect(test.collector.numbers("c").count >= 300)
        #expect(try #require(test.ages("c")?.largest) <= .milliseconds(101))
    }

    @Test("After two seconds a dead side costs those who look no time, and what still gives is waited for")
    func noDelay() throws {
        let test = Scene(lateAfter: .seconds(1), lives: [30, 1_000_000]).pipeline()
        test.start()
        test.run(for: .seconds(4))
        let before = test.clock.now
        test.run(for: .seconds(2))
        let late = test.collector["c"].compactMap { entry -> Instant? in
            if case .packet(_, let captured) = entry, captured >= before { captured } else { nil }
        }
        #expect(late.count >= 59)
        #expect(test.clock.now - (try #require(late.last)) < .milliseconds(40))
    }

    @Test(
        "With sides that die at any moment the rate at the sink stays whole, and no picture is late", arguments: 0..<40)
    func anyMoment(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let lateAfter = Int.random(in: 40...400, using: &random)
        let interval = Int.random(in: 20...66, using: &random)
        let most = min(lateAfter / 8, interval / 4)
        let scene = Scene(
            lateAfter: .milliseconds(lateAfter), interval: interval,
            lives: (0..<Int.random(in: 1...2, using: &random)).map { _ in Int.random(in: 0...100, using: &random) },
            ahead: Int.random(in: 0...most, using: &random), behind: Int.random(in: 0...most, using: &random))
        let test = scene.pipeline(seed: UInt64(seed))
        test.start()
        test.run(for: .seconds(12))
        let due = 12_000 / interval
        #expect(test.collector.numbers("c").count >= due * 95 / 100, "\(scene)")
        #expect(try #require(test.ages("c")?.largest) <= scene.lateAfter, "\(scene)")
    }

    /// While a join waits the limits are lifted, so that they thin nothing; what waits is what came meanwhile.
    @Test(
        "Limits of the links into a live join bound what waits, and take no picture for a dead side", arguments: 0..<40)
    func limits(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        let interval = draw(10...66)
        var link = LinkOptions()
        link.whenFull = WhenFull.allCases[draw(0...WhenFull.allCases.count - 1)]
        var limit = Int.max
        if draw(0...1) == 0 {
            limit = draw(1...6)
            link.maxItems = limit
        }
        if draw(0...1) == 0 {
            let items = draw(1...6)
            limit = min(limit, items)
            link.maxBytes = items * DrawnNodes.payload.count
        }
        if limit == Int.max || draw(0...1) == 0 {
            let age = draw(10...200)
            limit = min(limit, age / interval + 2)
            link.maxAge = .milliseconds(age)
        }
        let scene = Scene(
            lateAfter: .seconds(1), interval: interval, lives: [draw(0...60), 1_000_000], link: link)
        let test = scene.pipeline(seed: UInt64(seed))
        test.start()
        var most = 0
        for _ in 0..<600 {
            test.run(for: .milliseconds(10))
            for link in test.pipeline.snapshot.links where link.to.hasPrefix("j") {
                most = max(most, link.ledger.queued)
                #expect(link.ledger.isBalanced)
            }
        }
        #expect(most <= limit + 100 / interval + 2, "\(scene)")
        #expect(test.collector.numbers("c").count >= 6000 / interval * 95 / 100, "\(scene)")
    }
}

/// A camera that gives some pictures, and then nothing.
private struct DyingSource: Source {
    static let name = "dying"
    static let summary = "Gives some packets, and then nothing."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    @Option("How many.") var lives = 10
    @Option("Milliseconds between them.") var interval = 33

    private var made = 0
    private var start: Instant?
    private var clock: (any PipelineClock)?

    var format: Format? { .packets(.jpeg) }

    mutating func open(_ context: borrowing Context) throws { clock = context.clock }

    mutating func next(to output: inout Output) throws -> Next {
        guard made < lives, let clock else { return .wait }
        let began = start ?? clock.now
        start = began
        let captured = began + .milliseconds(interval * made)
        if clock.now < captured { return .waitUntil(captured) }
        output.emit(
            Packet(
                DrawnNodes.payload, format: .jpeg, captured: captured,
                pts: MediaTime(ticks: Int64(made), timebase: Timebase(1, 1000))))
        made += 1
        return .more
    }
}

/// Hands its primary on.
private struct PlainJoin: Join {
    typealias Primary = Packet
    static let name = "plain_join"
    static let summary = "Hands its primary on."
    static let inputs: [any AnyPort] = [In<Packet>("input"), In<Packet>("side")]

    mutating func process(_ item: consuming Packet, with sides: borrowing Sides, to output: inout Output) throws {
        output.emit(item)
    }
}
