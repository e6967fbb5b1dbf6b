import CampipeKit
import CampipeNodes

/// `campipe list`: the types of nodes that a pipeline file can name.
struct ListCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let types = NodeCatalogue(BuiltInNodes.registry)
        console.print(invocation[Flags.json] ? types.json : text(types))
        return .ok
    }

    private func text(_ types: NodeCatalogue) -> String {
        let width = types.entries.map(\.name.count).max() ?? 0
        var lines: [String] = []
        for section in NodeCatalogue.sections {
            lines.append(console.outputStyle.styled(section, .bold))
            for entry in types.entries where entry.section == section {
                lines.append(
                    "  \(entry.name)\(String(repeating: " ", count: width - entry.name.count))  \(entry.summary)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
