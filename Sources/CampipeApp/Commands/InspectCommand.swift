import CampipeKit

/// `campipe inspect`: all about one type of node.
struct InspectCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let format = invocation[Flags.inspectFormat]
        if invocation[Flags.json], let format, format != .json {
            let usage = UsageError(
                "--json and --format \(format.rawValue) ask for two things", fix: "leave one out", command: .inspect)
            console.complain(usage.text)
            return .usage
        }
        let catalogue = NodeCatalogue(PluginSet(invocation, console).described().registry)
        let name = invocation.arguments[0]
        let entries = catalogue[name]
        guard !entries.isEmpty else {
            let fix =
                Nearest.match(name, in: catalogue.names).map { "did you mean \"\($0)\"?" } ?? "campipe list shows them"
            console.complain(UsageError("there is no node type \"\(name)\"", fix: fix, command: .inspect).text)
            return .usage
        }
        let pages = entries.map(NodePage.init)
        switch invocation[Flags.json] ? .json : format ?? .text {
        case .text: console.print(pages.map { $0.text(console.outputStyle) }.joined(separator: "\n"))
        case .markdown: console.print(pages.map(\.markdown).joined(separator: "\n"))
        case .json: console.print("[\(pages.map(\.json).joined(separator: ",\n"))]\n")
        }
        return .ok
    }
}
