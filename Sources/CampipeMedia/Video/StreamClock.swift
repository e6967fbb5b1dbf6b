import CampipeKit

/// Gives each packet of a file a presentation and a decoding time, where some are missing, go back or jump.
///
/// A value without a clock: ticks in, ticks out.
struct StreamClock {
    /// From how far on a time that jumps forward begins anew (FFmpeg's `dts_delta_threshold`).
    static let leap = Duration.seconds(10)

    private let timebase: Timebase
    private let step: Int64
    private let second: Int64
    /// nil where a hole is a hole.
    private let leap: Int64?
    private var order: DecodingTimes
    private var last: Int64?
    /// What is added to the file's own times, since it began anew on the way.
    private var offset: Int64 = 0

    /// - Parameters:
    ///   - reordering: How many pictures may come before one that is shown before them.
    ///   - isDiscontinuous: Whether times may begin anew on the way, as in a transport stream; elsewhere a jump forward
    ///     is a hole, in which nothing was recorded.
    init(_ format: PacketFormat, reordering: Int = 0, isDiscontinuous: Bool = false) {
        let base = Double(format.timebase.denominator) / Double(format.timebase.numerator)
        timebase = format.timebase
        second = max(1, Int64(base.rounded()))
        step = max(1, Int64((base / (format.rate ?? 25)).rounded()))
        leap = isDiscontinuous ? MediaTime(Self.leap).rescaled(to: format.timebase)?.ticks : nil
        order = DecodingTimes(step: step)
        order.learn(reordering)
    }

    /// How much later than in the file all times are now.
    var moved: MediaTime { MediaTime(ticks: offset, timebase: timebase) }

    /// The times of the next packet in decoding order.
    ///
    /// A decoding time that goes back by more than a second begins anew, as where two transport streams were put one
    /// behind the other, and so does one that jumps forward by more than `leap`, where the container allows that: from
    /// there on all times go on behind those before. Decoding times that a file lacks (Matroska keeps none) are the
    /// presentation times in their order.
    ///
    /// - Parameter known: How much later the file's other streams are since they began anew: so they stay together.
    /// - Returns: A decoding time after the last one, and a presentation time that is not before it where it had to be
    ///   made up.
    mutating func place(
        pts: Int64?, dts: Int64?, duration: Int64, moved known: MediaTime? = nil
    ) -> (pts: Int64, dts: Int64) {
        let expected = last.map { $0 &+ (duration > 0 ? duration : step) } ?? 0
        let sorted = pts.map { sort($0) }
        let own = dts ?? sorted
        var decoding = own.map { $0 &+ offset } ?? expected
        if let own, let last, isBeginning(decoding, after: last) {
            if let known = known?.rescaled(to: timebase)?.ticks, !isBeginning(own &+ known, after: last) {
                offset = known
                decoding = own &+ known
            } else {
                offset &+= expected &- decoding
                decoding = expected
            }
        }
        if let last, decoding <= last { decoding = last &+ 1 }
        last = decoding
        return (pts.map { $0 &+ offset } ?? decoding, decoding)
    }

    private func isBeginning(_ decoding: Int64, after last: Int64) -> Bool {
        decoding < last &- second || leap.map { decoding &- last > $0 } ?? false
    }

    /// The decoding time of a picture that has none.
    private mutating func sort(_ pts: Int64) -> Int64 {
        let found = order.place(pts)
        // Behind a jump nothing is known of what comes.
        guard (pts &- found).magnitude > UInt64(max(second, step &* Int64(order.depth + 2))) else { return found }
        let depth = order.depth
        order = DecodingTimes(step: step)
        order.learn(depth)
        return order.place(pts)
    }
}
