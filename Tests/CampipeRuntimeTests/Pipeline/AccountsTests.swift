import CampipeKit
import Testing

@testable import CampipeRuntime

/// What the snapshot tells beside the ledgers of the links that are there.
@Suite("Accounts of what is gone") struct AccountsTests {
    @Test("the sums over all links, those that went included, never fall while viewers come and go", arguments: 1...5)
    func links(seed: Int) {
        let registry = Registry([
            Registration(transform: TestDecoder.self), Registration(transform: TestConverter.self),
            Registration(transform: ShapeEncoder.self),
        ])
        let viewers = Viewers()
        let camera = NodeDescription.source("a", ResizingSource.self, ["count": "100000", "live": "true"])
        let test = TestPipeline(
            [camera, .sink("web", ViewerSink.self, from: "a")], registry: registry, seed: UInt64(seed),
            services: { $0.add(viewers) })
        test.start()
        var last = 0
        var names: Set<LinkKey> = []
        for round in 0..<12 {
            viewers.demand("web")?.set(Demand.ID(round + 1), round % 2 == 0 ? Want(maxWidth: 320) : nil)
            if round > 0 { viewers.demand("web")?.set(Demand.ID(round), nil) }
            test.run(for: .seconds(3))
            let snapshot = test.pipeline.snapshot
            let sum =
                snapshot.links.reduce(0) { $0 + $1.ledger.offered }
                + snapshot.retired.ledgers.values.reduce(0) { $0 + $1.offered }
            #expect(sum > last)
            last = sum
            #expect(snapshot.retired.ledgers.values.allSatisfy { $0.isBalanced && $0.queued == 0 })
            names.formUnion(snapshot.retired.ledgers.keys)
        }
        // Six viewers with the same wish are one name a link of the chain.
        #expect(!names.isEmpty && names.count <= 6, "\(names.map(\.description))")
        #expect(names.allSatisfy { $0.subscription == 0 })
    }

    @Test("what a source refuses before it is an item is counted by reason, across reconnects")
    func refusals() {
        let test = TestPipeline([
            .source("a", RefusingSource.self), .sink("sink", CollectingSink.self, from: "a"),
        ])
        test.start()
        test.run(for: .seconds(30))
        let node = test.pipeline.snapshot.nodes.first { $0.id == "a" }
        #expect(node?.removed[.notJPEG] ?? 0 >= 4)
        #expect(node?.removed[.overrun] == (node?.removed[.notJPEG] ?? 0) * 3)
        #expect(node?.removed[.lost] == nil)
    }

    @Test("items that are marked as damaged are counted at each node that gives them")
    func damages() {
        let test = TestPipeline([
            .source("a", DamagedSource.self), .transform("pass", PassingTransform.self, from: "a"),
            .sink("sink", CollectingSink.self, from: "pass"),
        ])
        test.start()
        test.run(for: .seconds(10))
        let snapshot = test.pipeline.snapshot
        #expect(snapshot.damaged == [.explicit("a"): 3, .explicit("pass"): 3])
        #expect(snapshot.damagedPictures == 3)
    }

    @Test("an item that a node fails at and passes over is counted")
    func failures() {
        var failing = NodeDescription.transform("failing", FailingTransform.self, from: "a", ["every": "10"])
        failing.onError = .skip
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "35"]), failing,
            .sink("sink", CollectingSink.self, from: "failing"),
        ])
        test.start()
        test.run(for: .seconds(10))
        #expect(test.pipeline.snapshot.nodes.first { $0.id == "failing" }?.removed == [.failed: 3])
    }
}

/// Refuses a picture, misses three, and fails.
private struct RefusingSource: Source {
    static let name = "refusing"
    static let summary = "Refuses."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    private var clock: (any PipelineClock)?
    var isLive: Bool { true }

    mutating func open(_ context: borrowing Context) throws { clock = context.clock }

    mutating func next(to output: inout Output) throws -> Next {
        guard let clock else { return .ended }
        output.gap(Gap(.notJPEG, at: clock.now))
        output.gap(Gap(.overrun, count: 3, at: clock.now))
        throw CampipeError(.unavailable, "it is gone")
    }
}

/// Gives ten packets, the first of four damaged each.
private struct DamagedSource: Source {
    static let name = "damaged"
    static let summary = "Gives damaged packets."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    private var made = 0
    var isLive: Bool { false }

    mutating func next(to output: inout Output) throws -> Next {
        var packet = Packet.numbered(made, captured: .zero + .milliseconds(made))
        packet.isDamaged = made % 4 == 0
        output.emit(packet)
        made += 1
        return made < 10 ? .more : .ended
    }
}
