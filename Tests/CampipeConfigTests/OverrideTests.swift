import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Values from the command line")
struct OverrideTests {
    private static let home = """
        version: 1
        templates: {t: {params: [url], sources: {cam: {type: camera, url: "{url}"}}}}
        cameras: {yard: {use: t, url: x}}
        sources: {front: {type: camera, url: x}}
        transforms: {small: {type: scale, input: front}}
        sinks: {web: {type: http, input: small, path: /w}, rec: {type: file, input: yard/cam, path: a}}
        """

    @Test(
        "A name that nobody has is told with the one that was meant, and nothing else is said",
        arguments: [
            ("sources.frnt.url=y", "there is no node \"frnt\"", "did you mean sources.front.url?"),
            ("transforms.web.path=/x", "there is no node \"web\"", "did you mean sinks.web.path?"),
            ("transforms.wbe.path=/x", "there is no node \"wbe\"", "did you mean sinks.web.path?"),
            ("sinks.other.path=/x", "there is no node \"other\"", "known: web, rec"),
            ("cameras.yrad.url=y", "there is no camera \"yrad\"", "did you mean cameras.yard.url?"),
            (
                "sources.yard/cam.fps=5", "there is no node \"yard/cam\"",
                "a template makes it: did you mean templates.t.sources.cam.fps?"
            ),
        ])
    func unknownName(argument: String, sentence: String, fix: String) throws {
        let file = read(Self.home, overrides: [try #require(Override(argument: argument))])
        #expect(file.report.diagnostics.map(\.sentence) == [sentence], "\(file.report.text())")
        #expect(file.report.diagnostics.map(\.fix) == [fix])
        #expect(file.report.text().hasPrefix("--set \(argument.prefix { $0 != "=" }): error: "))
    }

    @Test(
        "What YAML would misread is the text that the shell handed over",
        arguments: [
            "#fff000", "%H%M.mp4", "{fps} x", "{fps}", "@x", "*x", "&x", "!x", "|", "> x", "- x", "a: b", "a #b",
            "Gate: %H:%M", "[cam] %S", "'tis", "\"a\" b", "a, b", "`x`", "? x", "%YAML 1.1", "---", "ä: ö", "x\ty",
        ])
    func text(value: String) throws {
        let file = read(Self.home, overrides: [Override(path: "sinks.rec.path", text: value)])
        #expect(file.report.text() == "", "\(file.report.text())")
        #expect(file.node("rec")?.options["path"] == .plain(value))
    }

    @Test(
        "Quotes, brackets and !secret are read as YAML",
        arguments: [
            ("\"/x y\"", Value.text("/x y")), ("'it''s'", .text("it's")), ("\"a\\\"b\"", .text("a\"b")),
            ("  5 ", .plain("5")), ("", .text("")), ("  ", .text("")),
            ("[a, 'b]']", .list([.plain("a"), .text("b]")])),
            ("{a: {b: 1}}", .map(["a": .map(["b": .plain("1")])])),
            ("a: 1\nb: 2", .map(["a": .plain("1"), "b": .plain("2")])),
        ])
    func yaml(value: String, expected: Value) {
        var root = LocatedValue(.map([]), Mark(0, 0))
        let reading = Override(path: "x", text: value).apply(to: &root, source: 1)
        #expect(reading.diagnostics.isEmpty)
        #expect(root["x"]?.value == expected)
    }

    @Test(
        "A fault in one names its argument and shows it, never a place in the file",
        arguments: [
            ("sources.front.fps=@x", "\"@x\" is not a whole number", "@x"),
            ("sources.front.fps=#5", "\"#5\" is not a whole number", "#5"),
            ("sinks.rec.path=[a", "the [ that begins here is not closed before line 1, column 3", "[a"),
            ("defaults={http: {}, http: {}}", "the key \"http\" stands twice in one map", "{http: {}, http: {}}"),
            ("sinks.web.late_after=%5", "\"%5\" is not a duration", "%5"),
            ("sources.front.fps= 5 #x", "\"5 #x\" is not a whole number", " 5 #x"),
            ("sources.front.password=!secret nothing", "!secret needs the file that holds it", "!secret nothing"),
        ])
    func faults(argument: String, sentence: String, shown: String) throws {
        let file = read(Self.home, overrides: [try #require(Override(argument: argument))])
        let text = file.report.text()
        let name = argument.prefix { $0 != "=" }
        #expect(text.hasPrefix("--set \(name): error: \(sentence)"), "\(text)")
        #expect(!text.contains("home.yaml"))
        if !argument.contains("secret") { #expect(text.contains("   1 | \(shown)\n"), "\(text)") }
    }

    @Test("Several may make a node together, and what is there takes new keys")
    func makes() throws {
        let arguments = ["sinks.more.input=front", "sinks.more.type=http", "sinks.more.path=/m", "sources.front.fps=5"]
        let file = read(Self.home, overrides: try arguments.map { try #require(Override(argument: $0)) })
        #expect(file.report.text() == "")
        #expect(file.node("more")?.inputs.first?.from.map(\.description) == ["front.out"])
    }
}
