import CampipeKit

/// Sets what depends on all consumers of an output: deadlines, rates, what implicit nodes are wanted for.
struct LinkPass {
    private(set) var plan: Plan
    private var wants: [LinkKey: Want]
    private let descriptions: [String: NodeDescription]
    private let places: [NodeKey: Int]
    /// The links into and out of each node, by index.
    private var into: [[Int]]
    private var outOf: [[Int]]

    init(_ built: PlanBuilder, _ order: GraphOrder) {
        plan = built.plan
        wants = built.wants
        descriptions = Dictionary(
            order.nodes.map { ($0.id, $0.description) }, uniquingKeysWith: { first, _ in first })
        places = Dictionary(
            plan.nodes.enumerated().map { ($0.element.key, $0.offset) }, uniquingKeysWith: { first, _ in first })
        into = Array(repeating: [], count: plan.nodes.count)
        outOf = into
        for (index, link) in plan.links.enumerated() {
            if let place = places[link.key.to] { into[place].append(index) }
            if let place = places[link.key.from.node] { outOf[place].append(index) }
        }
        for index in plan.nodes.indices.reversed() { inherit(at: index) }
        limitRates()
        markUnfed()
    }

    // MARK: From the sinks up

    /// Sets the node's deadline, and what its inputs get from it.
    private mutating func inherit(at index: Int) {
        let supervision = description(at: index)?.descriptor.supervision
        let links = outOf[index].filter { plan.links[$0].key.from.port != supervision }
        let open = links.filter { plan.links[$0].isOpen }
        // What nobody wants now has the deadline and the want that it would have.
        let consumers = open.isEmpty ? links : open
        plan.nodes[index].lateAfter = deadline(at: index, consumers)
        if case .implicit = plan.nodes[index].key {
            let want = Want.merged(consumers.compactMap { wants[plan.links[$0].key] })
            plan.nodes[index].want = plan.nodes[index].isWanted ? want : nil
            for link in into[index] { wants[plan.links[link].key] = want }
        }
        for link in into[index] where isTestedForLateness(plan.links[link]) {
            plan.links[link].lateAfter = plan.nodes[index].lateAfter
        }
    }

    /// A sink's own; else the laxest of the consumers', where none is the laxest.
    private func deadline(at index: Int, _ consumers: [Int]) -> Duration? {
        if let description = description(at: index) {
            if let own = description.lateAfter ?? description.descriptor.lateAfter { return own }
        }
        var laxest: Duration?
        for link in consumers {
            guard let place = places[plan.links[link].key.to], let deadline = plan.nodes[place].lateAfter
            else { return nil }
            laxest = max(laxest ?? deadline, deadline)
        }
        return laxest
    }

    /// Live frames and live intra-coded pictures; never what is kept, sound, an event, or what is not live.
    private func isTestedForLateness(_ link: PlannedLink) -> Bool {
        !link.keepsAll && isLive(link) && carriesPicturesThatStandAlone(link)
    }

    // MARK: From the sources down

    /// Sets a rate on the first link that can hold back what nobody behind it wants; on live pictures that stand alone.
    private mutating func limitRates() {
        var arriving = [Double?](repeating: nil, count: plan.nodes.count)
        for index in plan.nodes.indices {
            var most: Double? = 0
            for link in into[index] {
                let came = places[plan.links[link].key.from.node].flatMap { arriving[$0] }
                var admitted = came
                if isLive(plan.links[link]), carriesPicturesThatStandAlone(plan.links[link]),
                    let rate = wants[plan.links[link].key]?.maxRate, rate < came ?? .infinity
                {
                    plan.links[link].maxRate = rate
                    admitted = rate
                }
                guard plan.links[link].key.input == 0 else { continue }
                if let limit = admitted, let before = most { most = max(before, limit) } else { most = nil }
            }
            arriving[index] = most == 0 ? nil : most
        }
    }

    /// Marks the links behind live nodes that are brought nothing, or take nothing now; and those that only tell what
    /// befalls a node, which is told when it happens and never belongs to an item.
    private mutating func markUnfed() {
        for index in plan.links.indices {
            guard case .explicit(let id) = plan.links[index].key.from.node,
                let supervision = descriptions[id]?.descriptor.supervision
            else { continue }
            if plan.links[index].key.from.port == supervision { plan.links[index].isFed = false }
        }
        for index in plan.nodes.indices where plan.nodes[index].isLive {
            let main = into[index].filter { plan.links[$0].key.input == 0 }
            let isFed = main.isEmpty || main.contains { plan.links[$0].isOpen && plan.links[$0].isFed }
            guard !isFed || !plan.nodes[index].isWanted else { continue }
            for link in outOf[index] { plan.links[link].isFed = false }
        }
    }

    // MARK: -

    private func description(at index: Int) -> NodeDescription? {
        if case .explicit(let id) = plan.nodes[index].key { descriptions[id] } else { nil }
    }

    private func isLive(_ link: PlannedLink) -> Bool {
        places[link.key.from.node].map { plan.nodes[$0].isLive } ?? false
    }

    private func carriesPicturesThatStandAlone(_ link: PlannedLink) -> Bool {
        switch plan.outputFormats[link.key.from] {
        case .frames?: true
        case .packets(let packets)?: packets.isIntraCoded && !packets.isAudio
        case .events?, nil: false
        }
    }
}
