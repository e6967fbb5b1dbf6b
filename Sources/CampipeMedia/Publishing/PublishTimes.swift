import CampipeKit

/// The times of one stream as they are sent: from the first packet that was ever published on, so that they go on behind
/// a new connection. A value.
struct PublishTimes: Sendable {
    private let origin: MediaTime
    private let timebase: Timebase
    private var last: Int64?

    /// - Parameters:
    ///   - origin: What becomes 0.
    ///   - timebase: What the times are sent in.
    init(origin: MediaTime, timebase: Timebase) {
        self.origin = origin
        self.timebase = timebase
    }

    /// The times of the next packet in decoding order: decoding times grow, and none is before 0; no picture is shown
    /// before it is decoded.
    ///
    /// - Returns: nil where they do not fit.
    mutating func place(pts: MediaTime, dts: MediaTime) -> (pts: Int64, dts: Int64)? {
        guard let zero = origin.rescaled(to: timebase)?.ticks, let shown = pts.rescaled(to: timebase)?.ticks,
            let decoded = dts.rescaled(to: timebase)?.ticks
        else { return nil }
        let decoding = max(decoded - zero, last.map { $0 + 1 } ?? 0)
        last = decoding
        return (max(shown - zero, decoding), decoding)
    }
}
