import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Keys that belong elsewhere")
struct MisplacedKeyTests {
    @Test(
        "A key that the map around, or another beside, knows is told where it belongs, and nothing is missing for it",
        arguments: [
            ("path: a, link: {when: w}", "when", "it belongs beside \"link\", not under it"),
            ("path: a, link: {late_after: 3s}", "late_after", "it belongs beside \"link\", not under it"),
            ("path: a, link: {retention: {}}", "retention", "it belongs beside \"link\", not under it"),
            ("path: a, link: {max_size: 3GB}", "max_size", "it belongs under \"retention\""),
            ("retention: {path: a, max_age: 14d}", "path", "it belongs beside \"retention\", not under it"),
            ("link: {path: a}", "path", "it belongs beside \"link\", not under it"),
            ("links: {path: a}", "path", "it belongs beside \"links\", not under it"),
            ("path: a, links: {when_full: latest}", "when_full", "it belongs under \"link\""),
            ("path: a, links: {input: {pre_roll: 3s}}", "pre_roll", "it belongs beside \"links\", not under it"),
            ("path: a, when: {event: w, late_after: 3s}", "late_after", "it belongs beside \"when\", not under it"),
            ("path: a, max_age: 14d", "max_age", "it belongs under \"retention\""),
        ])
    func keys(line: String, key: String, fix: String) {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: x}}
            transforms: {w: {type: motion, input: cam}}
            sinks: {c: {type: file, input: cam, \(line)}, l: {type: log, input: w.events}}
            """)
        #expect(file.report.diagnostics.map(\.fix) == [fix], "\(file.report.text())")
        #expect(file.report.diagnostics.map(\.code) == [.misplacedKey])
        #expect(file.report.diagnostics.map(\.sentence) == ["\"\(key)\" does not stand here"])
    }

    @Test("An input under link is not missing")
    func input() {
        let file = read(
            "version: 1\nsources: {cam: {type: camera, url: x}}\nsinks: {c: {type: file, path: a, link: {input: cam}}}")
        #expect(file.report.diagnostics.map(\.fix) == ["it belongs beside \"link\", not under it"])
    }

    @Test(
        "So is one of the top of the file, or of a map beside, under server",
        arguments: [
            ("name: x", "it belongs beside \"server\", not under it"),
            ("sources: {}", "it belongs beside \"server\", not under it"),
            ("limits: {listen: x}", "it belongs beside \"limits\", not under it"),
            ("limits: {certificate: x}", "it belongs under \"tls\""),
            ("certificate: x", "it belongs under \"tls\""),
        ])
    func server(line: String, fix: String) {
        let file = read(
            "version: 1\nserver: {\(line)}\nsources: {cam: {type: camera, url: x}}\nsinks: {c: {type: file, input: cam, path: a}}"
        )
        #expect(file.report.diagnostics.map(\.fix) == [fix], "\(file.report.text())")
    }
}
