/// The help texts, made from the table; lines of at most 100 columns.
enum Help {
    /// What `campipe help` prints.
    static var overview: String {
        """
        campipe: a media pipeline for cameras.

        Usage: campipe COMMAND [flags]

        Commands:
        \(columns(CommandTable.commands.map { ($0.name.rawValue, $0.summary) }))

        campipe help COMMAND tells more about one.

        Exit codes: 0 fine, 1 failed at work, 2 wrong usage, 78 wrong configuration.

        """
    }

    /// What `campipe plugin --help` prints.
    static var plugins: String {
        let commands = CommandTable.commands.filter { $0.name.rawValue.hasPrefix("\(CommandName.plugin) ") }
        return """
            Usage: campipe plugin COMMAND [flags]

            Nodes of your own: docs/plugins.md goes through it step by step.

            Commands:
            \(columns(commands.map { ($0.name.rawValue, $0.summary) }))

            campipe help plugin COMMAND tells more about one.

            """
    }

    /// What `campipe COMMAND --help` prints.
    static func text(of command: Command) -> String {
        var sections = ["Usage: \(command.usage)", command.summary]
        if let discussion = command.discussion { sections[1] += "\n\(discussion)" }
        if !command.arguments.isEmpty {
            sections.append("Arguments:\n" + columns(command.arguments.map { ($0.name, $0.summary) }))
        }
        let flags = command.allFlags.map { flag in
            (flag.usage, flag.summary + (flag.isRepeatable ? " May be repeated." : ""))
        }
        sections.append("Flags:\n" + columns(flags))
        if !command.examples.isEmpty {
            let lines = command.examples.map { "  \($0.line)\n      \($0.says)" }
            sections.append("Examples:\n" + lines.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// Two columns, the first as wide as its widest entry.
    private static func columns(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
            .joined(separator: "\n")
    }
}
