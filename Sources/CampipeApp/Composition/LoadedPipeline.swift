import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime

/// A pipeline file as the commands read it: checked by itself, and planned as it would run.
struct LoadedPipeline {
    /// What was found, by either.
    let report: DiagnosticReport
    /// The pipeline; nil when there is an error, and then nothing may start.
    let description: PipelineDescription?

    init(_ path: String, overrides: [Override] = []) { self.init(path, overrides: overrides) { _ in [] } }

    /// - Parameter adding: More overrides, once it is known what the file says of the server.
    /// - Throws: What `adding` throws.
    init<Failure: Error>(
        _ path: String, overrides: [Override], adding: (ServerSettings) throws(Failure) -> [Override]
    ) throws(Failure) {
        self.init(
            try PipelineFile.load(path, registry: BuiltInNodes.registry, overrides: overrides, adding: adding))
    }

    /// A text in the place of a file.
    init(text: String, name: String, surroundings: Surroundings) {
        self.init(
            PipelineFile(
                Array(text.utf8), name: name, registry: BuiltInNodes.registry, surroundings: surroundings))
    }

    private init(_ file: PipelineFile) {
        guard let description = file.description else {
            report = file.report
            self.description = nil
            return
        }
        let faults = Self.faults(of: description, registry: BuiltInNodes.registry)
        report = faults.isEmpty ? file.report : file.report(of: faults)
        self.description = faults.isEmpty ? description : nil
    }

    /// Reads a file and prints what was found in it on standard error; nil when it has an error.
    static func description(
        of path: String, _ console: Console
    ) -> PipelineDescription? { description(of: path, overrides: [], console) { _ in [] } }

    /// As above, with overrides; see `init`.
    static func description<Failure: Error>(
        of path: String, overrides: [Override], _ console: Console,
        adding: (ServerSettings) throws(Failure) -> [Override]
    ) throws(Failure) -> PipelineDescription? {
        let loaded = try LoadedPipeline(path, overrides: overrides, adding: adding)
        let text = loaded.report.text(colour: console.errorStyle.usesColor)
        if !text.isEmpty { console.complain(text) }
        return loaded.description
    }

    /// Consumers that cannot be fed, whoever looks.
    private static func faults(of file: PipelineDescription, registry: Registry) -> [Fault] {
        let failures = GraphPicture(GraphDescription(file), registry: registry).plan.failures
        let masks = PrivacyMasks(file)
        return file.nodes.flatMap { node -> [Fault] in
            if let failure = failures[node.id] {
                return [Fault(.formatMismatch, at: node.path.key("input"), failure.message, fix: failure.fix)]
            }
            // What cannot be masked is seen by nobody.
            return masks.nodes(of: node).compactMap { failures[$0.id] }.map {
                Fault(.formatMismatch, at: node.path.key("privacy"), $0.message, fix: $0.fix)
            }
        }
    }
}
