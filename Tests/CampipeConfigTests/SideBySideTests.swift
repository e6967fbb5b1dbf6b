import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Faults side by side")
struct SideBySideTests {
    private static let nodes = "\nsources: {a: {type: camera, url: x}}\nsinks: {s: {type: terminal, input: a}}\n"

    @Test(
        "what is wrong with one key of the server hides nothing that is wrong with another",
        arguments: [
            ("listen: \"127.0.0.1:80800\", auht: none", ["CAM0040 2:18", "CAM0020 2:37"]),
            ("listen: \"0.0.0.0:80\", cors: [x], frm: 1", ["CAM0072 2:18", "CAM0040 2:39", "CAM0020 2:43"]),
            ("hosts: [\"a b\"], limits: {clients: 1}", ["CAM0040 2:18", "CAM0042 2:44"]),
            (
                "auth: none, users: {me: {role: boss}}, cors: x",
                ["CAM0040 2:16", "CAM0021 2:30", "CAM0043 2:41", "CAM0022 2:55"]
            ),
            // Who misspelt it did say it.
            ("listen: \"0.0.0.0:80\", auht: none", ["CAM0020 2:32"]),
            ("listen: \"0.0.0.0:80\", auth: nobody", ["CAM0043 2:38"]),
        ])
    func server(keys: String, found: [String]) {
        let file = read("version: 1\nserver: {\(keys)}" + Self.nodes)
        #expect(file.summary.map { $0.replacing(" error", with: "") } == found, "\(file.report.text())")
    }

    @Test("a node of another section, and one whose type is misspelt, are read to their end")
    func types() {
        let misplaced = read(
            "version: 1\nsources: {a: {type: camera, url: x}}\nsinks: {s: {type: overlay, inptu: a, drwa: [boxes]}}\n")
        #expect(
            misplaced.summary == ["CAM0060 3:19 error", "CAM0020 3:28 error", "CAM0020 3:38 error"],
            "\(misplaced.report.text())")
        let misspelt = read(
            "version: 1\nsources: {a: {type: camera, url: x}}\nsinks: {s: {Type: http, Input: a, Path: /p}}\n")
        #expect(
            misspelt.summary == ["CAM0020 3:13 error", "CAM0020 3:25 error", "CAM0020 3:35 error"],
            "\(misspelt.report.text())")
        #expect(misspelt.report.diagnostics.map(\.fix) == ["type", "input", "path"].map { "did you mean \"\($0)\"?" })
    }

    @Test("a file of empty sections has no sink, whatever its name lacks")
    func empty() {
        #expect(read("version: 1\nname:\nsources:\nsinks:\n").summary.contains("CAM0073 - error"))
        #expect(!read("version: 1\nsniks: {a}\n").summary.contains("CAM0073 - error"))
    }

    @Test("a line of any length is shown around its fault")
    func longLine() {
        let text =
            "version: 1\nsources: {a: {type: camera, url: \"\(String(repeating: "x", count: 9000))\", foo: 1}}\n"
            + "sinks: {s: {type: terminal, input: a}}\n"
        let shown = read(text).report.text()
        let lines = shown.split(separator: "\n")
        #expect(lines[1].hasPrefix("   2 | …xxx") && lines[1].hasSuffix("xxx\", foo: 1}}"), "\(shown)")
        let (line, caret) = (Array(lines[1]), Array(lines[2]))
        #expect(caret.firstIndex(of: "^").map { String(line[$0...].prefix(3)) } == "foo")
    }

    @Test(
        "characters that nobody sees are named and deleted, and a wide colon is named",
        arguments: [
            ("input: a\u{200B}", "U+200B, a zero width space", "3:37"),
            ("in\u{AD}put: a", "U+AD, a soft hyphen", "3:31"),
            ("\u{A0}input: a", "U+A0, a no-break space", "3:29"), ("input: a\u{A0}", "U+A0, a no-break space", "3:37"),
            ("input\u{FF1A} a", "U+FF1A, a wide colon", "3:34"),
        ])
    func unseen(key: String, name: String, place: String) {
        let file = read("version: 1\nsources: {a: {type: camera, url: x}}\nsinks: {s: {type: terminal, \(key)}}\n")
        #expect(file.summary == ["CAM0001 \(place) error"], "\(file.report.text())")
        #expect(file.report.diagnostics[0].sentence.contains(name))
    }

    @Test("a wide colon in a line of its own is named too")
    func wideColon() {
        let file = read("version: 1\nsources:\n  a:\n    type\u{FF1A} camera\n    url: x\n")
        #expect(file.summary.first == "CAM0001 4:9 error", "\(file.report.text())")
    }

    @Test("a text in quotes may hold any of them")
    func quoted() {
        let text =
            "version: 1\nsources: {a: {type: camera, url: \"x\u{200B}\"}}\nsinks: {s: {type: terminal, input: a}}\n"
        #expect(read(text).description != nil)
    }

    @Test("an override into a template that there is not names those that there are")
    func template() {
        let text =
            "version: 1\ntemplates: {cam: {sources: {c: {type: camera, url: x}}}}\ncameras: {y: {use: cam}}\n"
            + "sinks: {s: {type: terminal, input: y/c}}\n"
        let report = read(text, overrides: [Override(path: "templates.cma.sources.c.url", text: "z")]).report
        #expect(report.diagnostics.map(\.sentence) == ["there is no template \"cma\""])
        #expect(report.diagnostics.map(\.fix) == ["did you mean templates.cam.sources.c.url?"])
    }
}
