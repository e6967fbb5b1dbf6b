import CampipeKit

/// When to say that links lost what their consumer is to keep: at once, then less and less often, never twice in 10 s, and
/// at the end what was not said yet. A value without clock.
struct LossNote: Sendable {
    private var seenCount = 0
    private var nextLook = Instant.distantPast
    private var note = RecurringNote(every: .seconds(10))

    /// What is to be said now of these links, if anything.
    ///
    /// - Parameter isLast: Whether there is no other time to say it.
    /// - Returns: How many items were lost since it was last said, and all the reasons, by their names.
    mutating func told(_ links: [Link], at now: Instant, isLast: Bool) -> (count: Int, reasons: String)? {
        guard isLast || now >= nextLook else { return nil }
        nextLook = now + .seconds(1)
        let losses = links.flatMap(\.losses)
        let new = losses.reduce(0) { $0 + $1.count } - seenCount
        seenCount += new
        let said = new > 0 ? note.happened(new, at: now) : nil
        guard let count = said ?? (isLast && note.untold > 0 ? note.untold : nil) else { return nil }
        var reasons: [String] = []
        for (reason, _) in losses where !reasons.contains(reason.name) { reasons.append(reason.name) }
        return (count, reasons.joined(separator: ","))
    }
}
