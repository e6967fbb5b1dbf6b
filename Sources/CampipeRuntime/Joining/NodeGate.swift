import CampipeKit

/// A node's `when` at work: takes the events that its clauses look at from the sides, and tells what changes by them
/// and which items they let through.
///
/// A value; who keeps it has the changes done, in order.
struct NodeGate {
    /// Whether the node has a `when`.
    let isUsed: Bool
    private let isLive: Bool
    private let keepsHistory: Bool
    private var state: GateState
    /// Up to when the main input is known to bring nothing, where events have not been applied up to then.
    private var gapThrough: Instant?

    /// - Parameter keepsHistory: The node takes all, and is told of the changes.
    init(_ clauses: [WhenClause], isLive: Bool, keepsHistory: Bool) {
        isUsed = !clauses.isEmpty
        self.isLive = isLive
        self.keepsHistory = keepsHistory
        state = GateState(clauses, isLive: isLive)
    }

    /// Whether what comes now is for the node.
    var admits: Bool { state.isOpen || keepsHistory }

    /// When the gate has to look again if nothing is heard.
    var nextExpiry: Instant? { state.nextExpiry }

    /// The main input has nothing up to then.
    mutating func gapCame(through: Instant) { gapThrough = through }

    /// Applies the events that were taken from the sides, which are those up to `captured`.
    mutating func advance(to captured: Instant, _ sides: inout SideInlets) -> [GateChange] {
        apply(&sides) + state.advance(to: captured)
    }

    /// What was active in clauses whose streams ended is over.
    mutating func end(_ clauses: [Int], at instant: Instant, _ sides: inout SideInlets) -> [GateChange] {
        guard !clauses.isEmpty else { return [] }
        return apply(&sides) + clauses.flatMap { state.end(clause: $0, at: instant) }
    }

    /// Lets events change the gate while no item comes: a lost camera must not leave a clip open, and a closed node is
    /// brought nothing until its gate opens.
    ///
    /// - Parameter takesAll: Whether all events there are may go: no item waits, and the node is live or gets none any
    ///   more.
    mutating func advanceAlone(
        _ sides: inout SideInlets, takesAll: Bool, clock: any PipelineClock
    ) -> [GateChange] {
        var changes = isLive ? [] : advanceOverGap(&sides, clock: clock)
        guard takesAll else { return changes }
        let ended = sides.collect(upTo: .distantFuture, gatesOnly: true, clock: clock)
        changes += apply(&sides) + end(ended, at: clock.now, &sides)
        if isLive { changes += state.advance(to: clock.now) }
        return changes
    }

    /// What is not live goes by its own time: once all events up to a gap have come, they need not wait for an item.
    private mutating func advanceOverGap(_ sides: inout SideInlets, clock: any PipelineClock) -> [GateChange] {
        guard let through = gapThrough, sides.haveEventsPassed(through) else { return [] }
        gapThrough = nil
        let ended = sides.collect(upTo: through, gatesOnly: true, clock: clock)
        return end(ended, at: through, &sides) + apply(&sides)
    }

    private mutating func apply(_ sides: inout SideInlets) -> [GateChange] {
        sides.takeEvents().flatMap { state.fold($0.event, clause: $0.clause) }
    }
}
