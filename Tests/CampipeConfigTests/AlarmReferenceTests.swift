import CampipeKit
import Testing

@testable import CampipeConfig

/// Takes nothing but events.
struct TestAlert: Sink {
    typealias Input = Event
    static let name = "alert"
    static let summary = "Tells somebody."
    static let inputs: [any AnyPort] = [In<Event>("inputs", many: true)]
    mutating func consume(_ item: consuming Event) throws -> Next { .more }
}

/// References to what befalls nodes: a camera that is lost, a recording that is ready.
@Suite("References to what befalls nodes") struct AlarmReferenceTests {
    private func file(_ sinks: String) -> PipelineFile {
        var registry = testRegistry
        registry.add(Registration(sink: TestAlert.self))
        let text = """
            version: 1
            sources:
              front: {type: camera, url: x}
            transforms:
              watch: {type: motion, input: front}
              small: {type: scale, input: front}
            sinks:
              clips: {type: file, input: front, path: a, when: watch}
              web: {type: http, input: small, path: /small}

            """
        return PipelineFile(
            Array((text + sinks).utf8), name: "home.yaml", registry: registry, surroundings: surroundings())
    }

    private func sources(_ sinks: String, of id: String = "alert") -> [String]? {
        let file = file(sinks)
        guard file.report.diagnostics.isEmpty else { return file.summary }
        return file.node(id)?.inputs.first?.from.map { "\($0.node).\($0.port)" }
    }

    @Test("A sink that takes only events takes those of whatever it names: motion, a camera, a recording, a transform")
    func alone() {
        #expect(
            sources("  alert: {type: alert, inputs: [watch, front, clips, small]}")
                == ["watch.events", "front.events", "clips.events", "small.events"])
        #expect(sources("  alert: {type: alert, input: front}") == ["front.events"])
    }

    @Test("By name they are had everywhere that events are")
    func named() {
        #expect(sources("  said: {type: log, input: clips.events}", of: "said") == ["clips.events"])
        #expect(sources("  said: {type: log, input: clips}", of: "said") == ["clips.events"])
        let gated = "  shown: {type: terminal, input: front, when: [front.events, clips.events]}"
        #expect(file(gated).report.diagnostics.isEmpty)
        #expect(file(gated).node("shown")?.when.map(\.event.node) == ["front", "clips"])
    }

    @Test("A pattern takes what nodes find, not what befalls them; a node that finds events has that on `alarms`")
    func patterns() {
        #expect(
            sources("  alert: {type: alert, inputs: [\"*\"]}\n  other: {type: alert, inputs: [\"*\"]}")
                == ["watch.events"])
        #expect(sources("  alert: {type: alert, inputs: [watch, watch.alarms]}") == ["watch.events", "watch.alarms"])
    }

    @Test(
        "Elsewhere the id alone is a fault, which says what to write",
        arguments: [
            ("when: front", "front gives packets, and events are due here", "name a node that gives events"),
            (
                "when: clips", "clips is a sink: only what befalls it comes out of it",
                "write clips.events if that is meant, or name a node that gives events"
            ),
        ])
    func byName(_ key: String, _ sentence: String, _ fix: String) {
        let diagnostics = file("  shown: {type: terminal, input: front, \(key)}").report.diagnostics
        #expect(diagnostics.map(\.sentence) == [sentence])
        #expect(diagnostics.map(\.fix) == [fix])
    }

    @Test("Pictures of a sink are a fault, by name too, and so is an output that it does not have")
    func noPictures() {
        let pictures = file("  shown: {type: terminal, input: clips}").report.diagnostics
        #expect(pictures.map(\.sentence) == ["clips is a sink: only what befalls it comes out of it"])
        let named = file("  shown: {type: terminal, input: clips.events}").report.diagnostics
        #expect(named.map(\.sentence) == ["clips gives events, and frames are due here"])
        let unknown = file("  alert: {type: alert, input: clips.event}").report.diagnostics
        #expect(unknown.map(\.sentence) == ["clips has no output \"event\""])
    }

    @Test("Sinks that tell one another are a circle")
    func circle() {
        let found = file("  one: {type: alert, input: two}\n  two: {type: alert, input: one}").report.diagnostics
        #expect(found.map(\.code) == [.cycle])
    }
}
