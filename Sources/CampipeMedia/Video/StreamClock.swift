import CampipeKit

/// Gives each packet of a file a presentation and a decoding time, where some are missing or go back.
///
/// A value without a clock: ticks in, ticks out.
struct StreamClock {
    private let step: Int64
    /// A second.
    private let jump: Int64
    private var last: Int64?
    /// What is added to the file's own times, since it began anew on the way.
    private var offset: Int64 = 0

    init(_ format: PacketFormat) {
        let base = Double(format.timebase.denominator) / Double(format.timebase.numerator)
        jump = max(1, Int64(base.rounded()))
        step = max(1, Int64((base / (format.rate ?? 25)).rounded()))
    }

    /// The times of the next packet in decoding order.
    ///
    /// A decoding time that goes back by more than a second begins anew, as where two transport streams were put one
    /// behind the other: from there on all times go on behind those before.
    ///
    /// - Returns: A decoding time after the last one, and a presentation time that is not before it where it had to be
    ///   made up.
    mutating func place(pts: Int64?, dts: Int64?, duration: Int64) -> (pts: Int64, dts: Int64) {
        let expected = last.map { $0 &+ (duration > 0 ? duration : step) } ?? 0
        var decoding = (dts ?? pts).map { $0 &+ offset } ?? expected
        if let last, decoding < last &- jump {
            offset &+= expected &- decoding
            decoding = expected
        }
        if let last, decoding <= last { decoding = last &+ 1 }
        last = decoding
        return (pts.map { $0 &+ offset } ?? decoding, decoding)
    }
}
