import CampipeKit
import CampipeNodes
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
        guard let file = LoadedPipeline.description(of: invocation.arguments[0], console) else { return .configuration }
        let picture = GraphPicture(GraphDescription(file), registry: BuiltInNodes.registry)
        console.print(invocation[Flags.graphFormat] == .dot ? picture.dot : picture.text)
        return .ok
    }
}
