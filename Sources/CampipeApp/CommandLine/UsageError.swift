import CampipeKit

/// What is wrong with a command line; the process says it on standard error and leaves with 2.
struct UsageError: Error, Hashable, Sendable {
    /// What was found, without a full stop.
    var sentence: String
    /// What to write instead.
    var fix: String?
    /// The command that was meant, if that is known.
    var command: CommandName?

    init(_ sentence: String, fix: String? = nil, command: CommandName? = nil) {
        self.sentence = sentence
        self.fix = fix
        self.command = command
    }

    /// The lines for standard error, the last one ended; a URL stands in them without its secrets.
    var text: String {
        let usage = command.map { CommandTable.command($0).usage } ?? "campipe COMMAND [flags]"
        let help = command.map { "campipe \($0.rawValue) --help" } ?? "campipe help"
        return """
            campipe: \(SecretText.hidden(sentence + (fix.map { "; \($0)" } ?? "")))
            Usage: \(usage)
            \(help) tells more.

            """
    }
}
