import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Indentation, colons, quotes and brackets")
struct LayoutTests {
    private func check(_ text: String, _ expected: [(sentence: String, fix: String)]) {
        let file = read(text)
        #expect(file.report.diagnostics.map(\.sentence) == expected.map(\.sentence), "\(file.report.text())")
        #expect(file.report.diagnostics.map(\.fix) == expected.map(\.fix))
    }

    private let camera = "sources: {front: {type: camera, url: x}}"

    @Test("Keys of a node that stand beside its id are told once, and read as the node's")
    func besideID() {
        check(
            "version: 1\n\(camera)\nsinks:\n  web:\n  type: http\n  input: front\n  path: /front\n  quality: 101",
            [
                ("\"type\" stands beside \"web\", not under it", "indent the keys of web deeper than its id"),
                ("\"101\" is out of range", "accepted: 1…100"),
            ])
        check(
            "version: 1\nsources:\n  front:\n  type: camera\n  url: x\nsinks:\n  web: {type: http, input: front, path: /a}",
            [("\"type\" stands beside \"front\", not under it", "indent the keys of front deeper than its id")])
    }

    @Test("Keys of a node without an id ask for one")
    func noID() {
        check(
            "version: 1\n\(camera)\nsinks:\n  type: http\n  input: front\n  path: /front",
            [
                (
                    "\"type\" belongs to a node, and no id stands above it",
                    "write an id above it, such as sink:, and indent the node's keys under that"
                )
            ])
    }

    @Test("A section under another is read all the same")
    func inside() {
        check(
            "version: 1\nsources:\n  front: {type: camera, url: x}\n  sinks:\n    web: {type: http, input: front, path: /front, quality: 0}",
            [
                (
                    "\"sinks\" stands under \"sources\", not beside it",
                    "begin it in the column in which \"sources\" begins"
                ),
                ("\"0\" is out of range", "accepted: 1…100"),
            ])
    }

    @Test(
        "A colon that is missing is told in its own line, and reading goes on",
        arguments: [
            (
                "sources:\n  front\n    type: camera\n    url: x", "3:3", "a colon is missing behind \"front\"",
                "write front:"
            ),
            (
                "sources:\n  front:\n    type = camera\n    url: x", "4:5", "a colon is missing behind \"type\"",
                "write type: camera"
            ),
            (
                "sources:\n  front:\n    url: x\n    type = camera", "5:5", "a colon is missing behind \"type\"",
                "write type: camera"
            ),
            (
                "sources: {front: {type = camera, url: x}}", "2:19", "a colon is missing behind \"type\"",
                "write type: camera"
            ),
            (
                "sources: {front: {type camera, url: x}}", "2:19", "a colon is missing behind \"type\"",
                "write type: camera"
            ),
        ])
    func colons(text: String, place: String, sentence: String, fix: String) {
        let file = read("version: 1\n\(text)\nsinks: {web: {type: http, input: front, path: /a, quality: 0}}\n")
        #expect(
            file.report.diagnostics.map(\.sentence) == [sentence, "\"0\" is out of range"], "\(file.report.text())")
        #expect(file.report.diagnostics.first?.fix == fix)
        #expect(file.summary.first == "CAM0001 \(place) error")
    }

    @Test("A piece of a password that a comma cuts is no key without a colon, and is not shown in a fix")
    func pieces() {
        for piece in ["type=nis77", "x=nis77", "nis77"] {
            let file = read(
                "version: 1\nsources: {a: {type: camera, url: x, password: geheim,\(piece)}}\nsinks: {w: {type: http, input: a, path: /a}}"
            )
            #expect(file.report.diagnostics.map(\.fix) == ["quote the whole value"], "\(file.report.text())")
        }
    }

    private func overlay(_ line: String) -> String {
        "version: 1\n\(camera)\ntransforms:\n  s:\n    type: overlay\n    input: front\n    text: \(line)\nsinks: {web: {type: http, input: s, path: /a}}"
    }

    private func flow(_ line: String) -> String {
        "version: 1\n\(camera)\ntransforms:\n  s: {type: overlay, input: front, text: \(line)}\nsinks: {web: {type: http, input: s, path: /a}}"
    }

    private let quote = "the quote that begins here is closed before the value ends"

    @Test("Text behind a quote that closes is told with the quotes that work")
    func quotes() {
        for text in [overlay("'it's me'"), flow("'it's me'")] { check(text, [(quote, "write \"it's me\"")]) }
        for text in [overlay("\"REC\" now"), flow("\"REC\" now")] {
            check(text, [(quote, "quote the whole value: '\"REC\" now'")])
        }
        check(overlay("\"say \"it's\" now\""), [(quote, "quote the whole value")])
    }

    @Test("Text that begins with a dash or a comma is told to be quoted")
    func dash() {
        check(
            overlay("- REC -"),
            [("text may not begin with - and a blank in YAML, where a list begins so", "quote it: \"- REC -\"")])
        check(overlay(", x"), [("text may not begin with , in YAML", "quote it: \", x\"")])
        check(
            overlay("x").replacing("input: front", with: "input: - front"),
            [
                (
                    "text may not begin with - and a blank in YAML, where a list begins so",
                    "write [front] for a list, or quote it if it is text"
                )
            ])
    }

    @Test("What follows the bracket that closes is told there, once")
    func trailing() {
        let web = "version: 1\n\(camera)\nsinks:\n  web: {type: http, input: front, path: /front}"
        check(web + "}", [("the map is closed already, and this closes nothing", "delete it")])
        check(
            web + " x",
            [
                (
                    "text follows the bracket that closes the map",
                    "delete it, or write it as a key and a value inside the brackets"
                )
            ])
        check(
            "version: 1\n\(camera)\ntransforms:\n  g:\n    type: grid\n    inputs: [front, front]]\nsinks: {web: {type: http, input: g, path: /a}}",
            [("the list is closed already, and this closes nothing", "delete it")])
    }

    @Test("A word with & is told to be part of the text, or to be deleted; one that an alias names is not")
    func anchors() {
        let fix = "quote the whole value if it is; else delete the word, which no * names"
        for text in [overlay("&home x"), flow("&home x")] {
            check(text, [("a word that begins with & is an anchor to YAML, and no part of the text", fix)])
            #expect(read(text).description != nil)
        }
        check(
            overlay("&home"),
            [("a word that begins with & is an anchor to YAML, and nothing follows it", "quote it if it is text")])
        check(overlay("&home x").replacing("path: /a", with: "path: /a, access: *home"), [])
    }

    @Test("A word with ! is told to be quoted")
    func tag() {
        check(
            flow("!important msg"),
            [
                (
                    "the tag !important may not stand in a pipeline file",
                    "quote the value if it is text; the one tag that is known is !secret file:PATH"
                )
            ])
    }

    @Test("A password that a comment cuts is warned of, and neither half is shown")
    func comment() {
        let text =
            "version: 1\nsources:\n  front:\n    type: camera\n    url: x\n    password: S3cret #x9zz\nsinks: {web: {type: http, input: front, path: /a}}"
        let file = read(text)
        #expect(file.summary == ["CAM0044 6:15 warning"])
        #expect(
            file.report.diagnostics.first?.sentence
                == "the value of \"password\" ends before the #, where YAML begins a comment")
        let shown = file.report.text() + file.report.json()
        #expect(!shown.contains("S3cret") && !shown.contains("x9zz"), "\(shown)")
        for line in ["S3cret # mine", "S3cret#x9zz", "\"S3cret\" #x9zz"] {
            #expect(read(text.replacing("S3cret #x9zz", with: line)).report.diagnostics.isEmpty)
        }
    }

    @Test("A variable that is not closed asks to close it, and shows no default")
    func variable() {
        check(
            "version: 1\nsources: {front: {type: camera, url: \"${X\"}}\nsinks: {w: {type: http, input: front, path: /a}}",
            [("\"${\" is not closed by \"}\"", "write ${X}, or $${ for a literal ${")])
        check(
            "version: 1\nsources: {front: {type: camera, url: \"a${X:-hunter22\"}}\nsinks: {w: {type: http, input: front, path: /a}}",
            [("\"${\" is not closed by \"}\"", "write ${X}, or $${ for a literal ${")])
    }

    @Test(
        "A comma in braces that cuts a value is told with the value that was meant",
        arguments: [
            ("file", "fps: 12,5", "fps", "write 12.5"),
            ("camera", "fps: 12,5", "fps", nil),
        ] as [(String, String, String, String?)])
    func numbers(type: String, line: String, key: String, fix: String?) {
        let file = read(
            "version: 1\nsources: {a: {type: \(type), \(type == "file" ? "path" : "url"): x, \(line)}}\nsinks: {w: {type: http, input: a, path: /a}}"
        )
        let found = file.report.diagnostics
        #expect(found.count == 1)
        if let fix {
            #expect(found.map(\.fix) == [fix])
            #expect(found.map(\.sentence) == ["inside { } a comma ends the value of \"\(key)\" in YAML"])
        }
    }

    @Test("So are a text, ids and a password, which is not shown")
    func texts() {
        let sentence = "inside { } a comma ends the value of \"text\" in YAML"
        check(flow("a, b, c"), [(sentence, "quote the whole value: \"a, b, c\"")])
        check(
            "version: 1\n\(camera)\ntransforms: {g: {type: grid, inputs: front, front}}\nsinks: {w: {type: http, input: g, path: /a}}",
            [("inside { } a comma ends the value of \"inputs\" in YAML", "write [front, front]")])
        check(
            "version: 1\nsources: {a: {type: camera, url: x, password: geheim, nis77}}\nsinks: {w: {type: http, input: a, path: /a}}",
            [("inside { } a comma ends the value of \"password\" in YAML", "quote the whole value")])
    }
}
