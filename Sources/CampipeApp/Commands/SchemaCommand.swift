import CampipeConfig
import CampipeNodes

/// `campipe schema`: the JSON Schema of the pipeline file, for editors.
struct SchemaCommand {
    private let console: Console

    init(_ console: Console) { self.console = console }

    func perform() -> ExitCode {
        console.print(PipelineSchema(BuiltInNodes.registry).json())
        return .ok
    }
}
