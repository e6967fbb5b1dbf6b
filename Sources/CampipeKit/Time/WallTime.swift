/// A point in the world's time: microseconds since 1970-01-01 00:00 UTC.
///
/// Only names, texts and metadata use it. Nothing is scheduled by it, since it jumps.
public struct WallTime: Hashable, Comparable, Sendable {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// A time so much later.
    public static func + (time: WallTime, duration: Duration) -> WallTime {
        WallTime(microseconds: time.microseconds &+ duration.nanoseconds / 1000)
    }

    /// How much later the left one is; less than zero where it is earlier.
    public static func - (left: WallTime, right: WallTime) -> Duration {
        .microseconds(left.microseconds &- right.microseconds)
    }

    /// Seconds since 1970, as Unix counts them.
    public var unixSeconds: Double { Double(microseconds) / 1e6 }
}
