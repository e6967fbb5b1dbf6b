package import CampipeKit

/// A pipeline as its file describes it, checked and resolved: plain values, nothing made yet.
package struct PipelineDescription: Sendable {
    package var name: String
    package var server: ServerSettings
    /// In the file's order: sources, transforms, sinks, and then each camera's in the same order. Without cycles.
    package var nodes: [PipelineNode]
    /// What it took from the environment, in the order of use.
    package var variables: [UsedVariable] = []

    package subscript(id: String) -> PipelineNode? { nodes.first { $0.id == id } }
}

/// One explicit node of a pipeline.
package struct PipelineNode: Sendable {
    /// Unique in the pipeline; `yard/rec` for the node `rec` of the camera `yard`.
    package var id: String
    /// Where it stands, for faults that are found later: `sinks.web`.
    package var path: FaultPath
    /// The type; where one name serves several kinds of item, the one that fits what is linked to it.
    package var registration: Registration
    /// The node's own options, with defaults by type merged in.
    package var options: Value.ValueMap
    /// What is known of it from its options.
    package var inspection: NodeInspection
    /// The camera whose template it came from.
    package var camera: String?
    /// The connected inputs, in the descriptor's order.
    package var inputs: [PipelineInput]
    /// Open while any of these holds; empty is always.
    package var when: [WhenCondition]
    /// What `links: {when: ...}` says of the links of `when`.
    package var whenLink: LinkOverride
    package var isEnabled: Bool
    /// Why it does nothing, where it does: it is not enabled, or what it cannot work without is off.
    package var off: OffCause?
    /// Why it fails from the start, where it does: its type is of a plugin that is refused. It is off then.
    package var failure: String?
    package var onError: ErrorAnswer
    /// Whether it runs in a process of its own.
    package var isIsolated = false
    /// Of a sink: its deadline; nil leaves the type's own.
    package var lateAfter: Duration?
    /// Of a source.
    package var onDemand: Bool
    /// Of a source; nil leaves the default.
    package var stallAfter: Duration?
    /// Of a source.
    package var reconnects: Bool
    /// Of a source: what nobody may see of its pictures.
    package var privacy: PipelinePrivacy?
}

/// What is covered in a source's pictures before anything else gets them.
package struct PipelinePrivacy: Hashable, Sendable {
    package var polygons: Polygons
    /// The source's outputs that carry pictures; each is to be masked. What refers to one of them takes frames.
    package var outputs: [String]
}

/// One input of a node and what feeds it.
package struct PipelineInput: Hashable, Sendable {
    /// The input's name in the descriptor.
    package var port: String
    /// One, or several where the input takes many.
    package var from: [OutputReference]
    package var link: LinkOverride
}

/// An output of a node.
package struct OutputReference: Hashable, Sendable, CustomStringConvertible {
    package var node: String
    package var port: String

    package var description: String { "\(node).\(port)" }
}

/// What the file says of a link; nil leaves the default.
package struct LinkOverride: Hashable, Sendable {
    package var whenFull: FullAnswer?
    package var maxItems: Int?
    package var maxBytes: ByteCount?
    package var maxAge: Duration?
}

/// One condition of a `when`.
package struct WhenCondition: Hashable, Sendable {
    package var event: OutputReference
    /// The classes that count; empty is any.
    package var classes: [String]
    package var minScore: Double?
}
