/// The commands, for whoever runs them.
enum CommandName: String, Sendable, CaseIterable {
    case run, validate, graph, list, inspect, schema, simulate, probe, view
    case recordingsList = "recordings list"
    case recordingsShow = "recordings show"
    case recordingsExport = "recordings export"
    case recordingsVerify = "recordings verify"
    case recordingsPrune = "recordings prune"
    case pluginNew = "plugin new"
    case pluginBuild = "plugin build"
    case pluginCheck = "plugin check"
    case pluginTest = "plugin test"
    case pluginInstall = "plugin install"
    case pluginList = "plugin list"
    case hashPassword = "hash-password"
    case version, help

    /// The first of its two words, which several commands share.
    var group: String? { rawValue.contains(" ") ? rawValue.split(separator: " ").first.map(String.init) : nil }
}

/// One command as declared: what it takes, and what its help says.
struct Command: Sendable {
    /// What stands behind a command without a flag.
    struct Argument: Sendable {
        enum Count: Sendable { case one, oneOrMore, oneOrNone, any }
        var name: String
        var count: Count
        /// One line about it.
        var summary: String

        init(_ name: String, _ summary: String, count: Count = .one) {
            self.name = name
            self.count = count
            self.summary = summary
        }

        /// As the usage line shows it: `FILE`, `FILE...`, `[COMMAND]`.
        var usage: String {
            switch count {
            case .one: name
            case .oneOrMore: "\(name)..."
            case .oneOrNone: "[\(name)]"
            case .any: "[\(name)...]"
            }
        }
    }

    /// A command line that works, and what it does.
    struct Example: Sendable {
        var line: String
        var says: String
    }

    var name: CommandName
    /// One sentence, in the list of commands and on top of its help.
    var summary: String
    /// More about it, where the summary is not enough; lines of at most 100 columns.
    var discussion: String?
    var arguments: [Argument] = []
    /// Its flags in the order of help; `--help` comes by itself.
    var flags: [any AnyFlag] = []
    var examples: [Example] = []

    /// All of its flags.
    var allFlags: [any AnyFlag] { flags + [Flags.help] }
    /// `campipe run FILE [flags]`.
    var usage: String {
        (["campipe", name.rawValue] + arguments.map(\.usage) + ["[flags]"]).joined(separator: " ")
    }
}
