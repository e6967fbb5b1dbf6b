import Foundation
import Testing

@testable import CampipeApp
@testable import CampipePlugins

/// What authors of nodes are shown works: each command and each file of the page, in a folder of its own, and the nodes of
/// README.md. (`scripts/check-plugins` does docs/plugins.md the same way.)
@Suite("Pages for authors of nodes", .serialized, .enabled(if: Python.isThere, "there is no /usr/bin/python3"))
struct AuthorPagesTests {
    @Test("docs/writing-nodes.md is so, word by word: its nodes are built, tested, keep the contract, and run")
    func page() throws {
        let page = "docs/writing-nodes.md"
        let program = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "campipe")
        let result = try ChildProgram(
            Python.path, ["-B", "scripts/tutorial", page, program.path(percentEncoded: false)],
            environment: ProcessInfo.processInfo.environment, folder: sourceTree.path(percentEncoded: false),
            deadline: .seconds(500)
        ).run()
        #expect(result.ending == .exited(0), "\(result.outputText)\(result.errorText)")
        #expect(result.outputText.hasSuffix("\(page): all of it is so\n"))
    }

    @Test("the program has campipe.py as it stands in Plugins/Python")
    func module() throws {
        let python = try String(
            contentsOf: sourceTree.appending(path: "Plugins/Python/campipe.py"), encoding: .utf8)
        if ProcessInfo.processInfo.environment["CAMPIPE_UPDATE_GOLDEN"] == "1" {
            let place = sourceTree.appending(path: "Sources/CampipeApp/Plugins/PythonModule.swift")
            let swift = try String(contentsOf: place, encoding: .utf8)
            let first = try #require(swift.range(of: "#\"\"\"\n")).upperBound
            let last = try #require(swift.range(of: "\n        \"\"\"#")).lowerBound
            let lines = python.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? "" : "        " + $0 }
            let text = swift[..<first] + lines.joined(separator: "\n") + swift[last...]
            try Data(String(text).utf8).write(to: place)
            return
        }
        #expect(PythonModule.text == python)
    }

    @Test("the nodes that README.md shows are those of Plugins/, but for what is said about them")
    func shown() throws {
        let readme = try String(contentsOf: sourceTree.appending(path: "README.md"), encoding: .utf8)
        func block(_ language: String) throws -> [String] {
            let parts = readme.components(separatedBy: "```\(language)\n")
            #expect(parts.count == 2)
            return Self.code(try #require(parts.last?.components(separatedBy: "```").first))
        }
        func file(_ path: String) throws -> [String] {
            Self.code(try String(contentsOf: sourceTree.appending(path: "Plugins/\(path)"), encoding: .utf8))
        }
        #expect(try block("swift") == file("Threshold/Sources/Threshold/Threshold.swift"))
        #expect(try block("python") == file("Invert/invert.py"))
    }

    /// The lines that are neither empty nor a comment.
    private static func code(_ text: String) -> [String] {
        text.components(separatedBy: "\n").filter { line in
            let words = line.trimmingCharacters(in: .whitespaces)
            return !words.isEmpty && !words.hasPrefix("//") && !words.hasPrefix("#") && !words.hasPrefix("\"\"\"")
        }
    }
}
