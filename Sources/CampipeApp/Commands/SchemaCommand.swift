import CampipeConfig

/// `campipe schema`: the JSON Schema of the pipeline file, for editors.
struct SchemaCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        console.print(PipelineSchema(PluginSet(invocation, console).described().registry).json())
        return .ok
    }
}
