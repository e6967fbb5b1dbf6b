import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Where a fault stands in a text that parameters were put into")
struct FilledPlaceTests {
    private func file(_ text: String, params: String = "url, title", camera: String) -> PipelineFile {
        read(
            """
            version: 1
            templates:
              t:
                params: [\(params)]
                sources: {cam: {type: camera, url: "{url}"}}
                transforms:
                  o: {type: fields, input: cam, text: \(text)}
                sinks: {t: {type: terminal, input: o}}
            cameras:
              yard: {use: t, url: x, \(camera)}
            """)
    }

    private func notes(_ file: PipelineFile) -> [String] {
        file.report.diagnostics.flatMap(\.related).map { related in
            let place = file.report.sources[Int(related.mark.source)].position(of: Int(related.mark.start))
            return "\(place.line):\(place.column) \(related.note)"
        }
    }

    @Test(
        "What stands in the template is shown there, whatever parameters stand around it",
        arguments: [
            ("\"{title} {sorce}\"", "7:52"), ("'{sorce} {title}'", "7:44"),
            ("\"{camera}{title}/{sorce}{title}\"", "7:60"),
        ])
    func written(text: String, place: String) {
        let file = file(text, camera: "title: a long title")
        #expect(file.summary == ["CAM0047 \(place) error"], "\(file.report.text())")
        #expect(notes(file) == ["10:3 for the camera \"yard\""])
    }

    @Test("What a camera gives is shown at the camera, and the template's use beside it")
    func given() {
        let file = file("\"{title} x\"", camera: "title: \"my {sorce}\"")
        #expect(file.summary == ["CAM0047 10:37 error"], "\(file.report.text())")
        #expect(notes(file) == ["7:43 the template uses it here"])
    }

    @Test("Of two parameters the one that is meant is shown")
    func two() {
        let file = file(
            "\"{a}-{b}\"", params: "url, a, b", camera: "a: \"{sorce}\", b: fine")
        #expect(file.summary == ["CAM0047 10:30 error"], "\(file.report.text())")
    }

    @Test("Where it cannot be told which of several it is, the template's text is shown and each of them noted")
    func several() {
        let file = read(
            """
            version: 1
            templates:
              t:
                params: [a, b]
                sources: {cam: {type: camera, url: x, connect_timeout: "{a}{b}"}}
                sinks: {t: {type: terminal, input: cam}}
            cameras:
              yard: {use: t, a: 5, b: x}
            """)
        #expect(file.summary == ["CAM0040 5:60 error"], "\(file.report.text())")
        #expect(notes(file) == ["8:21 a part of it is given here", "8:27 a part of it is given here"])
    }

    @Test("In a list that a camera gives the element is shown, and the template's use beside it")
    func elements() {
        let file = read(
            """
            version: 1
            templates:
              t:
                params: [what]
                sources: {cam: {type: camera, url: x}}
                transforms: {o: {type: overlay, input: cam, draw: "{what}"}}
                sinks: {t: {type: terminal, input: o}}
            cameras:
              yard: {use: t, what: [boxes, zoness]}
            """)
        #expect(
            file.report.diagnostics.map(\.fix) == ["did you mean \"zones\"? accepted: boxes, zones"],
            "\(file.report.text())")
        #expect(file.summary.map { $0.contains(" 9:32 ") } == [true], "\(file.summary)")
        #expect(notes(file) == ["6:55 the template uses it here"])
    }
}
