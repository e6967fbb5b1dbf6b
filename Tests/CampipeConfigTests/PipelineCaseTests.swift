import CampipeKit
import Foundation
import Testing

@testable import CampipeConfig

/// The real-world YAML cases, each as it would stand in a pipeline file: what is found, and where.
@Suite("The YAML cases in a pipeline file")
struct PipelineCaseTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// What follows `version: 1`.
        var text: String
        var coding = String.Encoding.utf8
        /// Codes with their places; none is a file that is fine.
        var found: [String] = []
        /// What the sentences say, in part.
        var says = ""
        var testDescription: String { name }
    }

    private static let camera = "sources: {a: {type: camera, url: \"demo://porch\"}}\n"
    private static let log = "sinks: {w: {type: http, input: a, path: /a}}\n"

    static let cases: [Case] = [
        Case(
            name: "bool-words",
            text: "sources: {a: {type: camera, url: \"demo://porch\", enabled: yes, verify: off}}\n" + log,
            found: ["CAM0040 2:59 error", "CAM0040 2:72 error"], says: "write false"),
        Case(
            name: "tabs", text: "sources:\n\ta: {type: camera, url: \"demo://porch\"}\n",
            found: ["CAM0008 3:1 error"], says: "a tab is used"),
        Case(
            name: "tab-after-value", text: "name:\tporch\t# note\n" + camera + log),
        Case(
            name: "anchors-merge",
            text: """
                sources:
                  a: &cam {type: camera, url: "demo://porch", fps: 5}
                  b: *cam
                  c: {<<: *cam, fps: 9}
                sinks: {w: {type: http, input: a, path: /a}}

                """,
            found: ["CAM0012 5:7 error"], says: "the merge key << is not part of a pipeline file"),
        Case(
            name: "self-alias", text: "sources: &s {a: *s}\n",
            found: ["CAM0010 2:17 error"], says: "*s stands inside what it means"),
        Case(
            name: "deep-nesting",
            text: "sources: {a: {type: camera, url: " + String(repeating: "[", count: 5000)
                + String(repeating: "]", count: 5000) + "}}\n",
            found: ["CAM0004 2:63 error"], says: "nested more than 32 deep"),
        Case(
            name: "sexagesimal",
            text: "sources: {a: {type: camera, url: \"demo://porch\", fps: 22:22, connect_timeout: 12:30:45}}\n" + log,
            found: ["CAM0040 2:55 error", "CAM0040 2:79 error"], says: "\"12:30:45\" is not a duration"),
        Case(
            name: "big-number",
            text: "sources: {a: {type: camera, url: \"demo://porch\", fps: 99999999999999999999999}}\n"
                + "transforms: {s: {type: scale, input: a, width: 1e999}}\nsinks: {w: {type: http, input: s, path: /a}}\n",
            found: ["CAM0042 2:55 error", "CAM0040 3:48 error"], says: "is too large"),
        Case(
            name: "hash-in-value",
            text: "sources:\n  a: {type: camera, url: rtsp://admin:pass123##X@127.0.0.1/1, password: abc#def}\n" + log),
        Case(
            name: "at-percent-start",
            text: "sources:\n  a:\n    type: camera\n    url: demo://porch\n    password: @home\n" + log,
            found: ["CAM0044 6:15 error"], says: "quote the whole value"),
        Case(
            name: "brace-env-unquoted",
            text: "sources:\n  a: {type: camera, url: \"demo://porch\", password: {CAMERA_PASSWORD}}\n" + log,
            found: ["CAM0022 3:52 error"], says: "quote it if it is text"),
        Case(name: "bom-crlf", text: (camera + log).replacing("\n", with: "\r\n")),
        Case(
            name: "utf16", text: camera + log, coding: .utf16LittleEndian, found: ["CAM0002 1:1 error"],
            says: "the text is UTF-16"),
        Case(
            name: "two-documents", text: camera + log + "---\n" + camera,
            found: ["CAM0006 4:1 error"], says: "a second document begins here"),
        Case(
            name: "empty", text: "",
            found: ["CAM0073 - error"], says: "no sink"),
        Case(
            name: "unknown-key",
            text: "sources: {a: {type: camera, url: \"demo://porch\", uri: x, Url: y}}\n" + log,
            found: ["CAM0020 2:50 error", "CAM0020 2:58 error"], says: "did you mean \"url\"?"),
        Case(
            name: "list-for-map", text: "sources:\n  - {type: camera, url: \"demo://porch\"}\n" + log,
            found: ["CAM0022 3:3 error", "CAM0061 4:32 error"], says: "found a list, expected a map of ids to nodes"),
    ]

    @Test("Each has its outcome", arguments: cases)
    func outcome(_ one: Case) throws {
        let text = "version: 1\n" + one.text
        let mark: [UInt8] = one.coding == .utf8 ? [] : [0xFF, 0xFE]
        let file = PipelineFile(
            mark + [UInt8](try #require(text.data(using: one.coding))), name: "home.yaml", registry: testRegistry,
            surroundings: surroundings())
        #expect(file.summary == one.found, "\(file.report.text())")
        #expect(one.says == "" || file.report.text().contains(one.says), "\(file.report.text())")
    }
}
