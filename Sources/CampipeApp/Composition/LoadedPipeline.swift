import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime
import Glibc

/// A pipeline file as the commands read it: checked by itself, and planned as it would run.
struct LoadedPipeline {
    /// What was found, by either.
    let report: DiagnosticReport
    /// The pipeline; nil when there is an error, and then nothing may start.
    let description: PipelineDescription?
    /// The types of node that it may use.
    let registry: Registry

    init(_ path: String, plugins: PluginSet = PluginSet()) {
        self.init(path, plugins: plugins, overrides: []) { _ in [] }
    }

    /// - Parameters:
    ///   - plugins: Where types come from that are not built in.
    ///   - isToRun: Whether it is to start here, so that the server's files have to be there; else their want is a warning.
    ///   - adding: More overrides, once it is known what the file says of the server.
    /// - Throws: What `adding` throws.
    init<Failure: Error>(
        _ path: String, plugins: PluginSet, overrides: [Override], isToRun: Bool = false,
        adding: (ServerSettings) throws(Failure) -> [Override]
    ) throws(Failure) {
        var registry = BuiltInNodes.registry
        let file = try PipelineFile.load(
            path,
            types: { request in
                let types = plugins.types(for: request)
                registry = types.registry
                return types
            }, overrides: overrides, adding: adding)
        self.init(file, registry: registry, isToRun: isToRun)
    }

    /// A text in the place of a file.
    init(text: String, name: String, surroundings: Surroundings) {
        self.init(
            PipelineFile(
                Array(text.utf8), name: name, registry: BuiltInNodes.registry, surroundings: surroundings),
            registry: BuiltInNodes.registry)
    }

    private init(_ file: PipelineFile, registry: Registry, isToRun: Bool = false) {
        self.registry = registry
        guard let description = file.description else {
            report = file.report
            self.description = nil
            return
        }
        let faults =
            Self.faults(of: description, registry: registry)
            + Self.faults(of: file.server.tls, isToRun ? .error : .warning)
        report = faults.isEmpty ? file.report : file.report(adding: faults)
        self.description = report.hasErrors ? nil : description
    }

    /// The pipeline, with what was found printed on standard error; nil when it has an error.
    func shown(_ console: Console) -> PipelineDescription? {
        let text = report.text(colour: console.errorStyle.usesColor)
        if !text.isEmpty { console.complain(text) }
        return description
    }

    /// The files of the server that cannot be read, without which it does not start.
    private static func faults(of tls: ServerSettings.TLS?, _ severity: Fault.Severity) -> [Fault] {
        guard let tls else { return [] }
        return [("certificate", tls.certificate), ("key", tls.key)].compactMap { key, path -> Fault? in
            guard unsafe access(path, R_OK) != 0 else { return nil }
            return Fault(
                .missingFile, at: FaultPath(["server", "tls", key].map(FaultPath.Step.key)),
                CampipeError.system("cannot read \(path)", errno: errno).message,
                fix: "name a PEM file that is there and may be read; a path starts at the working directory",
                severity: severity)
        }
    }

    private static let otherNode = "take it from a node that gives what is taken here"

    /// Consumers that cannot be fed, whoever looks.
    private static func faults(of file: PipelineDescription, registry: Registry) -> [Fault] {
        let failures = GraphPicture(GraphDescription(file), registry: registry).plan.failures
        let masks = PrivacyMasks(file)
        return file.nodes.flatMap { node -> [Fault] in
            if let failure = failures[node.id] {
                return [
                    Fault(
                        .formatMismatch, at: node.path.key("input"), failure.message, fix: failure.fix ?? Self.otherNode
                    )
                ]
            }
            // What cannot be masked is seen by nobody.
            return masks.nodes(of: node).compactMap { failures[$0.id] }.map {
                Fault(.formatMismatch, at: node.path.key("privacy"), $0.message, fix: $0.fix ?? Self.otherNode)
            }
        }
    }
}
