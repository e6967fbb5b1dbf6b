import CampipeKit
import Foundation
import Testing

@testable import CampipeConfig

/// The rendered diagnostics word for word. `CAMPIPE_UPDATE_GOLDEN=1 swift test` writes them anew; read the difference.
@Suite("Diagnostics as people see them")
struct GoldenTests {
    static let names = [
        "typos", "quoting", "unquoted-variable", "unquoted-time", "graph", "formats", "template", "defaults", "secrets",
        "secret-in-broken-yaml", "later", "masks", "places", "wide", "top-list",
        "beginner", "resources", "samples", "inner-brace", "inner-brace-secret", "server", "users", "origins",
    ]

    private func check(_ text: String, _ name: String) throws {
        if ProcessInfo.processInfo.environment["CAMPIPE_UPDATE_GOLDEN"] == "1" {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "Fixtures/golden")
            // Not atomically: that leaves its temporary file behind when it is interrupted.
            try text.write(to: folder.appendingPathComponent(name), atomically: false, encoding: .utf8)
            return
        }
        #expect(text == String(decoding: try fixture("golden/\(name)"), as: UTF8.self))
    }

    private func file(_ name: String) throws -> PipelineFile {
        PipelineFile(
            try fixture("golden/\(name).yaml"), name: "\(name).yaml", registry: testRegistry,
            surroundings: surroundings(secrets: ["url": "http://u:verysecret@cam/", "pin": "123456x"]))
    }

    @Test("Every diagnostic reads as written down", arguments: names)
    func text(name: String) throws {
        try check(try file(name).report.text(), "\(name).txt")
    }

    @Test("A program reads the same as JSON")
    func json() throws {
        let report = try file("template").report
        try check(report.json(), "template.json")
        let parsed = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
        #expect(parsed?["ok"] as? Bool == false)
        #expect((parsed?["diagnostics"] as? [Any])?.count == report.diagnostics.count)
    }

    @Test("The schema of the test's node types is as written down")
    func schema() throws {
        try check(PipelineSchema(testRegistry).json(), "schema.json")
    }

    @Test(
        "No secret of the file is shown in any form",
        arguments: ["secrets", "secret-in-broken-yaml", "samples", "inner-brace-secret", "server", "users"])
    func secrets(name: String) throws {
        let report = try file(name).report
        for text in [report.text(), report.text(colour: true), report.json()] {
            for secret in [
                "hunter22", "operator7", "geheim99", "hunter33", "tok-abcdef", "p#a", "ss/w", "verysecret", "123456x",
                "c2FsdHNhbHRz", "aGFzaGhhc2ho",
            ] {
                #expect(!text.contains(secret), "\(secret) is shown")
            }
        }
    }
}
