import CampipeKit
import Testing

@testable import CampipeRuntime

/// Emits a numbered packet at each call, and notes what it was called with.
struct NotingMixer: Mixer {
    typealias Part = Packet
    static let name = "noting"
    static let summary = "Notes what it is called with."
    static let inputs: [any AnyPort] = [In<Packet>("inputs", many: true, counts: 2...4)]
    @Option("Calls a second.") var perSecond = 100.0
    @Option("It fails at each so-manieth call.") var failEvery = 0

    private var calls = 0
    private var notes: MixerNotes?

    var rate: Double { perSecond }
    var format: Format { .packets(.jpeg) }

    func want(_ downstream: Want, ofEachOf count: Int) -> Want { .all }

    mutating func open(_ context: borrowing Context) throws {
        notes = try context.service(MixerNotes.self)
        notes?.feeds = context.feeds.map(\.id)
    }

    mutating func mix(_ parts: borrowing Parts, at instant: Instant, to output: inout Output) throws {
        calls += 1
        if failEvery > 0, calls % failEvery == 0 { throw CampipeError(.failed, "as told") }
        let items = (0..<parts.count).map { parts.newest($0, as: Packet.self)?.captured }
        let conditions = (0..<parts.count).map { parts.condition($0) }
        notes?.add(MixerNotes.Call(at: instant, newest: items, conditions: conditions))
        output.emit(Packet.numbered(calls, captured: instant))
    }
}

/// What a mixer was called with.
final class MixerNotes: Sendable {
    struct Call: Equatable, Sendable {
        var at: Instant
        var newest: [Instant?]
        var conditions: [Parts.Condition]
    }
    private let state = Lock((feeds: [String](), calls: [Call]()))
    var feeds: [String] {
        get { state.withLock { $0.feeds } }
        set { state.withLock { $0.feeds = newValue } }
    }
    var calls: [Call] { state.withLock { $0.calls } }
    func add(_ call: Call) { state.withLock { $0.calls.append(call) } }
}

@Suite("Joins without a primary")
struct MixerTests {
    private let notes = MixerNotes()

    private func mixer(_ from: [String], _ options: [String: String] = [:], onError: OnError = .restart)
        -> NodeDescription
    {
        NodeDescription(
            id: "m", registration: Registration(mixer: NotingMixer.self), options: Value.ValueMap(options),
            inputs: [InputDescription("inputs", from: from.map { PortReference($0) })], onError: onError)
    }

    private func test(_ nodes: [NodeDescription], seed: Int = 1) -> TestPipeline {
        TestPipeline(nodes, seed: UInt64(seed), services: { $0.add(notes) })
    }

    private func instant(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test(
        "What is not live is mixed at each tick with all that was captured up to it, however turns fall",
        arguments: 1...20)
    func files(seed: Int) throws {
        let test = test(
            [
                .source("a", CountingSource.self, ["count": "100"]), .source("b", CountingSource.self, ["count": "45"]),
                mixer(["a", "b"]), .sink("c", CollectingSink.self, from: "m"),
            ], seed: seed)
        test.start()
        test.run()
        #expect(test.outcome?.isClean == true)
        #expect(notes.feeds == ["a", "b"])
        // A tick each 10 ms; the last has what came after the one before.
        #expect(notes.calls.map(\.at) == (0...10).map { instant(10 * $0) })
        #expect(notes.calls.map { $0.newest[0] } == (0...9).map { instant(10 * $0) } + [instant(99)])
        #expect(
            notes.calls.map { $0.newest[1] } == [0, 10, 20, 30, 40, 44].map(instant)
                + [Instant?](repeating: nil, count: 5))
        #expect(notes.calls.map { $0.conditions[0] }.dropLast() == Array(repeating: .flowing, count: 10)[...])
        #expect(notes.calls[6...].allSatisfy { $0.conditions[1] == .ended })
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced })
    }

    @Test("A diamond of one source does not lock, whatever a branch leaves out or holds back", arguments: 1...30)
    func diamond(seed: Int) {
        let journal = Journal()
        let test = TestPipeline(
            [
                NodeDescription(id: "a", registration: DrawnNodes.source, options: ["count": "2000"]),
                NodeDescription(
                    id: "some", registration: DrawnNodes.transform, options: ["keep": "100", "hold": "3"],
                    inputs: [InputDescription(from: [PortReference("a")])]),
                mixer(["some", "a"]),
                NodeDescription(
                    id: "c", registration: DrawnNodes.sink, inputs: [InputDescription(from: [PortReference("m")])]),
            ], seed: UInt64(seed),
            services: { [notes] in
                $0.add(notes)
                $0.add(journal)
            })
        test.start()
        test.run()
        #expect(test.outcome?.isClean == true)
        #expect(notes.calls.count == 201)
        #expect(journal["c"].received == 201)
    }

    @Test("What is live is mixed when the clock says so, with the newest, and at its own rate")
    func live() throws {
        let test = test([
            .source("a", CountingSource.self, ["count": "100", "rate": "100", "live": "true"]),
            .source("b", CountingSource.self, ["count": "2", "rate": "2", "live": "true"]),
            mixer(["a", "b"], ["per_second": "10"]), .sink("c", CollectingSink.self, from: "m"),
        ])
        test.start()
        test.run(for: .milliseconds(990))
        let calls = notes.calls
        #expect(calls.map(\.at) == (0...9).map { instant(100 * $0) })
        for call in calls.dropFirst() {
            let newest = try #require(call.newest[0])
            #expect(newest <= call.at && call.at - newest <= .milliseconds(11))
        }
        #expect(calls.count { $0.newest[1] != nil } == 2)
    }

    @Test("While nobody wants what comes out it is not called")
    func unwanted() {
        let viewers = Viewers()
        let test = TestPipeline(
            [
                .source("a", CountingSource.self, ["count": "10000", "rate": "100", "live": "true"]),
                .source("b", CountingSource.self, ["count": "10000", "rate": "100", "live": "true"]),
                mixer(["a", "b"], ["per_second": "10"]), .sink("web", ViewerSink.self, from: "m"),
            ],
            services: { [notes] in
                $0.add(notes)
                $0.add(viewers)
            })
        test.start()
        test.run(for: .seconds(1))
        #expect(notes.calls.isEmpty)
        viewers.demand("web")?.set(1, .all)
        test.run(for: .seconds(1))
        #expect((9...11).contains(notes.calls.count))
        viewers.demand("web")?.set(1, nil)
        test.run(for: .seconds(3))
        let count = notes.calls.count
        test.run(for: .seconds(3))
        #expect(notes.calls.count == count)
    }

    @Test("A camera that is lost is told of, and the others go on; when it is back it flows")
    func lost() throws {
        let test = test([
            .source("a", FlappingSource.self, ["gives": "20"]),
            .source("b", CountingSource.self, ["count": "1000", "rate": "100", "live": "true"]),
            mixer(["a", "b"], ["per_second": "10"]), .sink("c", CollectingSink.self, from: "m"),
        ])
        test.start()
        test.run(for: .seconds(5))
        let calls = notes.calls
        #expect((48...51).contains(calls.count))
        let lost = try #require(calls.firstIndex { $0.conditions[0] == .lost })
        #expect(calls[lost...].contains { $0.conditions[0] == .flowing && $0.newest[0] != nil })
        #expect(calls.allSatisfy { $0.conditions[1] == .flowing })
    }

    @Test(
        "A call at which it failed is passed over or a new instance goes on, as for items",
        arguments: [OnError.skip, .restart])
    func failing(_ onError: OnError) {
        let test = test([
            .source("a", CountingSource.self, ["count": "1000", "rate": "100", "live": "true"]),
            .source("b", CountingSource.self, ["count": "1000", "rate": "100", "live": "true"]),
            mixer(["a", "b"], ["per_second": "10", "fail_every": "7"], onError: onError),
            .sink("c", CollectingSink.self, from: "m"),
        ])
        test.start()
        test.run(for: .seconds(9))
        #expect(notes.calls.count > (onError == .skip ? 70 : 20))
        #expect(notes.calls.map(\.at) == notes.calls.map(\.at).sorted())
    }

    @Test("While its when is false it is not called; of files exactly so long", arguments: 1...5)
    func gated(seed: Int) {
        let journal = Journal()
        // An event begins at 200 ms and ends at 400 ms, and so on.
        var mixer = mixer(["a", "b"])
        mixer.when = [WhenClause(event: PortReference("t", "events"))]
        let test = TestPipeline(
            [
                NodeDescription(id: "a", registration: DrawnNodes.source, options: ["count": "1000"]),
                NodeDescription(id: "b", registration: DrawnNodes.source, options: ["count": "1000"]),
                NodeDescription(
                    id: "t", registration: DrawnNodes.transform, options: ["event_every": "200"],
                    inputs: [InputDescription(from: [PortReference("a")])]),
                mixer,
                NodeDescription(
                    id: "c", registration: DrawnNodes.sink, inputs: [InputDescription(from: [PortReference("m")])]),
                NodeDescription(
                    id: "d", registration: DrawnNodes.sink, inputs: [InputDescription(from: [PortReference("t")])]),
            ], seed: UInt64(seed),
            services: { [notes] in
                $0.add(notes)
                $0.add(journal)
            })
        test.start()
        test.run()
        #expect(test.outcome?.isClean == true)
        let expected = (20..<40).map { instant($0 * 10) } + (60..<80).map { instant($0 * 10) }
        #expect(notes.calls.map(\.at).prefix(40) == expected[...])
    }
}
