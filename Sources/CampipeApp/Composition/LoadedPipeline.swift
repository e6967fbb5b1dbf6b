import CampipeConfig
import CampipeKit
import CampipeNodes

/// A pipeline file as a command reads it, with its diagnostics already said.
struct LoadedPipeline {
    let file: PipelineFile
    let description: PipelineDescription

    /// Reads a file and prints what was found in it on standard error.
    ///
    /// - Returns: nil when it has an error; then nothing may start.
    init?(_ path: String, overrides: [Override] = [], console: Console) {
        let file = PipelineFile.load(path, registry: BuiltInNodes.registry, overrides: overrides)
        let text = file.report.text(colour: console.errorStyle.usesColor)
        if !text.isEmpty { console.complain(text) }
        guard let description = file.description else { return nil }
        self.file = file
        self.description = description
    }
}
