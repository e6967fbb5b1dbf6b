import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Slips of the pen")
struct SlipTests {
    @Test(
        "A blank that is missing behind a colon is told at its place, once",
        arguments: [
            ("version:1\nsources: {cam: {type: camera, url: x}}", "1:1", "write version: 1"),
            ("version:1", "1:1", "write version: 1"),
            ("version: 1\nsources:\n  cam:\n    type:camera\n    url: x", "4:5", "write type: camera"),
            ("version: 1\nsources:\n  cam:\n    url: x\n    type:camera", "5:5", "write type: camera"),
            ("version: 1\nsources: {cam: {type:camera, url: x}}", "2:17", "write type: camera"),
            ("version: 1\nsources:\n  cam:{type: camera}", "3:3", "write cam: {type"),
            ("version: 1\nsources:\n  cam:{type: camera, url: x}", "3:3", "write cam: {type: camera, url: x}"),
        ])
    func blanks(text: String, place: String, fix: String) {
        let file = read(text + "\n")
        let errors = file.report.diagnostics.filter { $0.sentence == "a blank is missing behind the colon" }
        #expect(errors.map(\.fix) == [fix], "\(file.report.text())")
        #expect(file.summary.contains("CAM0001 \(place) error"), "\(file.summary)")
        let others = file.report.diagnostics.filter { $0.severity == .error }.count - errors.count
        #expect(others == 0, "\(file.report.text())")
    }

    @Test("A password behind such a colon is not shown")
    func secret() {
        let text = read(
            "version: 1\nsources: {cam: {type: camera, url: x, password:geheim77}}\nsinks: {w: {type: http, input: cam, path: /w}}"
        ).report.text()
        #expect(text.contains("a blank is missing") && !text.contains("geheim77"), "\(text)")
    }

    @Test("What has a colon and is one word stays one")
    func words() {
        for word in ["http://x/y", "C:\\x", "10:30", "a b:c", ":x", "x:", "-a:b "] {
            #expect(MissingBlank(word) == nil, "\(word)")
        }
    }

    @Test("Quotes of a word processor are told, and the text is read without them")
    func typographic() {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: “http://h/”}}
            transforms:
              o: {type: overlay, input: cam, text: "“said”"}
              p: {type: overlay, input: cam, text: say “hello” now}
            sinks: {w: {type: http, input: o, path: /w}, v: {type: http, input: p, path: /v}}
            """)
        #expect(file.summary == ["CAM0040 2:36 error"], "\(file.report.text())")
    }

    @Test("A default inside a default is refused, once")
    func nested() {
        let file = read(
            "version: 1\nsources: {cam: {type: camera, url: \"${FOO:-${BAR}}\"}}\nsinks: {w: {type: http, input: cam, path: /w}}",
            environment: ["BAR": "x"])
        #expect(file.summary == ["CAM0040 2:36 error"], "\(file.report.text())")
        #expect(file.report.diagnostics.first?.fix.contains("${FOO:-text}") == true)
    }

    @Test("A tag in the place of a value is told once")
    func tags() {
        let file = read(
            "version: 1\nsources: {cam: {type: camera, url: x}}\nsinks:\n  w:\n    type: file\n    input: cam\n    path: a\n    when: !watch"
        )
        #expect(file.summary == ["CAM0009 8:11 error"], "\(file.report.text())")
    }

    @Test("Names that fixes offer are nobody's, and not empty")
    func names() {
        let file = read(
            """
            version: 1
            name: ""
            sources: {ä: {type: camera, url: x}, ae: {type: camera, url: x}, 中: {type: camera, url: x}, 文: {type: camera, url: x}}
            sinks: {w: {type: http, input: ae, path: /w}}
            """)
        let fixes = file.report.diagnostics.filter { $0.code == .invalidName }.map(\.fix)
        #expect(fixes == ["write pipeline", "write ae_2", "write _", "write __2"], "\(file.report.text())")
    }

    @Test(
        "What libyaml stumbles over has a sentence and a fix",
        arguments: [
            ("version: 1\nsources: [type: camera, , url: x]", "a value is missing here"),
            ("version: 1\n...\nsources: {}", "the file has ended before this"),
            ("version: 1\n: x", "a key is missing before the colon"),
        ])
    func raw(text: String, sentence: String) {
        let found = read(text).report.diagnostics
        #expect(found.contains { $0.sentence == sentence }, "\(read(text).report.text())")
    }

    @Test("No fault of any file here is without a fix")
    func fixes() throws {
        for name in GoldenTests.names {
            for diagnostic in try PipelineFile(
                fixture("golden/\(name).yaml"), name: name, registry: testRegistry, surroundings: surroundings()
            ).report.diagnostics {
                #expect(diagnostic.fix.count > 3, "\(name): \(diagnostic.sentence)")
            }
        }
    }

    @Test("A line end in a value stays in the diagnostic's line")
    func lines() {
        let text = read(
            "version: 1\nsources: {cam: {type: \"a\\nb\", url: x}}\nsinks: {w: {type: http, input: cam, path: /w}}"
        ).report.text()
        #expect(text.contains("a\\u{a}b"), "\(text)")
    }

    @Test("A list around an id is taken off by the fix")
    func innerList() {
        let file = read(
            "version: 1\nsources: {cam: {type: camera, url: x}}\ntransforms: {g: {type: grid, inputs: [[cam]]}}\nsinks: {w: {type: http, input: g, path: /w}}"
        )
        #expect(file.report.diagnostics.map(\.fix) == ["write cam"], "\(file.report.text())")
    }
}
