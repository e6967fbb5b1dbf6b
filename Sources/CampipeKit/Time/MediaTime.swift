/// Seconds per tick of a stream's times, as a fraction: 1/90000 for RTP video (RFC 6184 section 5.1).
public struct Timebase: Hashable, Sendable {
    public let numerator: Int32
    public let denominator: Int32

    /// - Precondition: both are positive.
    public init(_ numerator: Int32, _ denominator: Int32) {
        precondition(numerator > 0 && denominator > 0, "a timebase is positive, found \(numerator)/\(denominator)")
        self.numerator = numerator
        self.denominator = denominator
    }

    /// 1/1,000,000,000 s a tick.
    public static let nanoseconds = Timebase(1, 1_000_000_000)
    /// 1/1,000,000 s a tick.
    public static let microseconds = Timebase(1, 1_000_000)
    /// 1/90,000 s a tick: of video over RTP (RFC 3551, section 5).
    public static let rtpVideo = Timebase(1, 90_000)
}

/// An exact time in a stream: ticks of a timebase.
public struct MediaTime: Hashable, Sendable {
    /// How many ticks of `timebase`.
    public let ticks: Int64
    /// How long a tick is.
    public let timebase: Timebase

    public init(ticks: Int64, timebase: Timebase) {
        self.ticks = ticks
        self.timebase = timebase
    }

    /// The stream time of an instant that counts from the stream's start, in nanoseconds.
    public init(_ sinceStart: Duration) {
        self.init(ticks: sinceStart.nanoseconds, timebase: .nanoseconds)
    }

    /// What becomes of a time between two ticks.
    public enum Rounding: Sendable { case down, nearest }

    /// Converts this time to another timebase.
    ///
    /// The product is formed in 128 bits, so it cannot overflow. `.nearest` rounds halves away from zero, as FFmpeg's
    /// `av_rescale_q` does, so our numbers and FFmpeg's agree to the tick.
    ///
    /// - Parameter timebase: Seconds per tick of the result.
    /// - Returns: The same instant, or nil when it does not fit 64-bit ticks.
    public func rescaled(to other: Timebase, rounding: Rounding = .nearest) -> MediaTime? {
        if other == timebase { return self }
        let factor = Int128(timebase.numerator) * Int128(other.denominator)
        let divisor = Int128(timebase.denominator) * Int128(other.numerator)
        let (product, overflow) = Int128(ticks).multipliedReportingOverflow(by: factor)
        if overflow { return nil }
        let quotient: Int128
        switch rounding {
        case .down:
            let (whole, rest) = product.quotientAndRemainder(dividingBy: divisor)
            quotient = rest < 0 ? whole - 1 : whole
        case .nearest:
            let half = divisor / 2
            quotient = product < 0 ? (product - half) / divisor : (product + half) / divisor
        }
        guard let ticks = Int64(exactly: quotient) else { return nil }
        return MediaTime(ticks: ticks, timebase: other)
    }

    /// This time moved by a duration, rounded to its timebase.
    public func shifted(by offset: Duration) -> MediaTime {
        let ticks = MediaTime(offset).rescaled(to: timebase)?.ticks ?? 0
        return MediaTime(ticks: self.ticks &+ ticks, timebase: timebase)
    }

    /// This time as a duration since the stream's zero, rounded to the nanosecond; it saturates at about 292 years.
    public var duration: Duration {
        .nanoseconds(rescaled(to: .nanoseconds)?.ticks ?? (ticks < 0 ? .min : .max))
    }
}

extension MediaTime: Comparable {
    public static func < (left: MediaTime, right: MediaTime) -> Bool {
        if left.timebase == right.timebase { return left.ticks < right.ticks }
        return Int128(left.ticks) * Int128(left.timebase.numerator) * Int128(right.timebase.denominator)
            < Int128(right.ticks) * Int128(right.timebase.numerator) * Int128(left.timebase.denominator)
    }

    /// Equal times are one time, whatever their timebases: 1/2 s is 45000/90000 s.
    public static func == (left: MediaTime, right: MediaTime) -> Bool { !(left < right) && !(right < left) }

    public func hash(into hasher: inout Hasher) { hasher.combine(duration) }
}
