import CampipeKit
import CampipePlugins
import Foundation

/// The folder of a node in Python: what has `campipe.py` and no sources in Swift. Nothing of it is built.
struct PythonProject {
    let folder: String

    /// - Returns: nil of what is no such folder.
    init?(_ folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard names.contains("campipe.py"), !names.contains("Sources") else { return nil }
        self.folder = folder
        hasTests = names.contains { $0.hasPrefix("test") && $0.hasSuffix(".py") }
    }

    private let hasTests: Bool

    /// Runs what is in its `test*.py`, by Python's own unittest.
    ///
    /// - Throws: `.notFound` where there are no tests, or no Python.
    func tested(environment: [String: String], deadline: Duration) throws(CampipeError) -> ChildProgram.Result {
        guard hasTests else {
            throw CampipeError(
                .notFound, "there is no test in \(folder)",
                fix: "write test_node.py with import unittest and campipe.trial (docs/plugins.md)")
        }
        let result = try ChildProgram(
            "/usr/bin/env", ["python3", "-B", "-m", "unittest"], environment: environment, folder: folder,
            deadline: deadline
        ).run()
        // What env says of a program that it does not find.
        if result.ending == .exited(127) {
            throw CampipeError(.notFound, "there is no python3 in PATH", fix: "install it: apt-get install python3")
        }
        return result
    }
}
