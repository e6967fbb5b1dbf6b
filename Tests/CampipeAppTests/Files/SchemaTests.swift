import CampipeConfig
import CampipeKit
import CampipeNodes
import Foundation
import Testing

@testable import CampipeApp

/// `campipe schema` against what people write, checked by a validator of the test's own.
@Suite("The schema and the files")
struct SchemaTests {
    private let validator: SchemaValidator

    init() throws { validator = try SchemaValidator(Captured.run(["schema"]).output) }

    @Test("each pipeline that comes with campipe fits", arguments: PipelinesTests.names)
    func pipelines(name: String) throws {
        let file = sourceTree.appending(path: "pipelines/\(name).yaml")
        #expect(validator.problems(in: try String(contentsOf: file, encoding: .utf8)) == [])
    }

    @Test("each whole example of the documentation fits", arguments: ["README.md", "docs/pipeline-file.md"])
    func documentation(name: String) throws {
        let text = try String(contentsOf: sourceTree.appending(path: name), encoding: .utf8)
        let blocks = text.components(separatedBy: "```").filter { $0.hasPrefix("yaml\nversion:") }
        #expect(blocks.count >= 3)
        for block in blocks { #expect(validator.problems(in: String(block.dropFirst(5))) == [], "\(block)") }
    }

    private func file(_ source: String = "fps: 5", web: String = "quality: 80", top: String = "") -> String {
        """
        version: 1
        sources: {cam: {type: test_pattern, \(source)}}
        sinks: {web: {type: http, input: cam, path: /w, \(web)}}
        \(top)
        """
    }

    @Test(
        "what is good is good to both",
        arguments: [
            ("fps: \"5\"", "quality: \"80\"", ""), ("fps: 2.5", "fps: \".5\"", ""),
            ("enabled: \"true\"", "width: 640", ""),
            ("fps: 5", "late_after: 2s, link: {when_full: latest, max_items: \"2\", max_age: 200ms}", ""),
            ("fps: 5", "when: {event: cam.events, min_score: \"0.5\"}", "transforms:"),
            ("fps: \"${FPS:-5}\"", "width: \"${W:-640}\"", "server: {listen: \"127.0.0.1:0\", auth: none}"),
            ("fps: 5", "access: public", "defaults: {http: {quality: 5}}"),
        ])
    func good(source: String, web: String, top: String) {
        let text = file(source, web: web, top: top)
        #expect(MendedFile(text).report == "")
        #expect(validator.problems(in: text) == [], "\(text)")
    }

    @Test("a version in quotes is one to both")
    func version() {
        let text = file().replacing("version: 1", with: "version: \"1\"")
        #expect(MendedFile(text).report == "" && validator.problems(in: text) == [])
    }

    @Test(
        "what is wrong is wrong to both",
        arguments: [
            ("fps: x", "quality: 80", ""), ("fps: \"x5\"", "quality: 80", ""), ("fsp: 5", "quality: 80", ""),
            ("fps: 5", "quality: 101", ""), ("fps: 5", "quality: 8.5", ""), ("fps: 5", "late_after: 5", ""),
            ("enabled: yes", "quality: 80", ""), ("fps: 5", "access: everybody", ""),
            ("fps: 5", "link: {max_item: 2}", ""),
            ("link: {max_items: 2}", "quality: 80", ""), ("fps: 5", "quality: 80", "serve: {}"),
            ("fps: 5", "quality: 80", "transforms: {m: {type: motoin, input: cam}}"),
            ("fps: 5", "quality: 80", "transforms: {\"a b\": {type: motion, input: cam}}"),
            ("fps: 5", "quality: 80", "cameras: {a: {usee: x}}"), ("fps: [5]", "quality: 80", ""),
        ])
    func wrong(source: String, web: String, top: String) {
        let text = file(source, web: web, top: top)
        #expect(MendedFile(text).file.report.hasErrors, "\(text)")
        #expect(validator.problems(in: text) != [], "\(text)")
    }
}
