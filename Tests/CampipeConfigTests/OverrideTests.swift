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

    @Test("Several may make a node together, and what is there takes new keys")
    func makes() throws {
        let arguments = ["sinks.more.input=front", "sinks.more.type=http", "sinks.more.path=/m", "sources.front.fps=5"]
        let file = read(Self.home, overrides: try arguments.map { try #require(Override(argument: $0)) })
        #expect(file.report.text() == "")
        #expect(file.node("more")?.inputs.first?.from.map(\.description) == ["front.out"])
    }
}
