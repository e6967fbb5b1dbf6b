package import CampipeKit

/// Folds the events that a node's `when` looks at into one answer: open while any event that counts is active.
///
/// It recovers from any loss by the repeats: one that begins late opens late, and on what is live an event that is not
/// repeated for 5 s counts as ended. A value: the caller tells it the time of the pipeline's line.
package struct GateState: Sendable {
    /// How long a live event stays active without being said again.
    package static let expiry = Duration.seconds(5)

    private struct Happening: Hashable {
        var clause: Int
        var id: String
    }

    private let clauses: [WhenClause]
    private let isLive: Bool
    /// What is active, and when it was last heard of.
    private var active: [Happening: Instant] = [:]
    private var lastChange = Instant.distantPast

    /// - Parameter isLive: Whether what the node takes is live.
    package init(_ clauses: [WhenClause], isLive: Bool) {
        self.clauses = clauses
        self.isLive = isLive
    }

    package var isOpen: Bool { !active.isEmpty }

    /// When the gate has to look again if nothing is heard; nil while closed, and of what is not live.
    package var nextExpiry: Instant? {
        guard isLive, let oldest = active.values.min() else { return nil }
        return oldest + Self.expiry
    }

    /// Takes an event that came for a clause, by the clause's index.
    ///
    /// - Returns: What changes by it, in order: nothing mostly; of an event without a length both ways at once.
    package mutating func fold(_ event: Event, clause: Int) -> [GateChange] {
        let happening = Happening(clause: clause, id: event.id)
        switch event.phase {
        case .ended:
            guard active.removeValue(forKey: happening) != nil, active.isEmpty else { return [] }
            return [change(to: false, at: event.captured, event)]
        case .began:
            if let heard = active[happening] {
                active[happening] = max(heard, event.captured)
                return []
            }
            guard clauses[clause].counts(event) else { return [] }
            let wasOpen = isOpen
            active[happening] = event.captured
            return wasOpen ? [] : [change(to: true, at: event.captured, event)]
        case .happened:
            guard !isOpen, clauses[clause].counts(event) else { return [] }
            return [change(to: true, at: event.captured, event), change(to: false, at: event.captured, event)]
        }
    }

    /// Lets live events end that were not repeated.
    package mutating func advance(to now: Instant) -> [GateChange] {
        guard isLive, isOpen else { return [] }
        let last = active.values.max().map { $0 + Self.expiry } ?? now
        active = active.filter { $0.value + Self.expiry > now }
        return isOpen ? [] : [change(to: false, at: last, nil)]
    }

    /// A clause's stream ended: what was active there is over.
    package mutating func end(clause: Int, at now: Instant) -> [GateChange] {
        guard isOpen else { return [] }
        active = active.filter { $0.key.clause != clause }
        return isOpen ? [] : [change(to: false, at: now, nil)]
    }

    /// Changes never go backwards in time, whatever order the clauses' streams came in.
    private mutating func change(to isOpen: Bool, at captured: Instant, _ event: Event?) -> GateChange {
        lastChange = max(lastChange, captured)
        return GateChange(isOpen: isOpen, at: lastChange, event: event)
    }
}

extension WhenClause {
    /// Whether an event is of the classes and as sure as asked; what is in its boxes counts too.
    func counts(_ event: Event) -> Bool {
        if classes.isEmpty, minScore == nil { return true }
        return isMet(event.detectedClass, event.score) || event.boxes.contains { isMet($0.label, $0.score) }
    }

    private func isMet(_ name: String?, _ score: Double?) -> Bool {
        if !classes.isEmpty {
            guard let name, classes.contains(name) else { return false }
        }
        return minScore.map { (score ?? -1) >= $0 } ?? true
    }
}
