import CampipeKit
import Foundation

/// `campipe plugin new`: a folder with a plugin that builds, a test that passes and a pipeline that shows it.
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
        let template = PluginTemplate(invocation[Flags.kind] ?? .transform, name: name)
        guard PluginNames.isIdentifier(template.module), PluginNames.isIdentifier(template.type) else {
            let usage = UsageError(
                "\"\(name)\" is no name for a plugin", fix: "begin with a letter, such as night or night-filter",
                command: .pluginNew)
            console.complain(usage.text)
            return .usage
        }
        guard !FileManager.default.fileExists(atPath: folder) else {
            console.complain("campipe: \(folder) is there already; name another folder\n")
            return .failed
        }
        do {
            for (place, text) in template.files {
                let file = URL(filePath: "\(folder)/\(place)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
        } catch {
            console.complain("campipe: cannot write \(folder): \(error.localizedDescription)\n")
            return .failed
        }
        console.print(
            """
            \(folder): a \(template.kind.rawValue), \(template.type), in Sources/\(template.module)/\(template.module).swift
              campipe plugin test \(folder)
              campipe plugin build \(folder)
              campipe run \(folder)/pipeline.yaml

            """)
        return .ok
    }
}
