import CampipeKit

/// Decides when it is said that pictures were refused: at once, then less and less often (`RecurringNote`) with
/// the count and all reasons since. A value without clock.
struct RefusalNote: Sendable {
    private var note = RecurringNote()
    private var reasons: Set<String> = []

    /// Pictures were refused.
    ///
    /// - Returns: How many were since it was last said, and why, when it is time to say so; nil otherwise.
    mutating func happened(_ reason: String, _ more: Int = 1, at now: Instant) -> (count: Int, reasons: String)? {
        reasons.insert(reason)
        guard let count = note.happened(more, at: now) else { return nil }
        defer { reasons = [] }
        return (count, reasons.sorted().joined(separator: ", "))
    }
}
