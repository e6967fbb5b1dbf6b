import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime

/// The masks that stand for the `privacy` of sources: one behind each output that carries pictures, between the source
/// and all that looks at it.
///
/// A mask takes frames and gives frames, so that the planner decodes before it and encodes behind it: no packet of the
/// source reaches anybody else. It has the id `mask(front)`, which no node of a file can have.
struct PrivacyMasks {
    /// By the output that is covered.
    private let ids: [PortReference: String]

    init(_ file: PipelineDescription) {
        var ids: [PortReference: String] = [:]
        for source in file.nodes {
            for output in source.privacy?.outputs ?? [] {
                let isMain = source.registration.descriptor.outputs.first?.name == output
                ids[PortReference(source.id, output)] =
                    isMain ? "mask(\(source.id))" : "mask(\(source.id).\(output))"
            }
        }
        self.ids = ids
    }

    /// What a consumer gets where its file says `reference`.
    func seen(_ reference: OutputReference) -> PortReference {
        let output = PortReference(reference.node, reference.port)
        return ids[output].map { PortReference($0) } ?? output
    }

    /// The masks behind a source.
    func nodes(of source: PipelineNode) -> [NodeDescription] {
        guard let privacy = source.privacy else { return [] }
        return privacy.outputs.compactMap { output in
            let covered = PortReference(source.id, output)
            guard let id = ids[covered] else { return nil }
            var mask = NodeDescription(
                id: id, registration: BuiltInNodes.privacyMask, options: ["zones": privacy.polygons.value],
                camera: source.camera, inputs: [InputDescription(from: [covered])],
                isEnabled: source.isEnabled, onError: .skip)
            mask.isImplicit = true
            return mask
        }
    }
}
