import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("YAML as other tools write it")
struct ForeignYAMLTests {
    private static let long = String(repeating: "a", count: 1100)

    @Test(
        "A key that is too long for libyaml is told by its length, where it begins",
        arguments: [
            ("sources:\n  \(long): {type: camera}", "3:3"), ("sources:\n  \"\(long)\": {type: camera}", "3:3"),
            ("sources:\n  a: {type: camera, \(long): 3}", "3:21"),
            ("sources:\n  a: {type: camera, \"\(long)\": 3}", "3:21"),
        ])
    func longKeys(text: String, place: String) {
        let file = read("version: 1\n" + text)
        #expect(file.summary == ["CAM0003 \(place) error"], "\(file.summary)")
        let count = text.contains("\"") ? 1102 : 1100
        #expect(
            file.report.diagnostics.first?.sentence
                == "a key has \(count) characters, and YAML takes 1024 at most")
    }

    @Test("One of 1,024 characters is a key like any other")
    func longest() {
        let file = read("version: 1\nsources: {\(String(repeating: "a", count: 1024)): {type: camera, url: x}}")
        #expect(file.report.diagnostics.allSatisfy { !$0.sentence.contains("1024") }, "\(file.report.text())")
    }

    @Test(
        "{{ name }} without quotes is told once, with what to write",
        arguments: [
            ("{type: camera, url: {{ url }}}", "write \"{url}\" for a parameter of a template; else "),
            ("\n        type: camera\n        url: {{ url }}", "write \"{url}\" for a parameter of a template; else "),
            ("{type: camera, url: {{ .Values.url }}}", ""), ("{type: camera, url: {{ a('b') }}}", ""),
        ])
    func doubleBraces(node: String, beginning: String) {
        let file = read(
            """
            version: 1
            templates:
              t:
                params: [url]
                sources:
                  cam: \(node)
                sinks: {w: {type: http, input: cam, path: "/{camera}"}}
            cameras:
              yard: {use: t, url: x}
            """)
        let errors = file.report.diagnostics.filter { $0.severity == .error }
        #expect(
            errors.map(\.fix) == [
                beginning + "write the value itself, or \"${NAME}\" for a variable of the environment"
            ], "\(file.report.text())")
        #expect(errors.first?.code == .quoteIt)
    }

    @Test("The fix of a text that is to be quoted has one pair of braces")
    func single() {
        let file = read("version: 1\nsources: {c: {type: camera, url: /{{ x }}/b}}")
        #expect(file.report.diagnostics.first?.fix == "quote the whole value: \"/{x}/b\"", "\(file.report.text())")
    }
}
