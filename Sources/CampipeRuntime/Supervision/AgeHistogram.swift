import CampipeKit

/// How old items were when they reached a sink, glass to sink.
///
/// Eight buckets a doubling from 1 µs to about 18 minutes: a percentile is at most an eighth too high, never too low;
/// the largest is exact. Recording is a few instructions and allocates nothing.
package struct AgeHistogram: Sendable {
    private static let perDoubling = 8
    private static let bucketCount = 28 * perDoubling

    private var buckets = [UInt64](repeating: 0, count: bucketCount)
    package private(set) var count: UInt64 = 0
    /// The sum of all ages, in nanoseconds; with `count` for averages.
    package private(set) var nanoseconds: UInt64 = 0
    private var largestNanoseconds: Int64 = 0

    package init() {}

    /// An item of this age arrived; what seems to come from the future counts as 0.
    package mutating func record(_ age: Duration) {
        let age = max(0, age.nanoseconds)
        buckets[Self.bucket(of: age)] += 1
        count += 1
        nanoseconds &+= UInt64(age)
        largestNanoseconds = max(largestNanoseconds, age)
    }

    /// The largest age; nil when there was none.
    package var largest: Duration? { count == 0 ? nil : .nanoseconds(largestNanoseconds) }

    /// The age that this share of all items did not exceed; nil when there was none.
    ///
    /// - Parameter share: 0…1; 0.5 is the median.
    package func percentile(_ share: Double) -> Duration? {
        guard count > 0 else { return nil }
        let rank = max(1, UInt64((Double(count) * share).rounded(.up)))
        var seen: UInt64 = 0
        for (index, bucket) in buckets.enumerated() {
            seen += bucket
            if seen >= rank { return .nanoseconds(min(largestNanoseconds, Self.upperEnd(of: index))) }
        }
        return largest
    }

    /// How many ages were at most so long, at each whole doubling from about 1 ms to 17 s; exact.
    package var doublings: [(atMost: Duration, count: UInt64)] {
        var seen: UInt64 = 0
        var next = 0
        // 2^20 - 1 ns is the end of a bucket, and so is each power of two above, less one.
        return (20...34).map { power in
            let end = Self.bucket(of: (1 << power) - 1)
            while next <= end {
                seen += buckets[next]
                next += 1
            }
            return (.nanoseconds((1 << power) - 1), seen)
        }
    }

    /// Both as one.
    package mutating func merge(_ other: AgeHistogram) {
        for index in buckets.indices { buckets[index] += other.buckets[index] }
        count += other.count
        nanoseconds &+= other.nanoseconds
        largestNanoseconds = max(largestNanoseconds, other.largestNanoseconds)
    }

    /// Units of 1024 ns; below 8 each has its own bucket, above the three bits after the leading one choose.
    private static func bucket(of nanoseconds: Int64) -> Int {
        let units = nanoseconds >> 10
        guard units >= Int64(perDoubling) else { return Int(units) }
        let shift = 63 - units.leadingZeroBitCount - 3
        return min((shift + 1) * perDoubling + Int((units >> shift) & 7), bucketCount - 1)
    }

    /// The largest age that falls into a bucket, in nanoseconds.
    private static func upperEnd(of bucket: Int) -> Int64 {
        guard bucket < bucketCount - 1 else { return .max }
        guard bucket >= perDoubling else { return (Int64(bucket + 1) << 10) - 1 }
        let shift = bucket / perDoubling - 1
        return (Int64(bucket % perDoubling + perDoubling + 1) << Int64(shift + 10)) - 1
    }
}
