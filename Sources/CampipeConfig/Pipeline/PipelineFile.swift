package import CampipeKit

/// A pipeline file, read and checked: the description where it has no error, and all that was found in it.
///
/// Checking never stops at the first fault. Whatever stands in the file, reading ends in time that grows with its size,
/// within 64 MiB.
package struct PipelineFile: Sendable {
    /// The pipeline; nil when the file has an error.
    package let description: PipelineDescription?
    /// Everything that was found.
    package let report: DiagnosticReport
    /// What the `server` map says, as far as it could be read.
    package let server: ServerSettings

    private let places: PlaceFinder

    /// Reads the file at a path.
    ///
    /// - Parameters:
    ///   - path: As the user gave it; diagnostics show it so. `-` is standard input.
    ///   - registry: The types of node there are.
    package static func load(_ path: String, registry: Registry, overrides: [Override] = []) -> PipelineFile {
        load(path, types: { _ in NodeTypes(registry) }, overrides: overrides) { _ in [] }
    }

    /// Reads the file at a path.
    ///
    /// - Parameters:
    ///   - types: Finds the types of node there are, once it is known what the file asks for.
    ///   - adding: More overrides, once it is known what the file says of the server. The file is read once.
    /// - Throws: What `adding` throws.
    package static func load<Failure: Error>(
        _ path: String, types: (PluginRequest) -> NodeTypes, overrides: [Override],
        adding: (ServerSettings) throws(Failure) -> [Override]
    ) throws(Failure) -> PipelineFile {
        let isInput = path == "-"
        let path = isInput ? "stdin" : path
        guard !path.isEmpty else { return PipelineFile(unreadable: path, reason: "its name is empty") }
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes =
                isInput
                ? try FileBytes.readInput(limit: TextCheck.maximumBytes)
                : try FileBytes.read(path, limit: TextCheck.maximumBytes, regularOnly: false)
        } catch {
            return PipelineFile(unreadable: path, reason: error.sentence)
        }
        func file(_ overrides: [Override]) -> PipelineFile {
            PipelineFile(
                bytes, name: path, types: types, surroundings: .process(folder: folder(of: path)),
                overrides: overrides)
        }
        let first = file(overrides)
        let more = try adding(first.server)
        return more.isEmpty ? first : file(overrides + more)
    }

    /// Reads a text.
    ///
    /// - Parameter name: What diagnostics call it; the pipeline takes its name from it when the text gives none.
    package init(
        _ bytes: [UInt8], name: String, registry: Registry, surroundings: Surroundings, overrides: [Override] = []
    ) {
        self.init(
            bytes, name: name, types: { _ in NodeTypes(registry) }, surroundings: surroundings, overrides: overrides)
    }

    /// Reads a text; `types` as in `load`.
    package init(
        _ bytes: [UInt8], name: String, types find: (PluginRequest) -> NodeTypes, surroundings: Surroundings,
        overrides: [Override] = []
    ) {
        let reading = YAMLReader.read(bytes, name: name)
        var sources = [reading.text]
        var findings = Findings()
        findings.diagnostics = reading.diagnostics
        findings.broken = reading.broken
        guard var root = reading.root else {
            description = nil
            server = ServerSettings()
            let known = find(PluginRequest(plugins: [], types: [])).registry
            let secrets = SecretFinder(Redaction(), root: nil, sources: sources, registry: known)
            report = DiagnosticReport(findings.diagnostics, sources: sources, redaction: secrets.redaction)
            places = PlaceFinder()
            return
        }
        for override in overrides {
            let applied = override.apply(to: &root, source: sources.count, beside: overrides)
            sources.append(applied.text)
            findings.diagnostics += applied.diagnostics
            findings.broken.formUnion(applied.broken)
        }

        var substitution = Substitution(surroundings)
        for mark in findings.broken { substitution.forget(mark) }
        let outline = PipelineOutline(root, substitution: &substitution, findings: &findings)
        let types = find(outline.request(surroundings))
        let registry = types.registry
        for plugin in types.refused {
            guard let reference = plugin.reference else { continue }
            findings.report(
                .refusedPlugin, at: reference.place, plugin.sentence, fix: plugin.fix, severity: plugin.severity)
        }
        var drafts = outline.drafts
        let defaults = DefaultOptions(outline.defaults, registry: registry, findings: &findings)
        let surrounding = NodeReading.Surrounding(
            types: types, surroundings: surroundings, broken: substitution.broken.union(findings.broken),
            sources: sources,
            ids: (drafts + outline.samples).filter { !$0.isSink }.map(\.id))
        for index in drafts.indices {
            defaults.merge(into: &drafts[index])
            NodeReading.read(&drafts[index], in: surrounding, findings: &findings)
        }
        let broken = substitution.broken.union(findings.broken)
        findings.diagnostics += substitution.diagnostics
        let resolver = GraphResolver(drafts, registry: registry, findings: &findings)
        GraphChecks.check(resolver, findings: &findings)
        AccessCheck.check(resolver.drafts, outline.server, findings: &findings)
        server = outline.server

        places = PlaceFinder(
            root: outline.root, drafts: resolver.drafts, broken: broken, sources: sources)
        defaults.check(broken: broken, &findings)
        var diagnostics = findings.diagnostics + findings.worstFaults.compactMap(places.diagnostic)
        var known = substitution.redaction
        known.show(findings.placeholders)
        var secrets = SecretFinder(known, root: root, sources: sources, registry: registry)
        secrets.add(resolver.drafts, places: places)
        if !outline.samples.isEmpty {
            let check = SampleCheck(outline, drafts, defaults, surrounding)
            diagnostics += check.diagnostics
            secrets.add(check.drafts, places: check.places)
        }
        secrets.add(overrides)
        let redaction = secrets.redaction
        report = DiagnosticReport(diagnostics, sources: sources, redaction: redaction)
        description =
            report.hasErrors
            ? nil
            : PipelineDescription(
                name: outline.name ?? Self.stem(of: name), server: outline.server,
                nodes: resolver.drafts.indices.compactMap { PipelineNode(resolver.drafts[$0], resolver.facts[$0]) },
                variables: UsedVariable.all(substitution.uses, redaction))
    }

    private init(unreadable path: String, reason: String) {
        description = nil
        server = ServerSettings()
        places = PlaceFinder()
        report = DiagnosticReport(
            [
                Diagnostic(
                    .unreadableFile, nil, "cannot read the file: \(reason)",
                    fix: "name a file that is there and may be read; - is standard input")
            ],
            sources: [SourceText(name: path, bytes: [])], redaction: Redaction())
    }

    /// Faults that were found later, by path, at their places in this file.
    package func report(of faults: [Fault]) -> DiagnosticReport {
        DiagnosticReport(faults.compactMap(places.diagnostic), sources: report.sources, redaction: report.redaction)
    }

    /// All that was found in the file, and faults that were found later.
    package func report(adding faults: [Fault]) -> DiagnosticReport {
        DiagnosticReport(
            report.diagnostics + faults.compactMap(places.diagnostic), sources: report.sources,
            redaction: report.redaction)
    }

    /// One fault as text for people: place, sentence, source line, caret, fix.
    package func render(_ fault: Fault, colour: Bool = false) -> String { report(of: [fault]).text(colour: colour) }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// `home` of `pipelines/home.yaml`, made a name.
    private static func stem(of path: String) -> String {
        var name =
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        if let point = name.utf8.firstIndex(of: UInt8(ascii: ".")), point > name.startIndex {
            name = String(name[..<point])
        }
        return name.isEmpty ? "pipeline" : NameCheck.suggestion(name)
    }
}

extension PipelineNode {
    /// Nil while the draft has no type, which is an error that was reported.
    fileprivate init?(_ draft: NodeDraft, _ facts: NodeFacts) {
        let refusal = draft.refusal
        failure = draft.keys.enabled ? refusal?.sentence : nil
        let standIn = refusal.map { _ in Self.standIn(draft) }
        guard let registration = draft.registrations.first ?? standIn,
            let inspection = draft.inspection ?? standIn?.inspect(Value.ValueMap())
        else { return nil }
        id = draft.id
        path = draft.path
        self.registration = registration
        options = draft.options
        self.inspection = inspection
        camera = draft.camera?.name
        inputs = zip(draft.inputs, facts.inputs).compactMap { input, from in
            from.isEmpty || refusal != nil
                ? nil
                : PipelineInput(port: input.port.name, from: from, link: draft.links[input.port.name] ?? LinkOverride())
        }
        when = zip(draft.when, facts.when).compactMap { condition, event in
            event.map { WhenCondition(event: $0, classes: condition.classes, minScore: condition.minScore) }
        }
        whenLink = draft.links["when"] ?? LinkOverride()
        isEnabled = draft.keys.enabled && refusal == nil
        off = facts.off
        onError = draft.keys.onError
        isIsolated = draft.keys.isolation == .process
        lateAfter = draft.sinkKeys.lateAfter
        onDemand = draft.sourceKeys.onDemand
        stallAfter = draft.sourceKeys.stallAfter
        reconnects = draft.sourceKeys.reconnect
        privacy = draft.sourceKeys.privacy.map { PipelinePrivacy(polygons: $0, outputs: draft.pictureOutputs) }
    }

    /// What stands in the graph for a node whose type cannot be had; it is off.
    private static func standIn(_ draft: NodeDraft) -> Registration {
        let contract: NodeDescriptor.Contract =
            draft.section == "sources" ? .source : draft.section == "sinks" ? .sink : .transform
        return Registration(standInFor: draft.value["type"]?.text ?? "", contract)
    }
}

extension PipelineOutline {
    /// What it asks of plugins.
    fileprivate func request(_ surroundings: Surroundings) -> PluginRequest {
        PluginRequest(
            plugins: plugins.map { plugin in
                var plugin = plugin
                plugin.path = surroundings.resource(plugin.text).path
                return plugin
            },
            types: Set((drafts + samples).compactMap { $0.value["type"]?.text }))
    }
}
