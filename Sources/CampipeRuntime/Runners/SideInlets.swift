import CampipeKit

/// The links of a node that are aligned to its main input: a join's sides, then the events of its `when`; with what was
/// taken from them and waits for its primary item.
struct SideInlets {
    private(set) var inlets: [Inlet] = []
    /// How many inputs the descriptor has; from there on they are clauses of `when`.
    private let inputs: Int

    init(inputs: Int) { self.inputs = inputs }

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
                    guard case .end = control else { continue }
                    inlets[index].hasEnded = true
                    if inlets[index].input >= inputs, !inlets[index].link.isReplaced {
                        ended.append(inlets[index].input - inputs)
                    }
                }
                if let item = inlets[index].batch.takeItem() { inlets[index].pending.append(item) }
            }
        }
        return ended
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
