import CampipeKit

/// Builds nodes, chains and links from the sources down, with the format of each output.
struct PlanBuilder {
    private(set) var plan = Plan()
    /// What the consumer of each link wants of it; of links inside chains, what all behind them want together.
    private(set) var wants: [LinkKey: Want] = [:]

    private let order: GraphOrder
    private let state: PlannerState
    private let demands: [DemandPass.NodeDemand]
    private let registry: Registry
    private let advice: NodeAdvice
    private var nodePlaces: [NodeKey: Int] = [:]
    private var linkPlaces: [LinkKey: Int] = [:]

    /// - Parameter failed: Nodes that cannot be fed; they get no inputs.
    init(
        _ order: GraphOrder, state: PlannerState, demands: [DemandPass.NodeDemand], failed: Set<String>,
        registry: Registry, advice: NodeAdvice
    ) {
        self.order = order
        self.state = state
        self.demands = demands
        self.registry = registry
        self.advice = advice
        plan.off = order.off
        for index in order.nodes.indices { add(index, hasFailed: failed.contains(order.nodes[index].id)) }
    }

    private mutating func add(_ index: Int, hasFailed: Bool) {
        let node = order.nodes[index]
        let demand = demands[index]
        let key = NodeKey.explicit(node.id)
        var mainFormat: Format?
        if !hasFailed {
            for input in node.inputs {
                let (subscriptions, isOpen) = demand.wants(of: input)
                let taste = demand.taste(of: input)
                for reference in input.from {
                    for subscription in subscriptions {
                        let format = addChain(
                            from: reference, to: node, input, subscription, taste: taste, isOpen: isOpen)
                        if input.index == 0, mainFormat == nil { mainFormat = format }
                    }
                }
            }
            for gate in node.gates {
                let from = output(gate.from)
                let link = LinkKey(from: from, to: key, input: node.descriptor.inputs.count + gate.clause)
                let policy = LinkPolicy(for: .events, isLive: order.nodes[gate.from.node].isLive, taste: .fresh)
                    .with(node.description.whenLink, taste: .fresh)
                add(PlannedLink(key: link, policy: policy, isOpen: demand.isAskedFor), want: .all, taste: .fresh)
            }
        }
        add(PlannedNode(key: key, isLive: node.isLive, isWanted: demand.isWanted, want: demand.want))
        setFormats(of: node, input: mainFormat, hasFailed: hasFailed)
    }

    private func output(_ reference: GraphOrder.Reference) -> PlannedOutput {
        PlannedOutput(.explicit(order.nodes[reference.node].id), reference.port)
    }

    /// Adds what stands between an output and a consumer, and the links.
    ///
    /// - Returns: What comes to the consumer; nil when it cannot be fed.
    private mutating func addChain(
        from reference: GraphOrder.Reference, to node: GraphOrder.Node, _ input: GraphOrder.Input,
        _ subscription: (id: Demand.ID, want: Want), taste: Taste, isOpen: Bool
    ) -> Format? {
        let producer = order.nodes[reference.node]
        let owner = input.link.isDefault ? nil : input.index == 0 ? node.id : "\(node.id).\(input.descriptor.name)"
        var from = output(reference)
        var format = plan.outputFormats[from] ?? producer.descriptor.outputs[reference.port].kind.anyFormat
        var chain = ImplicitChain(
            to: input.descriptor, want: subscription.want, registry: registry,
            isEncodedExplicitly: producer.descriptor.role == .encode,
            isMask: node.description.inspection.masksPictures)
        while true {
            let policy = LinkPolicy(for: format, isLive: producer.isLive, taste: taste).with(input.link, taste: taste)
            switch chain.next(format) {
            case .done:
                let link = LinkKey(
                    from: from, to: .explicit(node.id), input: input.index, position: reference.position,
                    subscription: subscription.id)
                add(
                    PlannedLink(key: link, policy: policy, isOpen: isOpen), want: subscription.want, taste: taste)
                return format
            case .insert(let role, let request):
                let key = NodeKey.implicit(role, upstream: from, request: request, owner: owner)
                add(
                    PlannedLink(key: LinkKey(from: from, to: key), policy: policy, isOpen: isOpen),
                    want: subscription.want, taste: taste)
                add(PlannedNode(key: key, isLive: producer.isLive, isWanted: isOpen, want: nil))
                from = PlannedOutput(key)
                format = state.formats[from] ?? made(by: role, request, from: format)
                plan.outputFormats[from] = format
            case .mismatch(let missing):
                plan.failures[node.id] = .mismatch(
                    consumer: node, input.descriptor, producer: producer, reference.port, gives: format,
                    missing: missing)
                return nil
            }
        }
    }

    /// What a converter gives, before it has announced it.
    private func made(by role: ConverterRole, _ request: ConverterRequest, from format: Format) -> Format {
        var frames = FrameFormat.any
        switch format {
        case .packets(let packets):
            frames.size = packets.size
            frames.rate = packets.rate
        case .frames(let found): frames = found
        case .events: return format
        }
        if case .frames(let asked)? = request.format {
            frames.pixel = asked.pixel ?? frames.pixel
            frames.size = asked.size ?? frames.size
        }
        if request.lumaOnly { frames.pixel = .gray8 }
        if request.maxWidth != nil { frames.size = nil }
        guard role == .encode else { return .frames(frames) }
        // The encoder itself knows the coding, and with it how its packets may be dropped.
        let encoder = registry.converter(.encode)?.make(request.options)
        return (try? encoder?.output(for: .frames(frames))) ?? .packets(.any)
    }

    /// What each output of an explicit node carries: as announced, else as the node says, else as its type says.
    private mutating func setFormats(of node: GraphOrder.Node, input: Format?, hasFailed: Bool) {
        let outputs = node.descriptor.outputs
        var said = node.description.inspection.format
        if let input, node.descriptor.contract != .sink, !hasFailed {
            do {
                said = try advice.output(node.id, input)
            } catch {
                // What is not known yet may still turn out right.
                if input.isConcrete { plan.failures[node.id] = .refused(error, by: node, input) }
            }
        }
        let place = said.flatMap { format in outputs.firstIndex { $0.kind == format.kind } }
        for (port, output) in outputs.enumerated() {
            let from = PlannedOutput(.explicit(node.id), port)
            let typical = output.formats.first ?? output.kind.anyFormat
            plan.outputFormats[from] = state.formats[from] ?? (port == place ? said : nil) ?? typical
        }
    }

    /// Adds a node, or another consumer's wish to one that is there.
    private mutating func add(_ node: PlannedNode) {
        if let place = nodePlaces[node.key] {
            plan.nodes[place].isWanted = plan.nodes[place].isWanted || node.isWanted
        } else {
            nodePlaces[node.key] = plan.nodes.count
            plan.nodes.append(node)
        }
    }

    /// - Parameter taste: Of the consumer at the chain's end: of several, who keeps all decides what is dropped.
    private mutating func add(_ link: PlannedLink, want: Want, taste: Taste) {
        if let place = linkPlaces[link.key] {
            plan.links[place].isOpen = plan.links[place].isOpen || link.isOpen
            guard taste == .complete else { return }
            plan.links[place].policy = link.policy
            plan.links[place].keepsAll = true
        } else {
            linkPlaces[link.key] = plan.links.count
            plan.links.append(link)
            plan.links[plan.links.count - 1].keepsAll = taste == .complete
            wants[link.key] = want
        }
    }
}

extension Format {
    /// Whether enough is known to say that a node cannot work with it.
    fileprivate var isConcrete: Bool {
        switch self {
        case .events: true
        case .frames(let frames): frames.pixel != nil && frames.size != nil
        case .packets(let packets):
            packets.coding.map { packets.isAudio || $0 == .empty || packets.size != nil } ?? false
        }
    }
}
