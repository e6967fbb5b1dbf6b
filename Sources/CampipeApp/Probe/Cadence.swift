import CampipeKit

/// How often a camera gives pictures, by when they came. A value.
///
/// The first one says nothing: many cameras have it ready, and the next may come at any moment of their own time. Nor do
/// some that come all at once, as at the end of a short answer.
struct Cadence: Sendable {
    /// How long it is looked at.
    private static let measuring = Duration.seconds(2)
    private static let shortest = Duration.milliseconds(200)

    private var first: Instant?
    private var second: (at: Instant, count: Int)?
    private var last: (at: Instant, count: Int)?

    /// Takes how many pictures have come by now.
    mutating func came(_ count: Int, at instant: Instant) {
        guard count > last?.count ?? 0 else { return }
        if first == nil { first = instant } else if second == nil { second = (instant, count) }
        last = (instant, count)
    }

    /// When it has been measured long enough, if pictures come as they should; nil before the first one.
    var due: Instant? { first.map { $0 + Self.measuring } }

    func isEnough(_ now: Instant) -> Bool { fps != nil && due.map { now >= $0 } ?? false }

    /// Pictures a second; nil while that is not known.
    var fps: Double? {
        guard let second, let last, last.at - second.at >= Self.shortest else { return nil }
        return Double(last.count - second.count) / (last.at - second.at).seconds
    }
}
