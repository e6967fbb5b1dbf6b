package import CampipeKit

/// The graph that the user described: explicit nodes, references between them, and what he said of their links.
///
/// Checked before it comes here: every reference leads to an output, and there is no cycle.
package struct GraphDescription: Sendable {
    package let name: String
    /// In the file's order.
    package let nodes: [NodeDescription]
    private let places: [String: Int]

    package init(name: String, nodes: [NodeDescription]) {
        self.name = name
        self.nodes = nodes
        places = Dictionary(
            nodes.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(id: String) -> NodeDescription? { places[id].map { nodes[$0] } }
}

/// One explicit node.
package struct NodeDescription: Sendable {
    package var id: String
    package var registration: Registration
    package var options: Value.ValueMap
    /// What is known of it from its options; without faults.
    package var inspection: NodeInspection
    /// The camera of the template that it came from.
    package var camera: String?
    /// What each connected input is fed by, the main one first.
    package var inputs: [InputDescription]
    package var when: [WhenClause]
    /// What the file says of the links of `when`.
    package var whenLink: LinkOptions
    package var isEnabled: Bool
    package var onError: OnError
    /// Of a sink: its deadline; nil leaves the type's own.
    package var lateAfter: Duration?
    /// Of a source.
    package var onDemand: Bool
    package var stallAfter: Duration?
    package var reconnects: Bool
    /// Whether it stands for a key of another node, so that it is shown as implicit.
    package var isImplicit = false

    package init(
        id: String, registration: Registration, options: Value.ValueMap = Value.ValueMap(), camera: String? = nil,
        inputs: [InputDescription] = [], when: [WhenClause] = [], whenLink: LinkOptions = LinkOptions(),
        isEnabled: Bool = true, onError: OnError = .restart, lateAfter: Duration? = nil, onDemand: Bool = false,
        stallAfter: Duration? = nil, reconnects: Bool = true
    ) {
        self.id = id
        self.registration = registration
        self.options = options
        inspection = registration.inspect(options)
        self.camera = camera
        self.inputs = inputs
        self.when = when
        self.whenLink = whenLink
        self.isEnabled = isEnabled
        self.onError = onError
        self.lateAfter = lateAfter
        self.onDemand = onDemand
        self.stallAfter = stallAfter
        self.reconnects = reconnects
    }

    package var descriptor: NodeDescriptor { registration.descriptor }
}

/// What one input of a node is fed by.
package struct InputDescription: Hashable, Sendable {
    /// The input's name, as the descriptor has it.
    package var port: String
    /// One, or several where the input takes many.
    package var from: [PortReference]
    package var link: LinkOptions

    package init(_ port: String = "input", from: [PortReference], link: LinkOptions = LinkOptions()) {
        self.port = port
        self.from = from
        self.link = link
    }
}

/// An output of an explicit node.
package struct PortReference: Hashable, Sendable, CustomStringConvertible {
    package var node: String
    package var port: String

    package init(_ node: String, _ port: String = "out") {
        self.node = node
        self.port = port
    }

    package var description: String { "\(node).\(port)" }
}

/// What the file says of a link; nil leaves the default.
package struct LinkOptions: Hashable, Sendable {
    package var whenFull: WhenFull?
    package var maxItems: Int?
    package var maxBytes: Int?
    package var maxAge: Duration?

    package init(whenFull: WhenFull? = nil, maxItems: Int? = nil, maxBytes: Int? = nil, maxAge: Duration? = nil) {
        self.whenFull = whenFull
        self.maxItems = maxItems
        self.maxBytes = maxBytes
        self.maxAge = maxAge
    }

    package var isDefault: Bool { self == LinkOptions() }
}

/// One condition of a `when`: open while such an event is active.
package struct WhenClause: Hashable, Sendable {
    package var event: PortReference
    /// Classes that count; empty means any.
    package var classes: [String]
    package var minScore: Double?

    package init(event: PortReference, classes: [String] = [], minScore: Double? = nil) {
        self.event = event
        self.classes = classes
        self.minScore = minScore
    }
}

/// What becomes of a node that fails.
package enum OnError: String, Sendable, CaseIterable {
    /// A new instance takes its place.
    case restart
    /// The item is dropped and the node goes on.
    case skip
    /// The pipeline stops.
    case stop
}
