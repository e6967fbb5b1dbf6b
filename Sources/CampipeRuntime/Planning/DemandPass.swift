import CampipeKit

/// Who wants what of whom: wants walk from the sinks up to the sources.
///
/// What nobody wants now still has a want, so that its chain is known before anybody comes: the want that its
/// consumers would have.
struct DemandPass: Sendable {
    typealias Subscription = (id: Demand.ID, want: Want)

    struct NodeDemand: Sendable {
        /// Whether the node is to run: it is wanted, and its `when` is not known to be false.
        var isWanted = false
        /// Whether anybody would want it if its `when` were true: its events must come.
        var isAskedFor = false
        /// What the main input is asked for, one chain each.
        var subscriptions: [Subscription] = []
        /// Whether anybody asks for what its main input brings.
        var asksMain = true
        /// What its inputs on demand are asked for, by their names.
        var sides: [String: [Subscription]] = [:]
        /// What is wanted of its outputs, put together; of a sink, what it wants itself.
        var want: Want?
        /// Whether its main input is to have all: it keeps what comes, or hands it on to who does.
        var keepsAll = false

        /// What an input is asked for, a chain each, and whether it is to come.
        func wants(of input: GraphOrder.Input) -> (subscriptions: [Subscription], isOpen: Bool) {
            if input.index == 0 { return (subscriptions, isWanted && asksMain) }
            guard input.descriptor.isOnDemand else { return ([(0, .all)], isWanted) }
            guard let asked = sides[input.descriptor.name] else {
                return ([(0, Want(input.descriptor.formats.first))], false)
            }
            return (asked, isWanted)
        }

        /// What an input would rather lose: of the main one, who is behind it and keeps all decides.
        func taste(of input: GraphOrder.Input) -> Taste {
            input.index == 0 && keepsAll ? .complete : input.descriptor.taste
        }
    }

    /// What a consumer wants of an output.
    private struct Asked {
        var port: Int
        var want: Want
        var isOpen: Bool
        var keepsAll = false
    }

    /// Of each node of the order.
    private(set) var nodes: [NodeDemand]
    /// What consumers want of each node's outputs.
    private var asked: [[Asked]]

    /// - Parameter failed: Nodes that cannot be fed, so that they want nothing.
    init(
        _ order: GraphOrder, state: PlannerState, failed: Set<String>, advice: NodeAdvice, maxVariants: Int
    ) {
        nodes = Array(repeating: NodeDemand(), count: order.nodes.count)
        asked = Array(repeating: [], count: order.nodes.count)
        for index in order.nodes.indices.reversed() {
            let node = order.nodes[index]
            var demand =
                node.descriptor.contract == .sink
                ? Self.sink(node, order, state, maxVariants) : inner(index, order, advice)
            if state.ended.contains(node.id) || failed.contains(node.id) { demand.isAskedFor = false }
            let isGateOpen =
                node.gates.isEmpty || node.descriptor.keepsHistory || !node.isLive || state.gates[node.id] == true
            demand.isWanted = demand.isAskedFor && isGateOpen
            if !demand.isWanted { demand.want = nil }
            nodes[index] = demand
            pass(demand, of: node)
        }
    }

    private static func sink(
        _ node: GraphOrder.Node, _ order: GraphOrder, _ state: PlannerState, _ maxVariants: Int
    ) -> NodeDemand {
        var wants = (state.subscriptions[node.id] ?? [:]).map { (id: $0.key, want: $0.value.rounded) }
        wants.sort { $0.id < $1.id }
        let connected = node.inputs.filter { $0.descriptor.isOnDemand && !$0.from.isEmpty }.map(\.descriptor.name)
        for index in wants.indices where !connected.contains(wants[index].want.input ?? "") {
            wants[index].want.input = nil
        }
        let most = node.description.inspection.maxVariants ?? maxVariants
        var demand = NodeDemand()
        demand.sides = Dictionary(grouping: wants.filter { $0.want.input != nil }) { $0.want.input ?? "" }
            .mapValues { Want.bounded($0, to: most) }
        wants.removeAll { $0.want.input != nil }
        let keeps = node.descriptor.keepsHistory && !node.gates.isEmpty
        demand.asksMain = !wants.isEmpty || !node.isLive || keeps
        demand.isAskedFor = demand.asksMain || !demand.sides.isEmpty
        // What is not live is never dropped, so its first subscription stays whoever comes and goes.
        if wants.isEmpty || !node.isLive, wants.first?.id != 0 {
            // One that says nothing beforehand is given what stands first among what it takes.
            let usual = Want(node.descriptor.mainInput?.formats.first)
            wants.insert((0, (node.description.inspection.want ?? usual).rounded), at: 0)
        }
        demand.keepsAll = node.descriptor.mainInput?.taste == .complete
        demand.subscriptions = Want.bounded(wants, to: most, untouched: untouched(of: node, order))
        demand.want = Want.merged(demand.subscriptions.map(\.want))
        return demand
    }

    /// What comes to a sink as its viewers can take it, without anything being made: a camera's own JPEGs.
    private static func untouched(of node: GraphOrder.Node, _ order: GraphOrder) -> Format? {
        guard let from = node.inputs.first(where: { $0.index == 0 })?.from.first else { return nil }
        let producer = order.nodes[from.node]
        guard producer.descriptor.contract == .source else { return nil }
        let usual = producer.descriptor.outputs[from.port].formats.first
        return usual == .packets(.jpeg) ? usual : nil
    }

    /// Of a source, a transform or a join.
    private func inner(_ index: Int, _ order: GraphOrder, _ advice: NodeAdvice) -> NodeDemand {
        let node = order.nodes[index]
        // Who only waits to hear what befalls it neither has it work nor keeps it connected.
        let asked = asked[index].filter { $0.port != node.descriptor.supervision }
        let open = asked.filter(\.isOpen)
        var demand = NodeDemand()
        let consumers = open.isEmpty ? asked : open
        let want = Self.together(consumers, of: node.descriptor)
        demand.want = want
        // What is put together of the newest of each is not worth keeping what is older.
        demand.keepsAll =
            node.descriptor.mainInput?.taste == .complete
            || !node.descriptor.isMixer
                && consumers.contains { $0.keepsAll && node.descriptor.outputs[$0.port].kind != .event }
        demand.isAskedFor = !open.isEmpty
        if node.descriptor.contract == .source {
            demand.isAskedFor = !open.isEmpty || !node.description.onDemand || !node.isLive
        } else {
            demand.subscriptions = [(0, advice.want(node.id, want ?? .all).rounded)]
        }
        if open.isEmpty { demand.want = nil }
        return demand
    }

    /// What is wanted of a node's pictures; where only events are wanted, a want of events. Who wants events wants them
    /// of each picture, so that they lift the limit of the rate.
    private static func together(_ asked: [Asked], of descriptor: NodeDescriptor) -> Want? {
        let pictures = asked.filter { descriptor.outputs[$0.port].kind != .event }
        guard var want = Want.merged(pictures.map(\.want)) else { return asked.isEmpty ? nil : Want(.events) }
        if pictures.count < asked.count { want.maxRate = nil }
        return want
    }

    /// Tells what feeds the node.
    private mutating func pass(_ demand: NodeDemand, of node: GraphOrder.Node) {
        for input in node.inputs {
            let (subscriptions, isOpen) = demand.wants(of: input)
            for reference in input.from {
                for (_, want) in subscriptions {
                    let keepsAll = demand.taste(of: input) == .complete
                    asked[reference.node].append(
                        Asked(port: reference.port, want: want, isOpen: isOpen, keepsAll: keepsAll))
                }
            }
        }
        for gate in node.gates {
            asked[gate.from.node].append(Asked(port: gate.from.port, want: .all, isOpen: demand.isAskedFor))
        }
    }
}
