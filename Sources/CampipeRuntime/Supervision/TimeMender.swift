package import CampipeKit

/// Keeps the times of one output of a source in order: what wraps, jumps or repeats is mended and counted, never fatal.
///
/// dts (of a frame pts) only grow, `captured` never goes back. After the source was opened again, its times go on where
/// they ended, as much later as time passed. A value.
package struct TimeMender: Sendable {
    /// How far a live stream's own clock may run away from the host's before it is taken for a jump.
    package static let jump = Duration.seconds(10)

    /// How many items had a time mended.
    package private(set) var mended = 0
    private var offset = Duration.zero
    private var last: (stream: Duration, captured: Instant)?
    private var isFresh = false

    package init() {}

    /// The source was opened again: its next item begins a new stretch.
    package mutating func reopened() { isFresh = last != nil }

    /// What to do with an item's times.
    package struct Verdict: Hashable, Sendable {
        package var captured: Instant
        /// What to add to pts and dts.
        package var offset: Duration
    }

    /// - Parameters:
    ///   - stream: dts of a packet, pts of a frame, since the stream's zero.
    ///   - captured: When it was captured, as the source says.
    ///   - isLive: Whether `captured` is the host's clock, so that a jump can be told from a pause.
    /// - Returns: nil when the times are right as they are.
    package mutating func mend(stream: Duration, captured: Instant, isLive: Bool) -> Verdict? {
        guard let last else {
            self.last = (stream, captured)
            return nil
        }
        let rightCaptured = max(captured, last.captured)
        let passed = rightCaptured - last.captured
        var rightStream = stream + offset
        let step = rightStream - last.stream
        let runsAway = isLive && (step - passed > Self.jump || passed - step > Self.jump)
        if isFresh || step <= .zero || runsAway {
            rightStream = last.stream + max(passed, .microseconds(1))
            offset = rightStream - stream
            if !isFresh { mended += 1 }
            isFresh = false
        }
        self.last = (rightStream, rightCaptured)
        guard offset != .zero || rightCaptured != captured else { return nil }
        return Verdict(captured: rightCaptured, offset: offset)
    }
}
