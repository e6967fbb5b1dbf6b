import Testing

@testable import CampipeApp

@Suite("Help")
struct HelpTests {
    private func help(_ words: [String]) throws -> String {
        guard case .help(let text) = try CommandLineParser.parse(words) else {
            Issue.record("\(words) gave no help")
            return ""
        }
        return text
    }

    @Test("the help of each command is word for word as kept", arguments: CommandName.allCases)
    func commands(_ name: CommandName) throws {
        let words = name.rawValue.split(separator: " ").map(String.init)
        let text = try help(words + ["--help"])
        #expect(try golden("CommandLine/\(words.joined(separator: "-")).txt", text) == text)
        #expect(try help(["help"] + words) == text)
        #expect(try help(words + ["-h", "--nonsense", "too", "many"]) == text)
    }

    @Test("the overview is word for word as kept", arguments: [["help"], ["--help"], ["-h"]])
    func overview(_ words: [String]) throws {
        guard case .help(let text) = try CommandLineParser.parse(words) else {
            Issue.record("no help")
            return
        }
        #expect(try golden("CommandLine/overview.txt", text) == text)
    }

    @Test("a first word that commands share lists them", arguments: ["plugin", "recordings"])
    func groups(_ group: String) throws {
        let text = try help([group, "--help"])
        let names = CommandName.allCases.map(\.rawValue).filter { $0.hasPrefix("\(group) ") }
        #expect(names.count >= 5 && names.allSatisfy { text.contains("  \($0) ") })
        #expect(text.hasPrefix("Usage: campipe \(group) COMMAND [flags]\n"))
        #expect(try help(["help", group]) == text)
        #expect(try help([group, "-h"]) == text)
    }

    @Test("the table has every command once, in the order of their names' declaration")
    func complete() {
        #expect(CommandTable.commands.map(\.name) == CommandName.allCases)
    }

    @Test(
        "every flag of a command has a name of its own, and no line is over 100 columns",
        arguments: CommandName.allCases)
    func wellFormed(_ name: CommandName) {
        let command = CommandTable.command(name)
        let names = command.allFlags.map(\.name)
        #expect(Set(names).count == names.count)
        for line in Help.text(of: command).split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }

    @Test("every example of help is a command line that is understood", arguments: CommandName.allCases)
    func examples(_ name: CommandName) throws {
        for example in CommandTable.command(name).examples {
            let words = example.line.split(separator: " ").map(String.init).prefix { $0 != "|" && $0 != ">" }
            #expect(words.first == "campipe")
            guard case .command(let invocation) = try CommandLineParser.parse(Array(words.dropFirst())) else {
                Issue.record("\(example.line) gave help")
                continue
            }
            #expect(invocation.command == name)
        }
    }

    @Test(
        "colour is used on a terminal only, and never where NO_COLOR is set",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false),
        ])
    func colour(isTerminal: Bool, environment: [String: String], used: Bool) {
        let style = TerminalStyle(isTerminal: isTerminal, environment: environment)
        #expect(style.usesColor == used)
        #expect(style.styled("x", .red) == (used ? "\u{1B}[31mx\u{1B}[0m" : "x"))
    }

    @Test("the exit codes are those of the shell's conventions")
    func exitCodes() {
        #expect([ExitCode.ok, .failed, .usage, .configuration].map(\.rawValue) == [0, 1, 2, 78])
    }
}
