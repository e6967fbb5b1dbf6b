import CampipeConfig
import CampipeKit
import CampipeRuntime

/// `campipe graph`: what a file becomes, implicit nodes, policies and deadlines included.
struct GraphCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let format = invocation[Flags.graphFormat]
        if invocation[Flags.json], let format, format != .json {
            let usage = UsageError(
                "--json and --format \(format.rawValue) ask for two things", fix: "leave one out", command: .graph)
            console.complain(usage.text)
            return .usage
        }
        let isJSON = invocation[Flags.json] || format == .json
        let loaded = LoadedPipeline(invocation.arguments[0], plugins: PluginSet(invocation, console))
        guard let file = isJSON ? loaded.description : loaded.shown(console) else {
            if isJSON { console.print(loaded.report.json()) }
            return .configuration
        }
        let picture = GraphPicture(
            GraphDescription(file), offReasons: file.offReasons, registry: loaded.registry)
        switch invocation[Flags.json] ? .json : format ?? .text {
        case .text: console.print(picture.text)
        case .dot: console.print(picture.dot)
        case .json: console.print(picture.json)
        }
        return .ok
    }
}
