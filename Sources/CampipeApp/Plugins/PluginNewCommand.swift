import CampipeKit
import Foundation

/// `campipe plugin new`: a folder with a plugin that builds, or a program in Python; a test that passes and a pipeline that
/// shows it.
struct PluginNewCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let folder = invocation.arguments[0]
        let name = URL(filePath: folder).lastPathComponent
        let kind = invocation[Flags.kind] ?? .transform
        guard PluginNames.isIdentifier(PluginNames.camel(name)), PluginNames.isIdentifier(PluginNames.snake(name))
        else {
            return complain(
                "\"\(name)\" is no name for a plugin", fix: "begin with a letter, such as night or night-filter")
        }
        switch invocation[Flags.language] ?? .swift {
        case .swift:
            let template = PluginTemplate(kind, name: name)
            return write(
                template.files, to: folder,
                """
                \(folder): a \(kind.rawValue), \(template.type), in Sources/\(template.module)/\(template.module).swift
                  campipe plugin test \(folder)
                  campipe plugin build \(folder)
                  campipe run \(folder)/pipeline.yaml

                """)
        case .python:
            guard kind != .join else {
                return complain(
                    "a program in Python has one input, and a join several",
                    fix: "leave out --language, or write --kind transform")
            }
            return write(
                PythonTemplate(kind, name: name).files, to: folder,
                """
                \(folder): a \(kind.rawValue) in Python, in node.py
                  campipe plugin test \(folder)
                  campipe run \(folder)/pipeline.yaml

                """)
        }
    }

    private func complain(_ message: String, fix: String) -> ExitCode {
        console.complain(UsageError(message, fix: fix, command: .pluginNew).text)
        return .usage
    }

    /// Writes the files, and says what can be done with them.
    private func write(_ texts: [(place: String, text: String)], to folder: String, _ next: String) -> ExitCode {
        guard !FileManager.default.fileExists(atPath: folder) else {
            console.complain("campipe: \(folder) is there already; name another folder\n")
            return .failed
        }
        do {
            for (place, text) in texts {
                let file = URL(filePath: "\(folder)/\(place)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
        } catch {
            console.complain("campipe: cannot write \(folder): \(error.localizedDescription)\n")
            return .failed
        }
        console.print(next)
        return .ok
    }
}
