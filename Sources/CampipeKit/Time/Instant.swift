/// A point on the pipeline's own monotonic line, in nanoseconds.
///
/// All streams of a pipeline share one line: `captured` of every item is an `Instant`, so that joins, `when` and
/// pre-roll can compare them. For what is live it is the host's monotonic clock; for a file it is the stream's own time
/// from its start, and no clock is read.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's own zero.
    public var nanoseconds: Int64

    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Where a manual clock begins; of what is not live, the start of its stream.
    public static let zero = Instant(nanoseconds: 0)
    /// Before every other.
    public static let distantPast = Instant(nanoseconds: .min)
    /// After every other.
    public static let distantFuture = Instant(nanoseconds: .max)

    @inlinable public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant `duration` later; it stays at the ends of the line instead of overflowing.
    @inlinable public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return overflow ? (duration < .zero ? .distantPast : .distantFuture) : Instant(nanoseconds: sum)
    }

    /// The instant `duration` earlier; it stays at the ends of the line instead of overflowing.
    @inlinable public static func - (instant: Instant, duration: Duration) -> Instant {
        let (difference, overflow) = instant.nanoseconds.subtractingReportingOverflow(duration.nanoseconds)
        return overflow ? (duration < .zero ? .distantFuture : .distantPast) : Instant(nanoseconds: difference)
    }

    /// How long after `right` this instant is; it saturates at about 292 years.
    @inlinable public static func - (left: Instant, right: Instant) -> Duration {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return .nanoseconds(overflow ? (left < right ? .min : .max) : difference)
    }
}

extension Duration {
    /// This duration in whole nanoseconds, rounded towards zero; it saturates at about 292 years.
    @inlinable public var nanoseconds: Int64 {
        // Up to nine seconds fit 64 bits; a division of 128 bits is a call.
        if let short = Int64(exactly: self.attoseconds) { return short / 1_000_000_000 }
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
    }

    /// This duration in seconds.
    @inlinable public var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
