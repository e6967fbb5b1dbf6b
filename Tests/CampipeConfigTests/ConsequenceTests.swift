import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("What follows from a fault is not reported")
struct ConsequenceTests {
    @Test(
        "Nothing is called unused, missing or unknown because of a fault elsewhere",
        arguments: [
            ("sinks: {w: {type: http, inptu: cam, path: /w}}", ["CAM0020"]),
            ("sinks: {w: {typ: http, input: cam, path: /w}}", ["CAM0020"]),
            ("sink: {w: {type: http, input: cam, path: /w}}", ["CAM0020"]),
            ("sinks: {w: {type: http, input: null, path: /w}}", ["CAM0022"]),
            ("sinks: {w: {type: http, input: \"${NOPE}\", path: /w}}", ["CAM0045"]),
            ("sinks: {w: {type: http, input: \"a b\", path: /w}}", ["CAM0040"]),
            (
                "sinks: {w: {type: http, input: cam, path: /w, quality: 101}, x: {type: http, input: cam, path: /w}}",
                ["CAM0042", "CAM0067"]
            ),
            ("sinks: {l: {type: log, inputs: []}}", ["CAM0040"]),
            ("sinks: {w: &w {type: http, input: *w, path: /w}}", ["CAM0010"]),
            ("sinks: {w: {type: http, input: *cma, path: /w}}", ["CAM0013"]),
            ("sinks: &s {w: {type: http, input: cam, path: /w}, x: *s}", ["CAM0010"]),
            ("transforms: {s: &s {type: *s, input: cam}}\nsinks: {w: {type: http, input: s, path: /w}}", ["CAM0010"]),
            (
                "transforms: {s: &s {type: scale, input: cam}}\nsinks: {w: {<<: *s, type: http, path: /w}}",
                ["CAM0012"]
            ),
            (
                "x-base: &b {w: {type: http, input: cam, path: /w}}\nsinks: {<<: [*b]}",
                ["CAM0012", "CAM0020"]
            ),
            ("sinks: {w: {type: http, input: cam, path: \"!secret file:x\"}}", ["CAM0049"]),
            ("sinks: {w: {type: http, input: cam, path: !secret x}}", ["CAM0009"]),
        ])
    func single(line: String, codes: [String]) {
        let file = read("version: 1\nsources: {cam: {type: camera, url: x}}\n\(line)\n")
        #expect(file.report.diagnostics.map(\.code.text).sorted() == codes)
    }

    @Test("A node's own check sees the good options beside a bad one")
    func checkBesideFault() {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: x}}
            transforms: {o: {type: overlay, input: cam, text: "{sorce}", draw: [nothing]}}
            sinks: {t: {type: terminal, input: o}}
            """)
        #expect(file.summary == ["CAM0047 3:51 error", "CAM0043 3:69 error"])
    }

    @Test("A template that only faulty cameras use is checked once, and never called unused")
    func sampleTemplate() {
        let text = """
            version: 1
            templates:
              t: {params: [url], sources: {cam: {type: camera, url: "{url}", fps: x}}, sinks: {s: {type: log, input: c}}}
            cameras: {a: {use: t, uri: x}, b: {use: t, uri: x}}
            sources: {cam: {type: camera, url: x}}
            sinks: {w: {type: http, input: cam, path: /w}}
            """
        #expect(read(text).report.diagnostics.map(\.code.text) == ["CAM0040", "CAM0061", "CAM0027", "CAM0027"])
        // What is well written stays a warning alone, whatever its parameters may be.
        let unused = text.replacing(", fps: x", with: "").replacing("input: c}", with: "input: cam.events}")
            .replacing("cameras: {a: {use: t, uri: x}, b: {use: t, uri: x}}\n", with: "")
        #expect(read(unused).summary == ["CAM0064 3:3 warning"])
    }

    private func errors(_ text: String) -> [String] { read("version: 1\n" + text).report.diagnostics.map(\.sentence) }

    @Test("A blank that is missing in front of a path is told as that")
    func missingBlank() {
        #expect(
            errors("sources: {a: {type: camera, url: x}}\nsinks: {w: {type:http, input:a, path:/front}}")
                == [String](repeating: "a blank is missing behind the colon", count: 3))
        for word in ["file:/dev/video0", "v4l2:/dev/video0", "c:/x", "http://x/y"] {
            #expect(MissingBlank(word) == nil)
        }
    }

    @Test("What a missing comma or a ; took with it is not called missing", arguments: [" ", "; "])
    func missingComma(between: String) {
        #expect(
            errors("sources: {a: {type: camera, url: x}}\nsinks: {w: {type: http, input: a\(between)path: /front}}")
                == ["a second \": \" stands where one value is expected"])
    }

    @Test("A sink that is still to come uses what it names")
    func later() {
        let text =
            "sources: {a: {type: camera, url: x}, b: {type: camera, url: x}}\ntransforms: {m: {type: motion, input: a}}\nsinks: {q: {type: mqtt, input: m.events}}"
        #expect(errors(text).filter { $0.hasPrefix("nothing uses") } == ["nothing uses b"])
    }

    @Test(
        "A reference with characters that no id has is told which one is meant",
        arguments: [
            ("\"front \"", "did you mean \"front\"?"), ("\"cams/front\"", "did you mean \"front\"?"),
            ("“front”", "did you mean \"front\"?"), ("front.out.x", "did you mean \"front\"?"),
            ("{front: out}", "write front.out"), ("{front}", "write front"), ("{id: front}", "write front"),
            ("{a: b, c: d}", "write id or id.port"), ("\"x y\"", "write id or id.port"),
        ])
    func oddReferences(written: String, fix: String) {
        let file = read(
            "version: 1\nsources: {front: {type: camera, url: x}}\nsinks: {w: {type: http, input: \(written), path: /a}}"
        )
        let fixes = file.report.diagnostics.map(\.fix).filter { !$0.hasPrefix("write straight") }
        #expect(fixes == (written.hasPrefix("“") ? [] : [fix]), "\(file.report.text())")
    }

    @Test("Two nodes at one path are told to put {camera} into it only where it is missing")
    func clashes() {
        func fixes(_ path: String, _ other: String) -> [String] {
            read(
                """
                version: 1
                templates:
                  t:
                    sources: {cam: {type: camera, url: x}}
                    sinks: {web: {type: http, input: cam, path: "\(path)"}}
                cameras: {yard: {use: t}, gate: {use: t}}
                sources: {a: {type: camera, url: x}}
                sinks: {w: {type: http, input: a, path: \(other)}}
                """
            ).report.diagnostics.map(\.fix)
        }
        #expect(fixes("/{camera}", "/yard") == ["give each its own"])
        #expect(fixes("/x", "/y") == ["put {camera} into it"])
    }
}
