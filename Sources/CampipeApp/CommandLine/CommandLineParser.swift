import CampipeKit

/// Reads the words of a command line by the table. A value: it looks at nothing but the words.
struct CommandLineParser {
    /// What the words ask for.
    enum Request: Sendable {
        case command(Invocation)
        /// Print this text on standard output and leave with 0.
        case help(String)
    }

    /// Reads the words behind the program's name.
    ///
    /// `--flag value` and `--flag=value` are the same; behind `--` nothing is a flag; `--help` or `-h` before it wins
    /// over whatever else is wrong.
    static func parse(_ words: [String]) throws(UsageError) -> Request {
        guard let first = words.first else {
            throw UsageError("there is no command", fix: "campipe help lists them")
        }
        switch first {
        case "--help", "-h": return .help(Help.overview)
        case "--version": return .command(Invocation(.version))
        default: break
        }
        guard !first.hasPrefix("-") else {
            throw UsageError("there is no command before \"\(first)\"", fix: "flags stand behind the command")
        }
        var rest = Array(words.dropFirst())
        var spelling = first
        if first == CommandName.plugin {
            guard let second = rest.first, second != "--help", second != "-h" else { return .help(Help.plugins) }
            spelling += " \(second)"
            rest.removeFirst()
        }
        guard let name = CommandName(rawValue: spelling) else { throw unknownCommand(spelling) }
        let command = CommandTable.command(name)
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            return .help(Help.text(of: command))
        }
        do {
            let invocation = try CommandLineParser(command: command).invocation(rest)
            return name == .help ? .help(try helpText(for: invocation)) : .command(invocation)
        } catch {
            var error = error
            error.command = error.command ?? name
            throw error
        }
    }

    private let command: Command
    private var arguments: [String] = []
    private var values: [String: [any Sendable]] = [:]

    private init(command: Command) { self.command = command }

    private consuming func invocation(_ words: [String]) throws(UsageError) -> Invocation {
        var words = words[...]
        var flagsEnded = false
        while let word = words.popFirst() {
            if flagsEnded || word == "-" || !word.hasPrefix("-") {
                arguments.append(word)
            } else if word == "--" {
                flagsEnded = true
            } else {
                try flag(word, then: &words)
            }
        }
        try checkArguments()
        return Invocation(command.name, arguments: arguments, values: values)
    }

    /// Takes a flag and its value, which is behind `=` or the next word.
    private mutating func flag(_ word: String, then words: inout ArraySlice<String>) throws(UsageError) {
        let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
        let spelling = String(word[..<(equals ?? word.endIndex)])
        guard let flag = command.allFlags.first(where: { $0.spelling == spelling }) else {
            throw unknownFlag(spelling)
        }
        guard flag.isRepeatable || values[flag.name] == nil else {
            throw UsageError("\(flag.spelling) is given twice")
        }
        let inline = equals.map { String(word[word.utf8.index(after: $0)...]) }
        guard flag.placeholder != nil else {
            guard inline == nil else { throw UsageError("\(flag.spelling) takes no value") }
            values[flag.name] = [true]
            return
        }
        guard let text = inline ?? words.first, inline != nil || !text.hasPrefix("--") else {
            throw UsageError("\(flag.spelling) needs a value", fix: "write \(flag.usage)")
        }
        if inline == nil { words.removeFirst() }
        values[flag.name, default: []].append(try flag.read(text))
    }

    private func checkArguments() throws(UsageError) {
        guard let argument = command.arguments.first else {
            guard let extra = arguments.first else { return }
            throw UsageError("\(command.name.rawValue) takes no argument, but found \"\(extra)\"")
        }
        if argument.count == .any { return }
        if arguments.isEmpty, argument.count != .oneOrNone {
            throw UsageError("\(command.name.rawValue) needs \(argument.name)")
        }
        if arguments.count > 1, argument.count != .oneOrMore {
            throw UsageError(
                "\(command.name.rawValue) takes one \(argument.name), but found \"\(arguments[1])\" too")
        }
    }
}

extension CommandLineParser {
    private static func helpText(for invocation: Invocation) throws(UsageError) -> String {
        guard !invocation.arguments.isEmpty else { return Help.overview }
        let word = invocation.arguments.joined(separator: " ")
        if word == CommandName.plugin { return Help.plugins }
        guard let name = CommandName(rawValue: word) else { throw unknownCommand(word) }
        return Help.text(of: CommandTable.command(name))
    }

    private static func unknownCommand(_ word: String) -> UsageError {
        if word.hasSuffix(".yaml") || word.hasSuffix(".yml") {
            return UsageError("\"\(word)\" is not a command", fix: "write campipe run \(word)")
        }
        return UsageError(
            "unknown command \"\(word)\"", fix: Nearest.fix(word, in: CommandTable.commands.map(\.name.rawValue)))
    }

    /// An unknown flag is one of the command's misspelt, another command's, or nobody's.
    private func unknownFlag(_ spelling: String) -> UsageError {
        let name = String(spelling.drop { $0 == "-" })
        if let near = Nearest.match(name, in: command.allFlags.map(\.name)) {
            return UsageError("unknown flag \"\(spelling)\"", fix: "did you mean \"--\(near)\"?")
        }
        let owners = CommandTable.commands.filter { $0.flags.contains { $0.name == name } }
            .map { "campipe \($0.name.rawValue)" }
        return UsageError(
            "unknown flag \"\(spelling)\"",
            fix: owners.isEmpty ? nil : "--\(name) belongs to \(WordList.and(owners))")
    }
}
