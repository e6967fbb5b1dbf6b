import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Alerts of what never comes")
struct AlertCheckTests {
    private struct Watch: Transform {
        static let name = "watch"
        static let summary = "Watches."
        static let outputs: [any AnyPort] = [
            Out<Frame>("out"), Out<Event>("events", tells: [.motionStarted, .motionEnded]),
        ]
        mutating func process(_ frame: consuming Frame, to output: inout Output) throws {}
    }

    private struct Recorder: Sink {
        typealias Input = Packet
        static let name = "recorder"
        static let summary = "Records."
        static let tells: [EventKind] = [.clipReady]
        mutating func consume(_ packet: consuming Packet) throws -> Next { .more }
    }

    private struct Alert: Sink {
        typealias Input = Event
        static let name = "alert"
        static let summary = "Tells."
        static let inputs: [any AnyPort] = [In<Event>("inputs", many: true)]
        @Option("The kinds that count.") var on: [String]? = nil
        mutating func consume(_ event: consuming Event) throws -> Next { .more }
    }

    private func found(_ inputs: String, _ on: String) -> [String] {
        let registry = Registry(
            testRegistry.registrations + [
                Registration(transform: Watch.self), Registration(sink: Recorder.self), Registration(sink: Alert.self),
            ])
        let text = """
            version: 1
            sources:
              front: {type: camera, url: x}
              film: {type: file, path: x}
            transforms:
              watch: {type: watch, input: front}
              still: {type: motion, input: front}
              same: {type: identity, input: watch.events}
            sinks:
              w: {type: http, input: film, path: /w}
              rec: {type: recorder, input: front, when: still}
              l: {type: terminal, input: watch, when: same}
              tell: {type: alert, inputs: [\(inputs)], on: [\(on)]}
            """
        let file = PipelineFile(Array(text.utf8), name: "home.yaml", registry: registry, surroundings: surroundings())
        #expect(file.description != nil, "\(file.report.text())")
        return zip(file.summary, file.report.diagnostics).map { "\($0); \($1.sentence); \($1.fix)" }
    }

    @Test("A kind that no input tells is warned of, with who tells it")
    func unheard() {
        #expect(
            found("front", "motion_started") == [
                "CAM0048 13:45 warning; no motion_started comes here: front tells camera_lost and camera_found; "
                    + "add watch to its inputs, or write one of these"
            ])
        #expect(
            found("watch, film", "motion_ended, clip_ready") == [
                "CAM0048 13:65 warning; no clip_ready comes here: watch tells motion_started and motion_ended; "
                    + "film is not live, and tells nothing; add rec to its inputs, or write one of these"
            ])
        #expect(
            found("film", "camera_lost").first?.hasSuffix("add front to its inputs") == true)
    }

    @Test("One that is near to a kind that comes, or its beginning, is taken for that")
    func near() {
        #expect(found("watch", "motion").first?.hasSuffix("write motion_ended or motion_started") == true)
        #expect(found("front", "motion").first?.hasSuffix("add watch to its inputs, or write one of these") == true)
        #expect(found("watch", "motion_end").first?.hasSuffix("did you mean \"motion_ended\"?") == true)
    }

    @Test(
        "What comes is fine, and so is all where an input may tell anything",
        arguments: [
            ("watch", "motion_started"), ("front, watch", "camera_lost, motion_ended"), ("rec", "clip_ready"),
            ("rec", "plugin_failed"), ("watch.alarms", "plugin_failed"), ("still", "anything"), ("same", "anything"),
            ("film, still", "camera_lost"),
        ])
    func heard(inputs: String, on: String) { #expect(found(inputs, on).isEmpty) }
}
