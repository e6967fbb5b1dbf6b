import CampipeKit
import Testing

@testable import CampipeRuntime

/// Says something of every tenth packet, and at its end.
struct TellingSink: Sink {
    typealias Input = Packet
    static let name = "telling"
    static let summary = "Tells of clips."
    private var events: EventTeller?
    private var removals: RemovalTeller?
    private var id = ""

    mutating func open(_ context: borrowing Context) throws {
        (events, removals, id) = (context.events, context.removals, context.id)
        tell("open", at: .zero)
    }
    private func tell(_ what: String, at captured: Instant) {
        events?.tell(Event(.clipReady, id: what, captured: captured, node: id))
    }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        if item.number % 10 == 9 { tell("\(item.number)", at: item.captured) }
        if item.number == 5 { removals?.count(.superseded, 2) }
        return .more
    }
    mutating func finish() throws { tell("end", at: .zero) }
}

/// What nodes tell on the output `events` that each has (design 4.1).
@Suite struct ToldEventTests {
    private let kept = Lock<[Event]>([])
    private var said: [Event] { kept.withLock { $0 } }

    private func listener(_ nodes: String...) -> NodeDescription {
        NodeDescription(
            id: "log", registration: Registration(sink: EventKeepingSink.self),
            inputs: [InputDescription(from: nodes.map { PortReference($0, "events") })])
    }

    private func source(live: Bool) -> NodeDescription {
        .source("a", CountingSource.self, ["count": "40", "live": "\(live)", "rate": live ? "10" : "0"])
    }

    private func run(_ nodes: [NodeDescription]) -> TestPipeline {
        let test = TestPipeline(nodes, services: { $0.add(KeptEvents(kept)) })
        test.start()
        test.run(for: .seconds(600))
        return test
    }

    @Test("What a sink tells reaches who takes it, in order, from its opening to its end", arguments: [false, true])
    func reaches(live: Bool) {
        let test = run([source(live: live), .sink("clips", TellingSink.self, from: "a"), listener("clips")])
        #expect(said.map(\.id) == ["open", "9", "19", "29", "39", "end"])
        #expect(said.allSatisfy { $0.node == "clips" && $0.storage.flags.contains(.live) == live })
        #expect(test.outcome?.isClean == true)
    }

    @Test("A sink that nobody listens to tells into the void, and works as fast")
    func nobody() {
        let test = run([source(live: false), .sink("clips", TellingSink.self, from: "a")])
        #expect(said.isEmpty && test.outcome?.isClean == true)
        #expect(test.pipeline.snapshot.links.map(\.key.from.node) == [.explicit("a")])
    }

    @Test("What a sink says that it removed stands beside what the runtime counted of it")
    func removals() {
        let test = run([source(live: false), .sink("clips", TellingSink.self, from: "a")])
        #expect(test.pipeline.snapshot.nodes.first { $0.id == "clips" }?.removed == [.superseded: 2])
    }

    @Test("A sink that fails is told of: that it starts again once in a series, and that it has failed for good")
    func sinkFails() {
        _ = run([source(live: false), .sink("bad", FailingSink.self, from: "a"), listener("bad")])
        #expect(said.map(\.kind) == [.pluginFailed, .pluginFailed])
        #expect(said.map { $0.payload["for_good"] } == [.bool(false), .bool(true)])
        #expect(said.allSatisfy { $0.payload["reason"] == .text("no room") && $0.payload["type"] == .text("failing") })
    }

    @Test("A transform that cannot be opened is told of while it waits to be tried again")
    func cannotOpen() {
        let test = TestPipeline(
            [
                source(live: true), .transform("b", UnopenableTransform.self, from: "a"),
                .sink("c", CollectingSink.self, from: "b"), listener("b"),
            ], services: { $0.add(KeptEvents(kept)) })
        test.start()
        test.run(for: .milliseconds(100))
        #expect(said.map { $0.payload["reason"] } == [.text("cannot be opened")])
    }

    @Test("A sink that cannot finish is told of too")
    func cannotFinish() {
        _ = run([source(live: false), .sink("bad", UnfinishableSink.self, from: "a"), listener("bad")])
        #expect(said.map { $0.payload["reason"] } == [.text("no room for the end")])
    }

    @Test("A transform that fails is told of, and its packets go on as before", arguments: [false, true])
    func transformFails(live: Bool) {
        let test = run([
            source(live: live), .transform("b", FailingTransform.self, from: "a"),
            .sink("c", CollectingSink.self, from: "b"), listener("b"),
        ])
        #expect(said.map(\.kind) == [.pluginFailed])
        #expect(said.first?.node == "b" && said.first?.payload["reason"] == .text("at 10"))
        #expect(test.collector.numbers("c").contains(39))
    }

    @Test("Who only listens has no transform work, nor does it change how late its pictures may be")
    func isNoDemand() {
        let nodes = [
            source(live: true), .transform("b", PassingTransform.self, from: "a"),
            .sink("c", CollectingSink.self, from: "b", lateAfter: .seconds(2)),
        ]
        func plan(_ nodes: [NodeDescription]) -> Plan {
            let graph = GraphDescription(name: "test", nodes: nodes)
            return Planner(graph: graph, registry: Registry()).plan(PlannerState(graph))
        }
        let heard = plan(nodes + [listener("b", "c")])
        #expect(heard.nodes.first { $0.key == .explicit("b") }?.lateAfter == .seconds(2))
        #expect(plan(nodes).links == heard.links.filter { $0.key.to != .explicit("log") })
        let alone = plan([nodes[0], nodes[1], listener("b")])
        #expect(alone.nodes.first { $0.key == .explicit("b") }?.isWanted == false)
    }
}
