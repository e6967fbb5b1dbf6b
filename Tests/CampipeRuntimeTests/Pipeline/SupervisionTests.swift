import CampipeKit
import Testing

@testable import CampipeRuntime

/// A camera that fails as it is told to: each connection gives some packets, then goes wrong.
struct FlappingSource: Source {
    static let name = "flapping"
    static let summary = "Loses its connection."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    @Option("Packets a connection gives, ten a second.") var gives = 20
    @Option("What happens then: throw, end or stall.") var then = "throw"
    @Option("So many connections fail at once.") var refusals = 0

    private var made = 0
    private var opened = Instant.zero
    private var clock: (any PipelineClock)?
    private var collector: Collector?

    var format: Format? { .packets(.jpeg) }

    mutating func open(_ context: borrowing Context) throws {
        let collector = try context.service(Collector.self)
        let tries = collector["tries"].count
        collector.add(.opened, to: "tries")
        if tries < refusals { throw CampipeError(.unavailable, "nobody answers") }
        collector.add(.opened, to: "camera")
        self.collector = collector
        clock = context.clock
        opened = context.clock.now
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let clock else { return .ended }
        if made == gives {
            switch then {
            case "end": return .ended
            case "stall": return .wait
            default: throw CampipeError(.unavailable, "the cable is out")
            }
        }
        let due = opened + .milliseconds(100 * made)
        if clock.now < due { return .waitUntil(due) }
        // Each connection counts its own times from zero.
        output.emit(Packet.numbered(made * 100, captured: clock.now))
        made += 1
        return .more
    }

    mutating func finish() throws { collector?.add(.finished, to: "camera") }
}

/// A camera whose address is a secret, and which tells it to everybody.
struct TalkativeSource: Source {
    static let name = "talkative"
    static let summary = "Cannot be opened."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    @Option("Where it is.") var url = ""
    mutating func open(_ context: borrowing Context) throws {
        context.log.info("opening \(url)", ["url": url])
        throw CampipeError(.unavailable, "cannot open \(url)", cause: CampipeError(.failed, "no \(url)"))
    }
    mutating func next(to output: inout Output) throws -> Next { .ended }
}

/// Sources that come and go, by the manual clock (design 4.5).
@Suite struct SupervisionTests {
    @Test("What a node was given from !secret is in no log line, no state and no event, nor in how the run ended")
    func secrets() {
        var source = NodeDescription.source("a", TalkativeSource.self)
        source.options["url"] = .scalar(.init("rtsps://10.0.0.9/AbCdEfToken", isQuoted: true, isSecret: true))
        let entries = Lock<[Log.Entry]>([])
        let test = TestPipeline(
            [source, .sink("c", CollectingSink.self, from: "a")],
            log: Log(level: .trace) { entry in entries.withLock { $0.append(entry) } })
        test.start()
        test.run(for: .seconds(5))
        test.pipeline.stop()
        test.executor.run()
        let said = entries.withLock { $0 }.flatMap { [$0.message] + $0.facts.map(\.value) }
        let states = (test.states["a"] ?? []).compactMap(\.reason)
        let failures = test.outcome?.failures.map(\.error.description) ?? []
        #expect(said.contains("opening ***") && states.contains("cannot open ***: no ***") && !failures.isEmpty)
        #expect(!(said + states + failures).contains { $0.contains("AbCdEf") })
    }

    @Test("A long loss is told while it lasts, not when the next try is over")
    func longLoss() {
        struct Line { var at: Instant, level: Log.Level, message: String }
        let lines = Lock<[Line]>([])
        let clock = Lock<ManualClock?>(nil)
        let source = NodeDescription.source("a", FlappingSource.self, ["gives": "40"])
        let test = TestPipeline(
            [source, .sink("c", CollectingSink.self, from: "a")],
            log: Log(level: .debug) { entry in
                guard ["lost, connects again", "running"].contains(entry.message) else { return }
                let now = clock.withLock { $0?.now } ?? .zero
                lines.withLock { $0.append(Line(at: now, level: entry.level, message: entry.message)) }
            })
        clock.withLock { $0 = test.clock }
        test.start()
        test.run(for: .seconds(600))
        test.pipeline.stop()
        test.executor.run()
        let told = lines.withLock { $0 }
        // The loss itself had no line, since its cause was said; a while later, with no try in between, it has one.
        let isTold = zip(told, told.dropFirst()).contains { loss, next in
            loss.message != "running" && loss.level == .debug && next.message == loss.message
                && next.level == .warning && next.at - loss.at >= SourceStory.longLoss
        }
        #expect(isTold, "\(told)")
    }

    private func pipeline(_ options: [String: String], reconnects: Bool = true) -> TestPipeline {
        var source = NodeDescription.source("a", FlappingSource.self, options)
        source.reconnects = reconnects
        return TestPipeline([source, .sink("c", CollectingSink.self, from: "a")])
    }

    private func outcome(_ options: [String: String], after seconds: Int) throws -> PipelineOutcome {
        let test = pipeline(options)
        test.start()
        test.run(for: .seconds(seconds))
        test.pipeline.stop()
        test.run()
        return try #require(test.outcome)
    }

    @Test(
        "a camera that never gave anything is a failure of the run, with its cause",
        arguments: [
            ("throw", 3, "the cable is out"), ("stall", 3, "no picture came in 3.0 s"),
            ("stall", 12, "no picture came for 10.0 s"),
        ])
    func neverCame(_ then: String, _ seconds: Int, _ cause: String) throws {
        let outcome = try outcome(["gives": "0", "then": then], after: seconds)
        #expect(!outcome.isClean)
        #expect(outcome.failures.map(\.node) == ["a"])
        #expect(outcome.failures.first?.error.message.contains(cause) == true, "\(outcome.failures)")
    }

    @Test("a camera that came and went away is no failure", arguments: ["throw", "stall"])
    func wentAway(_ then: String) throws {
        #expect(try outcome(["gives": "1", "then": then], after: 12).isClean)
    }

    private func lost(_ entries: [Collector.Entry]) -> [Gap] {
        entries.compactMap { entry in
            if case .gap(let gap) = entry, gap.isLost { gap } else { nil }
        }
    }

    @Test("A camera says once that it was lost and why, again each second, and once that it was found, with the time")
    func saysLosses() throws {
        let events = Lock<[Event]>([])
        let test = TestPipeline(
            [
                .source("a", FlappingSource.self, ["gives": "20"]),
                .sink("c", CollectingSink.self, from: "a"),
                NodeDescription(
                    id: "log", registration: Registration(sink: EventKeepingSink.self),
                    inputs: [InputDescription(from: [PortReference("a", "events")])]),
            ], services: { $0.add(KeptEvents(events)) })
        test.start()
        test.run(for: .seconds(60))
        let said = events.withLock { $0 }
        let lost = said.filter { $0.kind == .cameraLost && !$0.isRepeat }
        let found = said.filter { $0.kind == .cameraFound }
        #expect(lost.count >= 3 && lost.count - found.count <= 1)
        #expect(Set(lost.map(\.id)).count == lost.count)
        #expect(lost.allSatisfy { $0.phase == .began && $0.node == "a" && $0.wallTime != nil })
        #expect(lost.allSatisfy { "\($0.payload["reason"] ?? .text(""))".contains("the cable is out") })
        for (loss, found) in zip(lost, found) {
            #expect(found.id == loss.id && found.phase == .ended && found.payload["reason"] == loss.payload["reason"])
            guard case .number(let away)? = found.payload["away"], case .number? = loss.payload["start"] else {
                Issue.record("no time in \(found.payload)")
                continue
            }
            // From its last picture, which came 100 ms before it failed.
            let isRight = abs(away - (found.captured - loss.captured).seconds) <= 0.11
            #expect(isRight, "\(away)")
            let repeats = said.filter { $0.isRepeat && $0.id == loss.id }
            #expect(repeats.count == Int((found.captured - loss.captured).seconds))
        }
        #expect(said.map(\.captured) == said.map(\.captured).sorted())
        #expect(said.count { $0.isRepeat } > 0)
    }

    @Test("A sink runs while a camera is lost, by `when` on the camera's events, also when that takes long")
    func whenLost() {
        let journal = Journal()
        let test = TestPipeline(
            [
                .source("a", FlappingSource.self, ["gives": "5", "then": "stall"]),
                .source("b", CountingSource.self, ["count": "600", "rate": "10", "live": "true"]),
                NodeDescription(
                    id: "k", registration: DrawnNodes.sink, inputs: [InputDescription(from: [PortReference("b")])],
                    when: [WhenClause(event: PortReference("a", "events"))]),
                .sink("c", CollectingSink.self, from: "a"),
            ], services: { $0.add(journal) })
        test.start()
        test.run(for: .seconds(5.2))
        #expect(journal["k"].received == 0)
        test.run(for: .seconds(10))
        #expect(journal["k"].received > 0)
    }

    @Test("Who only waits to hear of its losses does not keep a source on demand connected, nor delays its pictures")
    func eventsAreNoDemand() {
        var source = NodeDescription.source("a", FlappingSource.self, ["gives": "1000"])
        source.onDemand = true
        let events = Lock<[Event]>([])
        let test = TestPipeline(
            [
                source,
                NodeDescription(
                    id: "log", registration: Registration(sink: EventKeepingSink.self),
                    inputs: [InputDescription(from: [PortReference("a", "events")])]),
            ], services: { $0.add(KeptEvents(events)) })
        test.start()
        test.run(for: .seconds(60))
        #expect(test.states["a"]?.last?.state == .idle)
    }

    @Test("The rate that a stream says of itself is one of those that a stall is told by")
    func expectedStall() {
        let test = TestPipeline([
            .source("a", SlowSource.self), .sink("c", CollectingSink.self, from: "a"),
        ])
        test.start()
        test.run(for: .seconds(27))
        #expect(test.states["a"]?.contains { $0.state == .stalled } == false)
        test.run(for: .seconds(8))
        #expect(test.states["a"]?.contains { $0.state == .stalled } == true)
    }

    @Test("A camera that flaps is opened again each time, with one lost gap per loss", arguments: ["throw", "stall"])
    func flaps(then: String) {
        let test = pipeline(["then": then])
        test.start()
        test.run(for: .seconds(60))
        let camera = test.collector["camera"]
        let connections = camera.count { $0 == .opened }
        #expect(connections >= 3, "\(test.states["a"] ?? [])")
        // Each instance is finished before the next one is opened.
        #expect(camera.indices.allSatisfy { camera[$0] == ($0 % 2 == 0 ? .opened : .finished) })
        let entries = test.collector["c"]
        #expect(lost(entries).count >= connections - 1)
        #expect(lost(entries).count <= connections)
        #expect(lost(entries).allSatisfy { $0.count == 0 })
        // A gap stands between two connections, never twice in one hole.
        for (before, after) in zip(entries, entries.dropFirst()) {
            if case .gap = before, case .gap = after { Issue.record("two gaps in a row") }
        }
    }

    @Test("pts go on across a reconnect: the last one and the time that passed")
    func timesGoOn() {
        let test = pipeline([:])
        test.start()
        test.run(for: .seconds(30))
        var last: (pts: Int, captured: Instant)?
        for case .packet(let pts, let captured) in test.collector["c"] {
            if let last {
                #expect(pts > last.pts)
                let passed = (captured - last.captured).nanoseconds / 1_000_000
                #expect(abs(Int64(pts - last.pts) - passed) <= 2)
            }
            last = (pts, captured)
        }
        #expect(test.collector.numbers("c").count > 40)
    }

    @Test("Its states are visible: connecting, running, waiting with reason, retries and time, running again")
    func states() throws {
        let test = pipeline(["refusals": "2"])
        test.start()
        #expect(test.pipeline.snapshot.nodes.allSatisfy { $0.state.state == .connecting })
        test.run(for: .seconds(12))
        let states = try #require(test.states["a"])
        #expect(
            states.map(\.state).prefix(7) == [
                .waiting, .connecting, .waiting, .connecting, .running, .waiting, .connecting,
            ])
        let waits = states.filter { $0.state == .waiting }
        #expect(waits.map(\.retries).prefix(3) == [1, 2, 3])
        #expect(waits[0].reason?.contains("nobody answers") == true)
        #expect(waits[2].reason?.contains("the cable is out") == true)
        #expect(waits.allSatisfy { $0.retryAt != nil })
        #expect(test.pipeline.snapshot.nodes.first { $0.id == "a" }?.state == states.last)
    }

    @Test("A stall is shown, closed and opened again after stall_after")
    func stall() throws {
        var source = NodeDescription.source("a", FlappingSource.self, ["then": "stall"])
        source.stallAfter = .seconds(3)
        let test = TestPipeline([source, .sink("c", CollectingSink.self, from: "a")])
        test.start()
        test.run(for: .seconds(4.8))
        #expect(test.states["a"]?.last?.state == .running)
        test.run(for: .seconds(0.2))
        #expect(test.states["a"]?.map(\.state).contains(.stalled) == true)
        test.run(for: .seconds(2))
        #expect(test.collector["camera"].count { $0 == .opened } == 2)
    }

    @Test("A source that ends ends the pipeline; without reconnect its failure is a failure")
    func noReconnect() {
        let ends = pipeline(["then": "end"])
        ends.start()
        ends.run()
        #expect(ends.outcome?.isClean == true)
        #expect(ends.collector.numbers("c").count == 20)
        let fails = pipeline([:], reconnects: false)
        fails.start()
        fails.run()
        #expect(fails.outcome?.failures.map(\.node) == ["a"])
        #expect(fails.collector["c"].last == .finished)
        #expect(fails.outcome?.stragglers == [])
    }

    @Test("A live source that a blocking link holds up is not stalled")
    func heldUp() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "1000", "rate": "10", "live": "true"]),
            .sink("c", StuckSink.self, from: "a", link: LinkOptions(whenFull: .block, maxItems: 2)),
        ])
        test.start()
        test.run(for: .seconds(60))
        #expect(test.states["a"]?.map(\.state) == [.running])
    }
}

/// Keeps events where a test can see.
struct EventKeepingSink: Sink {
    typealias Input = Event
    static let name = "event_keeping"
    static let summary = "Keeps events."
    private var kept: KeptEvents?
    mutating func open(_ context: borrowing Context) throws { kept = try context.service(KeptEvents.self) }
    mutating func consume(_ item: consuming Event) throws -> Next {
        let event = item
        kept?.events.withLock { $0.append(event) }
        return .more
    }
}

final class KeptEvents: Sendable {
    let events: Lock<[Event]>
    init(_ events: Lock<[Event]>) { self.events = events }
}

/// Says that a packet comes each ten seconds, and gives one.
struct SlowSource: Source {
    static let name = "slow"
    static let summary = "Gives one packet."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    private var isDone = false
    private var clock: (any PipelineClock)?
    mutating func open(_ context: borrowing Context) throws { clock = context.clock }
    mutating func next(to output: inout Output) throws -> Next {
        if !isDone, let clock {
            output.emit(
                Packet(.empty, format: PacketFormat(.jpeg, rate: 0.1), captured: clock.now, pts: MediaTime(.zero)))
        }
        isDone = true
        return .wait
    }
}
