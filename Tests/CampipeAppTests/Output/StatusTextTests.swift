import CampipeKit
import Testing

@testable import CampipeApp
@testable import CampipeRuntime

@Suite("The status line and readiness")
struct StatusTextTests {
    private func node(
        _ id: String, _ contract: NodeDescriptor.Contract, _ state: SourceStatus = SourceStatus(.running),
        age: Duration? = nil
    ) -> PipelineSnapshot.Node {
        var ages = AgeHistogram()
        if let age { ages.record(age) }
        return PipelineSnapshot.Node(
            key: .explicit(id), id: id, type: "test", contract: contract, isLive: true, state: state,
            ages: age == nil ? nil : ages)
    }

    private func link(_ from: String, _ to: String, offered: Int, _ drops: [DropReason: Int] = [:])
        -> PipelineSnapshot.LinkState
    {
        var ledger = Ledger()
        ledger.offered = offered
        for (reason, count) in drops { ledger.drop(reason, count) }
        return PipelineSnapshot.LinkState(
            key: LinkKey(from: PlannedOutput(.explicit(from)), to: .explicit(to)), from: from, to: to, isOpen: true,
            ledger: ledger, queuedBytes: 0)
    }

    @Test("it tells each source's state and rate, each sink's age, and what was dropped though somebody wanted it")
    func text() {
        let snapshot = PipelineSnapshot(
            nodes: [
                node("front", .source), node("yard", .source, SourceStatus(.waiting, reason: "no answer")),
                node("stamp", .transform), node("web", .sink, age: .milliseconds(42)),
                node("clips", .sink, SourceStatus(.failed)),
                node("nas", .sink, SourceStatus(.waiting, reason: "no room", retries: 2), age: .milliseconds(9)),
            ],
            links: [
                link("front", "stamp", offered: 130, [.late: 2, .superseded: 40]), link("front", "clips", offered: 100),
                link("stamp", "web", offered: 90, [.full: 1, .noDemand: 30, .rate: 9, .gated: 5]),
            ], formats: [:])
        var earlier = snapshot
        earlier.links[0].ledger.offered = 100
        let before = StatusText.Counts(earlier, at: .zero + .seconds(10))
        let now = StatusText.Counts(snapshot, at: .zero + .seconds(12))
        let text = StatusText.line(snapshot, now, since: before)
        let parts = text.split(separator: " | ").map(String.init)
        #expect(parts.first == "front running 15/s")
        #expect(parts[1] == "yard waiting (no answer)")
        // A percentile of ages is at most an eighth too high.
        #expect(parts[2].wholeMatch(of: /web 4\dms old/) != nil, "\(parts[2])")
        #expect(Array(parts[3...]) == ["clips failed", "nas waiting (no room)", "dropped 3"])
    }

    @Test("the first line, with nothing before it, has no rate to tell")
    func first() {
        let snapshot = PipelineSnapshot(
            nodes: [node("front", .source)], links: [link("front", "web", offered: 5)], formats: [:])
        let now = StatusText.Counts(snapshot, at: .zero)
        #expect(StatusText.line(snapshot, now, since: StatusText.Counts(at: .zero)) == "front running 0/s")
    }

    @Test("pictures that came damaged are told once, whoever of a source and the converters behind it saw more of them")
    func damaged() {
        let decoder = NodeKey.implicit(
            .decode, upstream: PlannedOutput(.explicit("front")), request: ConverterRequest(), owner: nil)
        var snapshot = PipelineSnapshot(
            nodes: [node("front", .source), node("yard", .source), node("stamp", .transform)], links: [], formats: [:])
        let counts = StatusText.Counts(snapshot, at: .zero)
        #expect(!StatusText.line(snapshot, counts, since: counts).contains("damaged"))
        snapshot.damaged = [.explicit("front"): 4, decoder: 6, .explicit("stamp"): 9, .explicit("yard"): 1]
        #expect(StatusText.line(snapshot, counts, since: counts).hasSuffix("| damaged 7"))
    }

    @Test("a pipeline is ready while items come from each source that should give some")
    func readiness() {
        func ready(_ states: SourceStatus...) -> Readiness {
            Readiness(
                PipelineSnapshot(
                    nodes: states.enumerated().map { node("s\($0.offset)", .source, $0.element) }
                        + [node("web", .sink)], links: [], formats: [:]))
        }
        #expect(ready(SourceStatus(.running), SourceStatus(.idle), SourceStatus(.stopped), SourceStatus(.off)).isReady)
        #expect(ready(SourceStatus(.running)).word == "ready")
        for state: SourceStatus.State in [.connecting, .stalled, .waiting, .failed] {
            let missing = ready(SourceStatus(.running), SourceStatus(state))
            #expect(!missing.isReady && missing.word == "waiting")
        }
    }

    @Test(
        "a pipeline with a node that failed, waits for its restart, or was started again and took nothing yet, is failing",
        arguments: [
            (SourceStatus(.running), "ready"), (SourceStatus(.connecting), "ready"), (SourceStatus(.stopped), "ready"),
            (SourceStatus(.running, reason: "no room", retries: 1), "ready"),
            (SourceStatus(.connecting, reason: "no room", retries: 1), "failing"),
            (SourceStatus(.waiting, reason: "no room", retries: 1), "failing"), (SourceStatus(.failed), "failing"),
        ])
    func failing(status: SourceStatus, word: String) {
        for contract in [NodeDescriptor.Contract.sink, .transform] {
            for source in [SourceStatus.State.running, .stalled] {
                let readiness = Readiness(
                    PipelineSnapshot(
                        nodes: [node("c", .source, SourceStatus(source)), node("rec", contract, status)], links: [],
                        formats: [:]))
                let expected = word == "ready" && source == .stalled ? "waiting" : word
                #expect(readiness.word == expected && readiness.isReady == (expected == "ready"))
            }
        }
    }

    @Test(
        "/state has each node's state, of one that failed the cause and how often, and how many pictures came damaged")
    func states() {
        var failing = node("rec", .sink, SourceStatus(.waiting, reason: "no \"room\"", retries: 2))
        failing.restarts = 7
        var decoder = node("decode(front)", .transform)
        decoder.key = .implicit(
            .decode, upstream: PlannedOutput(.explicit("front")), request: ConverterRequest(), owner: nil)
        var snapshot = PipelineSnapshot(
            nodes: [node("front", .source), decoder, failing], links: [], off: ["attic"], formats: [:])
        #expect(
            NodeStates.json(snapshot)
                == #"{"front":{"state":"running"},"rec":{"reason":"no \"room\"","restarts":7,"retries":2,"#
                + #""state":"waiting"},"attic":{"state":"off"}}"#)
        snapshot.damaged = [decoder.key: 6]
        #expect(NodeStates.json(snapshot).contains(#""decode(front)":{"damaged":6,"state":"running"}"#))
    }
}
