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
        #expect(Array(parts[3...]) == ["clips failed", "dropped 3"])
    }

    @Test("the first line, with nothing before it, has no rate to tell")
    func first() {
        let snapshot = PipelineSnapshot(
            nodes: [node("front", .source)], links: [link("front", "web", offered: 5)], formats: [:])
        let now = StatusText.Counts(snapshot, at: .zero)
        #expect(StatusText.line(snapshot, now, since: StatusText.Counts(at: .zero)) == "front running 0/s")
    }

    @Test("a pipeline is ready while items come from each source that should give some")
    func readiness() {
        func ready(_ states: SourceStatus...) -> Readiness {
            Readiness(
                PipelineSnapshot(
                    nodes: states.enumerated().map { node("s\($0.offset)", .source, $0.element) }
                        + [node("web", .sink, SourceStatus(.failed))], links: [], formats: [:]))
        }
        #expect(ready(SourceStatus(.running), SourceStatus(.idle), SourceStatus(.stopped), SourceStatus(.off)).isReady)
        #expect(ready(SourceStatus(.running)).word == "ready")
        let missing = ready(
            SourceStatus(.running), SourceStatus(.connecting), SourceStatus(.stalled),
            SourceStatus(.waiting, reason: "no answer"), SourceStatus(.failed))
        #expect(!missing.isReady)
        #expect(missing.missing == ["s1: connecting", "s2: stalled", "s3: waiting, no answer", "s4: failed"])
        #expect(missing.word == "waiting")
    }
}
