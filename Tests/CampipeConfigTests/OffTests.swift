import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Nodes that are off")
struct OffTests {
    private func file(_ text: String) -> PipelineFile { read("version: 1\n" + text) }

    private func warnings(_ text: String) -> [String] {
        file(text).report.diagnostics.map { "\($0.code.text) \($0.severity) \($0.sentence)" }
    }

    private static let home = """
        sources:
          front: {type: camera, url: x}
          back: {type: camera, url: y, enabled: false}
        transforms:
          watch: {type: motion, input: front, enabled: false}
          small: {type: scale, input: back}
        sinks:
          clips: {type: file, input: front, path: a, when: watch}
          web: {type: http, input: small, path: /back}
          rest: {type: http, input: front, path: /front}
        """

    @Test("What is off because of another node is a warning at what names that node, which says where it is disabled")
    func places() {
        let text = file(Self.home).report.text()
        #expect(
            text == """
                home.yaml:7:31: warning: small is off: its input back is disabled [CAM0077]
                   7 |   small: {type: scale, input: back}
                     |                               ^~~~
                  fix: if that is meant, write enabled: false on small too; if not, enable back
                home.yaml:4:41: note: it is switched off here
                   4 |   back: {type: camera, url: y, enabled: false}
                     |                                         ^~~~~
                home.yaml:9:52: warning: clips is off: it waits for events of watch, which is disabled [CAM0077]
                   9 |   clips: {type: file, input: front, path: a, when: watch}
                     |                                                    ^~~~~
                  fix: if that is meant, write enabled: false on clips too; if not, enable watch
                home.yaml:6:48: note: it is switched off here
                   6 |   watch: {type: motion, input: front, enabled: false}
                     |                                                ^~~~~
                home.yaml:10:28: warning: web is off: its input small is off, since back is disabled [CAM0077]
                  10 |   web: {type: http, input: small, path: /back}
                     |                            ^~~~~
                  fix: if that is meant, write enabled: false on web too; if not, enable back
                home.yaml:4:41: note: it is switched off here
                   4 |   back: {type: camera, url: y, enabled: false}
                     |                                         ^~~~~

                """, "\(text)")
    }

    @Test("What a node that is off lacks of variables and secrets is a warning, and it stays in the pipeline")
    func parked() throws {
        func text(_ enabled: String) -> String {
            """
            sources:
              front: {type: camera, url: x}
              back: {type: camera, url: "${UNSET}", password: !secret file:none, enabled: \(enabled)}
            sinks:
              web: {type: http, input: front, path: /front}
              rest: {type: http, input: back, path: /back, enabled: false}
            """
        }
        let found = file(text("false"))
        #expect(found.summary == ["CAM0045 4:29 warning", "CAM0046 4:51 warning"], "\(found.report.text())")
        #expect(found.node("back")?.isEnabled == false)
        #expect(file(text("\"${UNSET:-false}\"")).description != nil)
        #expect(file(text("true")).summary.filter { $0.hasSuffix("error") }.count == 2)
    }

    @Test("One camera of a template is switched off, with all its nodes")
    func cameras() throws {
        func text(_ camera: String, _ params: String = "[url]") -> String {
            """
            templates:
              n:
                params: \(params)
                sources: {c: {type: camera, url: "{url}"}}
                sinks: {w: {type: http, input: c, path: "/{camera}", enabled: true}}
            cameras:
              a: {use: n, url: x, enabled: true}
              b: {use: n, \(camera)}
            """
        }
        let found = file(text("url: \"${UNSET}\", enabled: false"))
        #expect(found.summary == ["CAM0045 9:20 warning"], "\(found.report.text())")
        let nodes = try #require(found.description).nodes
        #expect(nodes.filter { !$0.isEnabled }.map(\.id).sorted() == ["b/c", "b/w"])
        #expect(file(text("url: y, enabled: maybe")).summary == ["CAM0040 9:32 error"])
        #expect(
            file(text("url: y, enabled: false", "[url, enabled]")).description?.nodes.allSatisfy(\.isEnabled) == true)
    }

    @Test("The description tells which nodes are off, and why")
    func description() throws {
        let description = try #require(file(Self.home).description)
        #expect(
            description.nodes.map { "\($0.id): \($0.off?.text ?? "works")" } == [
                "front: works", "back: disabled", "watch: disabled", "small: its input back is disabled",
                "clips: it waits for events of watch, which is disabled",
                "web: its input small is off, since back is disabled", "rest: works",
            ])
    }

    private static let two = """
        sources:
          a: {type: camera, url: x}
          b: {type: camera, url: y, enabled: false}
          c: {type: camera, url: z, enabled: false}
        transforms:
          wa: {type: motion, input: a}
          wb: {type: motion, input: a, enabled: false}
          wc: {type: motion, input: a, enabled: false}
          use: {type: overlay, input: wa, events: [wa]}

        """

    @Test(
        "One of several that is off is passed over; nothing is left when all are",
        arguments: [
            ("grid, inputs: [a, b]", nil), ("grid, inputs: [b, c]", "its inputs b and c are disabled"),
            ("overlay, input: a, events: [wb]", nil), ("overlay, input: a, when: [wa, wb]", nil),
            ("overlay, input: a, when: [wb, wc]", "it waits for events of wb and wc, which are disabled"),
            ("overlay, input: a, when: {event: wb, class: [x]}", "it waits for events of wb, which is disabled"),
            ("overlay, input: b, events: [wa]", "its input b is disabled"),
        ])
    func several(node: String, reason: String?) throws {
        let file = file(
            Self.two + "  n: {type: \(node)}\nsinks:\n  t: {type: terminal, input: n}\n"
                + "  s: {type: terminal, input: use}")
        #expect(file.node("n")?.off?.reason == reason, "\(file.report.text())")
        #expect(file.report.diagnostics.contains { $0.sentence.hasPrefix("n is off: ") } == (reason != nil))
    }

    @Test("Where no sink is left that works a warning says so, whoever is disabled")
    func noSink() {
        func text(_ source: String, _ sink: String) -> String {
            "sources: {a: {type: camera, url: x\(source)}}\nsinks: {s: {type: terminal, input: a\(sink)}}"
        }
        let off = ", enabled: false"
        #expect(warnings(text("", "")) == [])
        #expect(
            warnings(text("", off)) == [
                "CAM0073 warning every sink is switched off, so nothing would come of the pipeline"
            ])
        #expect(
            warnings(text(off, "")) == [
                "CAM0073 warning every sink is off, so nothing would come of the pipeline",
                "CAM0077 warning s is off: its input a is disabled",
            ])
    }

    @Test("In a template it is told once for all cameras, in the template's words")
    func template() {
        let file = file(
            """
            templates:
              t:
                params: [url]
                sources: {cam: {type: camera, url: "{url}"}}
                transforms: {watch: {type: motion, input: cam, enabled: false}}
                sinks: {rec: {type: file, input: cam, path: "{camera}", when: watch}, t: {type: terminal, input: cam}}
            cameras: {yard: {use: t, url: x}, gate: {use: t, url: y}}
            """)
        #expect(
            file.report.diagnostics.map(\.sentence) == ["rec is off: it waits for events of watch, which is disabled"],
            "\(file.report.text())")
        #expect(file.report.text().contains("for the camera \"yard\" and 1 more"), "\(file.report.text())")
    }

    @Test("A faulty reference tells nothing about off")
    func faulty() {
        let file = file("sources: {a: {type: camera, url: x}}\nsinks: {s: {type: terminal, input: b}}")
        #expect(file.report.diagnostics.map(\.code) == [.unknownInput])
    }
}
