import CampipeKit
import CampipePlugins

/// `campipe list`: the types of nodes that a pipeline file can name.
struct ListCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let found = PluginSet(invocation, console).described()
        let types = NodeCatalogue(found.registry, origins: found.origins)
        for entry in found.refused {
            if let refusal = entry.finding.refusal { console.complain("campipe: \(refusal.text)\n") }
        }
        console.print(invocation[Flags.json] ? types.json : text(types))
        return .ok
    }

    private func text(_ types: NodeCatalogue) -> String {
        let width = types.entries.map(\.name.count).max() ?? 0
        var lines: [String] = []
        for section in NodeCatalogue.sections {
            lines.append(console.outputStyle.styled(section, .bold))
            for entry in types.entries where entry.section == section {
                let origin = entry.plugin.map { " (\(PrintableText.escaping($0)))" } ?? ""
                lines.append(
                    "  \(entry.name)\(String(repeating: " ", count: width - entry.name.count))  \(entry.summary)\(origin)"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
