import CampipeKit
import Foundation

/// Whether a program that the file names is there to be run.
enum CommandProgram {
    /// What is wrong with `argv`; that a program is not there is a warning, since it may be installed later.
    static func fault(_ argv: [String], at path: FaultPath) -> Fault? {
        guard let program = argv.first, !program.isEmpty else {
            return Fault(
                .invalidValue, at: path, "no program is named", fix: "write argv: [/path/to/program, argument]")
        }
        if let index = argv.firstIndex(where: { $0.utf8.contains(0) }) {
            return Fault(
                .invalidValue, at: path.index(index), "a zero byte cannot stand in an argument", fix: "take it out")
        }
        if let fault = HomePath.fault(program, at: path.index(0)) { return fault }
        guard !isThere(program, searched: ProcessInfo.processInfo.environment["PATH"] ?? "") else { return nil }
        let words = program.split(separator: " ")
        let sentence = "there is no program \"\(program.prefix(80))\"" + (program.contains("/") ? "" : " in PATH")
        return Fault(
            .missingFile, at: path.index(0), sentence,
            fix: words.count > 1
                ? "write each word by itself, as there is no shell: [\(words.joined(separator: ", "))]"
                : "install it, or write its whole path",
            severity: .warning)
    }

    static func isThere(_ program: String, searched path: String) -> Bool {
        let files = FileManager.default
        func isProgram(_ path: String) -> Bool {
            // Of a folder the contents can be listed.
            files.isExecutableFile(atPath: path) && (try? files.contentsOfDirectory(atPath: path)) == nil
        }
        if program.contains("/") { return isProgram(program) }
        return path.split(separator: ":").contains { isProgram("\($0)/\(program)") }
    }
}
