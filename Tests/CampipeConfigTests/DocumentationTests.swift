import CampipeKit
import Foundation
import Testing

@testable import CampipeConfig

@Suite("The documentation of the pipeline file")
struct DocumentationTests {
    private func document(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/\(name)"), encoding: .utf8)
    }

    @Test("docs/faults.md explains every code")
    func codes() throws {
        let text = try document("faults.md")
        for code in FaultCode.allCases { #expect(text.contains("| \(code.text) |"), "\(code.text)") }
    }

    @Test("docs/pipeline-file.md names every key of the format")
    func keys() throws {
        let text = try document("pipeline-file.md")
        let keys =
            KnownKeys.top + KnownKeys.template + KnownKeys.sections.flatMap(KnownKeys.common) + LinkKeys.keys
            + WhenKeys.keys
            + ServerKeys.keys + TLSKeys.keys + UserKeys.keys
        for key in Set(keys) { #expect(text.contains("`\(key)`") || text.contains("\(key):"), "\(key)") }
    }
}
