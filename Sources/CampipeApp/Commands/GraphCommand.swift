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
        guard let loaded = LoadedPipeline(invocation.arguments[0], console: console) else { return .configuration }
        let graph = GraphDescription(loaded.description)
        let picture = GraphPicture(graph, registry: BuiltInNodes.registry)
        console.print(invocation[Flags.graphFormat] == .dot ? picture.dot : picture.text)
        for (id, failure) in picture.plan.failures.sorted(by: { $0.key < $1.key }) {
            console.complain("\(id): \(failure.error)\n")
        }
        return picture.plan.failures.isEmpty ? .ok : .configuration
    }
}
