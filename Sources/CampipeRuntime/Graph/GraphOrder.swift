import CampipeKit

/// The explicit graph as the planner walks it: without what is off, upstream before downstream, references as indices.
struct GraphOrder: Sendable {
    /// An output of a node of this order.
    struct Reference: Sendable {
        var node: Int
        /// The output's index in the descriptor.
        var port: Int
        /// Which of the references of its input it is, as the file lists them.
        var position: Int
    }

    struct Input: Sendable {
        /// Its index in the descriptor.
        var index: Int
        var descriptor: PortDescriptor
        var link: LinkOptions
        var from: [Reference]
    }

    struct Node: Sendable {
        var description: NodeDescription
        var inputs: [Input] = []
        /// The clauses of `when` whose events can come: the clause's index and what it looks at.
        var gates: [(clause: Int, from: Reference)] = []
        /// Whether any source that feeds it is live.
        var isLive = false

        var id: String { description.id }
        var descriptor: NodeDescriptor { description.descriptor }
    }

    private(set) var nodes: [Node] = []
    /// What is switched off, and what has nothing left because of it.
    private(set) var off: Set<String>

    /// - Parameters:
    ///   - graph: Checked: every reference leads to an output, and there is no cycle.
    ///   - off: Nodes that are switched off besides those that the file switches off.
    init(_ graph: GraphDescription, off: Set<String> = []) {
        self.off = off.union(graph.nodes.filter { !$0.isEnabled }.map(\.id))
        var places: [String: Int] = [:]
        for index in Self.sorted(graph.nodes) {
            guard let node = resolve(graph.nodes[index], places) else {
                self.off.insert(graph.nodes[index].id)
                continue
            }
            places[node.id] = nodes.count
            nodes.append(node)
        }
    }

    /// The node with what is left of its references; nil when it is off.
    private func resolve(_ description: NodeDescription, _ places: [String: Int]) -> Node? {
        guard !off.contains(description.id) else { return nil }
        var node = Node(description: description)
        func reference(_ port: PortReference, _ position: Int) -> Reference? {
            guard let place = places[port.node],
                let index = nodes[place].descriptor.outputs.firstIndex(where: { $0.name == port.port })
            else { return nil }
            return Reference(node: place, port: index, position: position)
        }
        for input in description.inputs {
            guard let index = node.descriptor.inputs.firstIndex(where: { $0.name == input.port }) else { continue }
            let port = node.descriptor.inputs[index]
            let from = input.from.enumerated().compactMap { reference($0.element, $0.offset) }
            if from.isEmpty, index == 0 || !port.isOptional { return nil }
            node.inputs.append(Input(index: index, descriptor: port, link: input.link, from: from))
        }
        for (clause, when) in description.when.enumerated() {
            if let from = reference(when.event, 0) { node.gates.append((clause, from)) }
        }
        if node.gates.isEmpty, !description.when.isEmpty { return nil }
        node.inputs.sort { $0.index < $1.index }
        node.isLive =
            description.inspection.isLive || node.inputs.contains { $0.from.contains { nodes[$0.node].isLive } }
        return node
    }

    /// The indices of nodes, each after all that it looks at; otherwise in the file's order.
    private static func sorted(_ nodes: [NodeDescription]) -> [Int] {
        let places = Dictionary(nodes.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { a, _ in a })
        var waitsFor = [Int](repeating: 0, count: nodes.count)
        var leadsTo = [[Int]](repeating: [], count: nodes.count)
        for (index, node) in nodes.enumerated() {
            for reference in node.inputs.flatMap(\.from) + node.when.map(\.event) {
                guard let place = places[reference.node] else { continue }
                waitsFor[index] += 1
                leadsTo[place].append(index)
            }
        }
        var order = nodes.indices.filter { waitsFor[$0] == 0 }
        var next = 0
        while next < order.count {
            for index in leadsTo[order[next]] {
                waitsFor[index] -= 1
                if waitsFor[index] == 0 { order.append(index) }
            }
            next += 1
        }
        return order
    }
}
