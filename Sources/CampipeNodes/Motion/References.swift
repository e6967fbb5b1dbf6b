import CampipeKit

/// The pictures of a moment ago, to compare with: two, the younger at least a baseline after the other. A value.
struct References: Sendable {
    private struct Reference: Sendable {
        var at: Instant
        var cells: [UInt8]
    }
    private var kept: [Reference] = []
    private let baseline: Duration

    init(baseline: Duration) { self.baseline = baseline }

    /// The youngest that is a baseline old; else the oldest there is.
    func reference(at captured: Instant) -> (at: Instant, cells: [UInt8])? {
        (kept.last { captured - $0.at >= baseline } ?? kept.first).map { ($0.at, $0.cells) }
    }

    /// Keeps a picture, unless the newest one is younger than a baseline.
    mutating func remember(_ cells: [UInt8], at captured: Instant) {
        if let newest = kept.last, captured - newest.at < baseline { return }
        if kept.count == 2 { kept.removeFirst() }
        kept.append(Reference(at: captured, cells: cells))
    }

    mutating func forget() { kept = [] }
}
