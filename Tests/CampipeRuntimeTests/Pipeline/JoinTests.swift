import CampipeKit
import Testing

@testable import CampipeRuntime

/// Joins and gates in whole pipelines.
@Suite struct JoinTests {
    private func node(
        _ id: String, _ registration: Registration, _ inputs: [(String, PortReference)] = [],
        _ options: [String: String] = [:], when: [WhenClause] = []
    ) -> NodeDescription {
        NodeDescription(
            id: id, registration: registration, options: Value.ValueMap(options),
            inputs: inputs.map { InputDescription($0.0, from: [$0.1]) }, when: when)
    }

    /// Seen red with a link whose watermark gaps do not move: the whole stream waited for the end of the side.
    @Test("A join goes on by the gaps of a side that a filter leaves nothing of, and little waits", arguments: 1...10)
    func filteredSide(seed: Int) {
        let journal = Journal()
        let test = TestPipeline(
            [
                node("a", DrawnNodes.source, [], ["count": "3000"]),
                node("none", DrawnNodes.transform, [("input", PortReference("a"))], ["keep": "1000000"]),
                node("j", DrawnNodes.join, [("input", PortReference("a")), ("side", PortReference("none"))]),
                node("c", DrawnNodes.sink, [("input", PortReference("j"))]),
            ], seed: UInt64(seed), services: { $0.add(journal) })
        test.start()
        var most = 0
        while test.executor.step() { most = max(most, test.pipeline.snapshot.links.map(\.ledger.queued).max() ?? 0) }
        #expect(journal["c"].received == 3000)
        #expect(most <= 200, "\(most) items waited")
    }

    @Test("A join of a live stream whose side is dead delays its pictures by 100 ms, and loses none")
    func deadSide() throws {
        let journal = Journal()
        let test = TestPipeline(
            [
                node("a", DrawnNodes.source, [], ["count": "100", "interval": "10000", "live": "true"]),
                node("dead", DrawnNodes.source, [], ["count": "1", "interval": "60000000", "live": "true"]),
                node("j", DrawnNodes.join, [("input", PortReference("a")), ("side", PortReference("dead"))]),
                node("c", DrawnNodes.sink, [("input", PortReference("j"))]),
            ], services: { $0.add(journal) })
        test.start()
        test.run(for: .seconds(2))
        #expect(journal["c"].received == 100)
        #expect(try #require(test.ages("c")?.largest) <= .milliseconds(101))
    }

    /// Seen red as it was: the side grew to its limit, and all waited for ever.
    @Test("A join whose primary brings nothing but gaps keeps what its side holds, up to the limit, and goes on")
    func emptyPrimary() throws {
        let journal = Journal()
        let test = TestPipeline(
            [
                node("a", Registration(source: BulkySource.self), [], ["count": "1500"]),
                node("some", DrawnNodes.transform, [("input", PortReference("a"))], ["keep": "1000"]),
                node("j", DrawnNodes.join, [("input", PortReference("some")), ("side", PortReference("a"))]),
                node("c", DrawnNodes.sink, [("input", PortReference("j"))]),
            ], services: { $0.add(journal) })
        test.start()
        var most = 0
        while test.executor.step() { most = max(most, test.pipeline.snapshot.links.map(\.queuedBytes).max() ?? 0) }
        #expect(test.outcome?.isClean == true)
        #expect(journal["c"].received == 1)
        #expect(most <= 290 << 20, "\(most >> 20) MiB waited")
        // The newest, as many as fit, went with the one that came.
        let side = (journal["j"].sides["side"] ?? []).map(\.side)
        #expect((200...256).contains(side.count), "\(side.count)")
        #expect(side.last == Instant.zero + .milliseconds(1000))
        let link = try #require(test.pipeline.snapshot.links.first { $0.to == "j" && $0.key.input == 1 })
        #expect(link.ledger.dropped(.superseded) > 700 && link.ledger.isBalanced)
    }

    @Test("Events change the gate of what is not live although its items are all filtered, so that few wait")
    func gateOfGaps() {
        let journal = Journal()
        let test = TestPipeline(
            [
                node("a", DrawnNodes.source, [], ["count": "3000"]),
                node("watch", DrawnNodes.transform, [("input", PortReference("a"))], ["event_every": "1"]),
                node("none", DrawnNodes.transform, [("input", PortReference("a"))], ["keep": "1000000"]),
                node(
                    "c", DrawnNodes.sink, [("input", PortReference("none"))],
                    when: [WhenClause(event: PortReference("watch", "events"))]),
            ], services: { $0.add(journal) })
        test.start()
        var most = 0
        while test.executor.step() { most = max(most, test.pipeline.snapshot.links.map(\.ledger.queued).max() ?? 0) }
        #expect(test.outcome?.isClean == true)
        #expect(most <= 200, "\(most) items waited")
    }

    /// Seen red as it was: each picture was 100 ms old.
    @Test("A live join does not wait for a side that its own when keeps closed, nor for what is behind it")
    func closedSide() throws {
        let journal = Journal()
        let never = [WhenClause(event: PortReference("watch", "events"))]
        let test = TestPipeline(
            [
                node("a", DrawnNodes.source, [], ["count": "100", "interval": "10000", "live": "true"]),
                node("watch", DrawnNodes.transform, [("input", PortReference("a"))]),
                node("closed", DrawnNodes.transform, [("input", PortReference("a"))], when: never),
                node("behind", DrawnNodes.transform, [("input", PortReference("closed"))]),
                node(
                    "j", DrawnNodes.join,
                    [
                        ("input", PortReference("a")), ("side", PortReference("closed")),
                        ("other", PortReference("behind")),
                    ]),
                node("c", DrawnNodes.sink, [("input", PortReference("j"))]),
            ], services: { $0.add(journal) })
        test.start()
        test.run(for: .seconds(2))
        #expect(journal["c"].received == 100)
        #expect(try #require(test.ages("c")?.largest) <= .milliseconds(5))
    }

    @Test("A node's when opens and closes by the events that were captured with its items", arguments: 1...20)
    func when(seed: Int) {
        let journal = Journal()
        let gate = [WhenClause(event: PortReference("watch", "events"))]
        let test = TestPipeline(
            [
                node("a", DrawnNodes.source, [], ["count": "40"]),
                // Events begin at 5, 15, 25, 35 and end at 10, 20, 30, 40.
                node("watch", DrawnNodes.transform, [("input", PortReference("a"))], ["event_every": "5"]),
                node("c", DrawnNodes.sink, [("input", PortReference("a"))], ["keeps": "true"], when: gate),
                node("h", DrawnNodes.historySink, [("input", PortReference("a"))], when: gate),
            ], seed: UInt64(seed), services: { $0.add(journal) })
        test.start()
        test.run()
        let taken = journal["c"].entries.compactMap { if case .item(let ticks, _) = $0 { ticks / 1000 } else { nil } }
        #expect(taken == [5, 15, 25, 35].flatMap { Array($0..<$0 + 5) })
        #expect(journal["c"].arrived == 40)
        let history = journal["h"].entries.map { entry -> String in
            switch entry {
            case .item: "."
            case .gate(let isOpen, _): isOpen ? "(" : ")"
            case .gap: "-"
            }
        }.joined()
        #expect(history == "....(.....).....(.....).....(.....).....(.....).")
        let places = journal["h"].entries.compactMap { entry -> Instant? in
            switch entry {
            case .item(_, let captured): captured
            case .gate(_, let at): at
            case .gap: nil
            }
        }
        #expect(places == places.sorted())
        #expect(test.outcome?.isClean == true)
    }

    @Test("A live node that waits for its when is opened by an event, though nothing is brought to it until then")
    func liveWhen() {
        let journal = Journal()
        let gate = [WhenClause(event: PortReference("watch", "events"))]
        let test = TestPipeline(
            [
                node("a", DrawnNodes.source, [], ["count": "1000", "interval": "100000", "live": "true"]),
                node("watch", DrawnNodes.transform, [("input", PortReference("a"))], ["event_every": "20"]),
                node("c", DrawnNodes.sink, [("input", PortReference("a"))], when: gate),
            ], services: { $0.add(journal) })
        test.start()
        test.run(for: .seconds(1.85))
        #expect(journal["c"].received == 0)
        test.run(for: .seconds(1.5))
        // Begun at the twentieth: all from then on.
        #expect((13...15).contains(journal["c"].received))
        test.run(for: .seconds(0.7))
        let atEnd = journal["c"].received
        test.run(for: .seconds(1.5))
        #expect(journal["c"].received <= atEnd + 1)
        #expect(journal["c"].received + journal["c"].missed >= 20)
    }
}

/// Emits packets of a mebibyte, not live, that share their bytes.
struct BulkySource: Source {
    static let name = "bulky"
    static let summary = "Emits large packets."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    private static let payload = Bytes([UInt8](repeating: 0, count: 1 << 20))

    @Option("How many.") var count = 10
    private var made = 0

    var isLive: Bool { false }

    mutating func next(to output: inout Output) throws -> Next {
        made += 1
        output.emit(
            Packet(
                Self.payload, format: .jpeg, captured: .zero + .milliseconds(made),
                pts: MediaTime(ticks: Int64(made), timebase: Timebase(1, 1000))))
        return made < count ? .more : .ended
    }
}
