package import CampipeKit

/// What transforms and joins say of themselves when the planner asks.
///
/// The runner alone may touch a running node, so the default asks fresh instances: making one has no effects, and
/// both answers depend on its options only.
package struct NodeAdvice: Sendable {
    /// What the node of this id asks of its main input so that the want can be had. Where only events are wanted of it,
    /// the want's format is `.events`.
    package var want: @Sendable (_ id: String, _ downstream: Want) -> Want
    /// What comes out of the node of this id when the format goes in.
    package var output: @Sendable (_ id: String, _ input: Format) throws -> Format

    package init(
        want: @escaping @Sendable (_ id: String, _ downstream: Want) -> Want,
        output: @escaping @Sendable (_ id: String, _ input: Format) throws -> Format
    ) {
        self.want = want
        self.output = output
    }

    /// Asks the nodes of a graph.
    package init(asking graph: GraphDescription) {
        let nodes = Dictionary(graph.nodes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        want = { id, downstream in
            guard let node = nodes[id] else { return Want(maxRate: downstream.maxRate) }
            return node.registration.make(node.options).want(
                downstream, ofEachOf: node.inputs.first?.from.count ?? 1)
        }
        output = { id, input in
            guard let node = nodes[id] else { return input }
            return try node.registration.make(node.options).output(for: input)
        }
    }
}
