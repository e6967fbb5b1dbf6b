import CampipeKit
import Testing

@testable import CampipeRuntime

private func seconds(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

private func event(
    _ phase: Event.Phase, _ id: String = "1", at: Double, class name: String? = nil, score: Double? = nil
) -> Event {
    var payload: [String: EventValue] = [:]
    if let name { payload["class"] = .text(name) }
    if let score { payload["score"] = .number(score) }
    return Event(.motionStarted, id: id, phase: phase, captured: seconds(at), node: "watch", payload: payload)
}

@Suite struct GateStateTests {
    private let clause = WhenClause(event: PortReference("watch", "events"))

    private func texts(_ changes: [GateChange]) -> [String] {
        changes.map { "\($0.isOpen ? "open" : "closed")@\(Double($0.at.nanoseconds) / 1e9)" }
    }

    @Test("it opens when an event begins and closes when it ends, at their times")
    func opensAndCloses() {
        var gate = GateState([clause], isLive: true)
        #expect(texts(gate.fold(event(.began, at: 1), clause: 0)) == ["open@1.0"])
        #expect(gate.isOpen)
        #expect(texts(gate.fold(event(.ended, at: 3), clause: 0)) == ["closed@3.0"])
        #expect(!gate.isOpen)
    }

    @Test("it stays open while any event of any clause is active")
    func overlaps() {
        var gate = GateState([clause, clause], isLive: true)
        #expect(texts(gate.fold(event(.began, "a", at: 1), clause: 0)) == ["open@1.0"])
        #expect(gate.fold(event(.began, "a", at: 2), clause: 1).isEmpty)
        #expect(gate.fold(event(.ended, "a", at: 3), clause: 0).isEmpty)
        #expect(gate.isOpen)
        #expect(texts(gate.fold(event(.ended, "a", at: 4), clause: 1)) == ["closed@4.0"])
    }

    @Test("an event without a length opens and closes at once")
    func happened() {
        var gate = GateState([clause], isLive: true)
        #expect(texts(gate.fold(event(.happened, at: 2), clause: 0)) == ["open@2.0", "closed@2.0"])
    }

    @Test(
        "only events of the classes that are as sure as asked count",
        arguments: [
            (["person"], 0.65, "person", 0.7, true), (["person"], 0.65, "person", 0.6, false),
            (["person"], nil, "cat", 0.9, false), (["person"], nil, nil, nil, false), ([], 0.5, nil, 0.5, true),
            ([], 0.5, "cat", nil, false), ([], nil, nil, nil, true),
        ] as [([String], Double?, String?, Double?, Bool)])
    func counts(classes: [String], minScore: Double?, name: String?, score: Double?, opens: Bool) {
        var gate = GateState(
            [WhenClause(event: clause.event, classes: classes, minScore: minScore)], isLive: true)
        _ = gate.fold(event(.began, at: 1, class: name, score: score), clause: 0)
        #expect(gate.isOpen == opens)
    }

    @Test("what is seen in a box counts as well")
    func boxes() {
        let clause = WhenClause(event: clause.event, classes: ["person"], minScore: 0.5)
        var region = Region(x: 0, y: 0, width: 1, height: 1)
        region.label = "person"
        region.score = 0.8
        let seen = Event(
            "seen", id: "1", phase: .began, captured: seconds(1), node: "d", payload: ["boxes": .list([region.value])])
        var gate = GateState([clause], isLive: true)
        #expect(gate.fold(seen, clause: 0).count == 1)
    }

    @Test("a lost beginning is made good by the next repeat")
    func lostBeginning() {
        var gate = GateState([clause], isLive: true)
        let again = event(.began, at: 1).repeated(at: seconds(4))
        #expect(texts(gate.fold(again, clause: 0)) == ["open@4.0"])
    }

    @Test("a lost end is made good 5 s after the last repeat, when live")
    func lostEnd() {
        var gate = GateState([clause], isLive: true)
        _ = gate.fold(event(.began, at: 1), clause: 0)
        _ = gate.fold(event(.began, at: 1).repeated(at: seconds(2)), clause: 0)
        #expect(gate.nextExpiry == seconds(7))
        #expect(gate.advance(to: seconds(6.9)).isEmpty)
        #expect(texts(gate.advance(to: seconds(7))) == ["closed@7.0"])
        #expect(gate.nextExpiry == nil)
    }

    @Test("what is not live never expires")
    func notLive() {
        var gate = GateState([clause], isLive: false)
        _ = gate.fold(event(.began, at: 1), clause: 0)
        #expect(gate.nextExpiry == nil)
        #expect(gate.advance(to: seconds(1000)).isEmpty)
        #expect(gate.isOpen)
    }

    @Test("the end of the events' stream ends what was active there")
    func streamEnds() {
        var gate = GateState([clause, clause], isLive: false)
        _ = gate.fold(event(.began, at: 1), clause: 0)
        #expect(gate.end(clause: 1, at: seconds(2)).isEmpty)
        #expect(texts(gate.end(clause: 0, at: seconds(3))) == ["closed@3.0"])
    }

    @Test("changes never go backwards in time")
    func monotonic() {
        var gate = GateState([clause, clause], isLive: true)
        _ = gate.fold(event(.began, at: 5), clause: 0)
        #expect(texts(gate.fold(event(.ended, at: 4), clause: 0)) == ["closed@5.0"])
        #expect(texts(gate.fold(event(.began, at: 3), clause: 1)) == ["open@5.0"])
    }

    @Test("any loss of beginnings and ends is healed by repeats within 5 s", arguments: 0..<50)
    func healing(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var gate = GateState([clause], isLive: true)
        var activeUntil: [String: Int] = [:]
        for second in 0..<200 {
            let now = seconds(Double(second))
            if second < 150, Int.random(in: 0..<8, using: &random) == 0 {
                activeUntil["\(second)"] = second + Int.random(in: 1..<20, using: &random)
            }
            for (id, until) in activeUntil {
                let phase: Event.Phase = second < until ? .began : .ended
                if Bool.random(using: &random) { _ = gate.fold(event(phase, id, at: Double(second)), clause: 0) }
                if phase == .ended { activeUntil[id] = nil }
            }
            _ = gate.advance(to: now)
        }
        #expect(!gate.isOpen)
    }
}
