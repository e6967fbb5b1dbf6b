internal import CampipeKit

/// The check of the templates that no camera uses: their nodes beside the pipeline's own, as if a camera did.
struct SampleCheck {
    let drafts: [NodeDraft]
    let places: PlaceFinder
    /// The errors in the templates.
    let diagnostics: [Diagnostic]

    /// - Parameter known: The pipeline's nodes, which the templates' may refer to.
    init(
        _ outline: PipelineOutline, _ known: [NodeDraft], _ defaults: DefaultOptions,
        _ surrounding: NodeReading.Surrounding
    ) {
        var findings = Findings()
        findings.broken = surrounding.broken
        var samples = outline.samples
        for index in samples.indices {
            defaults.merge(into: &samples[index])
            NodeReading.read(&samples[index], in: surrounding, findings: &findings)
        }
        var further = Findings()
        let resolver = GraphResolver(known + samples, registry: surrounding.types.registry, findings: &further)
        drafts = Array(resolver.drafts[known.count...])
        let places = PlaceFinder(
            root: outline.root, drafts: drafts, broken: findings.broken, sources: surrounding.sources)
        let paths = Set(drafts.map(\.path.steps))
        findings.faults += further.faults.filter { paths.contains(Array($0.path.steps.prefix(2))) }
        let faults = findings.worstFaults.filter { $0.severity == .error }
        diagnostics = (findings.diagnostics + faults.compactMap(places.diagnostic)).map { found in
            var diagnostic = found
            // There is no camera to speak of.
            diagnostic.related.removeAll { $0.note.hasPrefix("for the camera") }
            return diagnostic
        }
        self.places = places
    }
}
