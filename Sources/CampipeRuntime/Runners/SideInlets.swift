import CampipeKit

/// The links of a node that are aligned to its main input: a join's sides, then the events of its `when`; with what was
/// taken from them and waits for its primary item.
struct SideInlets {
    private(set) var inlets: [Inlet] = []
    /// How many inputs the descriptor has; from there on they are clauses of `when`.
    private let inputs: Int
    /// Of what waits for the node only the newest of each link is kept.
    private let keepsNewest: Bool
    /// How many gave way to a newer one.
    private var superseded = 0

    init(inputs: Int, keepsNewest: Bool = false) {
        self.inputs = inputs
        self.keepsNewest = keepsNewest
    }

    var isEmpty: Bool { inlets.isEmpty }

    mutating func attach(_ inlet: Inlet) {
        inlets.append(inlet)
        inlets.sort { ($0.input, $0.link.key.position) < ($1.input, $1.link.key.position) }
    }

    mutating func detach(_ inlet: Inlet) { inlets.removeAll { $0 === inlet } }

    /// Lets go of the links that left and brought all they had.
    mutating func dropLeft() {
        inlets.removeAll(where: \.hasLeft)
    }

    mutating func removeAll() { inlets = [] }

    /// Lifts limits of all, or sets them again.
    mutating func setElastic(_ elasticity: LinkQueue.Elasticity) {
        for index in inlets.indices { inlets[index].setElastic(elasticity) }
    }

    /// Moves what was captured up to `captured` to where the next primary item finds it.
    ///
    /// - Parameter gatesOnly: Leaves a join's sides where they are.
    /// - Returns: The clauses of `when` whose events ended.
    mutating func collect(upTo captured: Instant, gatesOnly: Bool = false, clock: any PipelineClock) -> [Int] {
        var ended: [Int] = []
        for index in inlets.indices where !gatesOnly || inlets[index].input >= inputs {
            while inlets[index].refill(limit: TurnBudget.maxItems, through: captured, clock: clock) {
                while let control = inlets[index].batch.takeControl() {
                    if case .gap(let gap) = control, gap.isLost { inlets[index].isLost = true }
                    guard case .end = control else { continue }
                    inlets[index].hasEnded = true
                    if inlets[index].input >= inputs, !inlets[index].link.isReplaced {
                        ended.append(inlets[index].input - inputs)
                    }
                }
                if let item = inlets[index].batch.takeItem() { keep(item, index) }
            }
        }
        return ended
    }

    private mutating func keep(_ item: consuming ItemStorage, _ index: Int) {
        inlets[index].isLost = false
        if keepsNewest, inlets[index].input < inputs, !inlets[index].pending.isEmpty {
            superseded += inlets[index].pending.count
            inlets[index].pending.removeAll(keepingCapacity: true)
        }
        inlets[index].pending.append(item)
    }

    /// Of a mixer: what each reference of its input brought, by its position.
    mutating func takeParts(_ count: Int) -> [Parts.Part] {
        var parts = [Parts.Part](repeating: Parts.Part(), count: count)
        for inlet in inlets where inlet.input < inputs && inlet.link.key.position < count {
            let position = inlet.link.key.position
            if let item = taken(&inlet.pending).last { parts[position].newest = item }
            if inlet.isLeaving || inlet.link.isReplaced { continue }
            parts[position].condition = inlet.hasEnded ? .ended : inlet.isLost ? .lost : .flowing
        }
        return parts
    }

    /// Of a mixer: whether nothing more comes of any reference, and nothing waits.
    var haveEnded: Bool {
        let parts = inlets.filter { $0.input < inputs }
        return !parts.isEmpty
            && parts.allSatisfy { $0.hasEnded && !$0.link.isReplaced && $0.batch.isEmpty && $0.pending.isEmpty }
    }

    /// How many gave way to a newer one since it was asked.
    mutating func takeSuperseded() -> Int {
        defer { superseded = 0 }
        return superseded
    }

    /// The primary has nothing up to then: what was captured before may go once too much waits.
    func spare(through: Instant) {
        for inlet in inlets where inlet.input < inputs { inlet.link.spare(through: through) }
    }

    /// Whether all events have come that the clauses of `when` look at up to then.
    func haveEventsPassed(_ instant: Instant) -> Bool {
        inlets.allSatisfy { $0.input < inputs || $0.progress.hasPassed(instant) }
    }

    /// What waits for the primary item at hand, by the descriptor's inputs.
    mutating func takeItems() -> [[ItemStorage]] {
        var items = [[ItemStorage]](repeating: [], count: inputs)
        for index in inlets.indices where inlets[index].input < inputs {
            items[inlets[index].input].append(contentsOf: taken(&inlets[index].pending))
        }
        for index in items.indices where items[index].count > 1 { items[index].sort { $0.captured < $1.captured } }
        return items
    }

    /// Forgets what waits for a primary item that does not go to the node.
    mutating func dropItems() {
        for index in inlets.indices where inlets[index].input < inputs { inlets[index].pending = [] }
    }

    /// The events that the clauses of `when` look at, in order.
    mutating func takeEvents() -> [(clause: Int, event: Event)] {
        var events: [(clause: Int, event: Event)] = []
        for index in inlets.indices where inlets[index].input >= inputs {
            let clause = inlets[index].input - inputs
            for storage in taken(&inlets[index].pending) { events.append((clause, Event(storage: storage))) }
        }
        if events.count > 1 { events.sort { $0.event.captured < $1.event.captured } }
        return events
    }
}
