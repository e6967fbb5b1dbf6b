package import CampipeKit

/// Turns the 32-bit times of RTP into times that only grow as the light did. A value without clock.
///
/// What wraps goes on (each 13 hours at 90 kHz). A camera that begins anew, jumps, goes back, or says the same time
/// again and again is mended by the time that passed since the picture before, and counted. Pictures that are shown in
/// another order than they are sent go back a little, as far as the stream says.
package struct TimestampMender: Sendable {
    /// How far the camera's clock may run away from ours between two pictures before it is a jump.
    package static let jump = Duration.seconds(10)
    /// How far back a reordered picture may be.
    private static let reordered = Duration.seconds(1)

    /// What was wrong.
    package struct Counts: Hashable, Sendable {
        package var wraps = 0
        package var jumps = 0
        package var constant = 0
        package var backwards = 0
        /// Mended; a wrap is none.
        package var mended: Int { jumps + constant + backwards }

        package init() {}

        /// Adds those of another stream.
        package mutating func add(_ other: Counts) {
            wraps += other.wraps
            jumps += other.jumps
            constant += other.constant
            backwards += other.backwards
        }
    }
    package private(set) var counts = Counts()
    private let rate: Int
    private var last: (raw: UInt32, ticks: Int64, at: Instant)?
    /// The step between the pictures before, for those that come at once.
    private var step: Int64 = 0

    /// - Parameter rate: Ticks a second.
    package init(rate: Int) { self.rate = max(1, rate) }

    /// The time of the next picture in the order of sending, in ticks from the first.
    ///
    /// - Parameters:
    ///   - raw: As it was sent.
    ///   - now: When it arrived.
    ///   - isReordered: Whether the stream may send pictures in another order than they are shown.
    package mutating func mend(_ raw: UInt32, at now: Instant, isReordered: Bool = false) -> Int64 {
        guard let last else {
            last = (raw, 0, now)
            return 0
        }
        let change = Int64(Int32(bitPattern: raw &- last.raw))
        let passed = ticks(now - last.at)
        if isReordered, change < 0, change > -ticks(Self.reordered) { return last.ticks + change }
        let isJump = change - passed > ticks(Self.jump)
        guard change > 0, !isJump else {
            if change == 0 {
                counts.constant += 1
            } else if change > 0 || last.raw < 0x1000_0000 || change < -ticks(Self.jump) {
                counts.jumps += 1
            } else {
                counts.backwards += 1
            }
            // What comes at once is as far apart as what came before.
            let mended = last.ticks + max(passed, step, 1)
            self.last = (raw, mended, now)
            return mended
        }
        if raw < last.raw { counts.wraps += 1 }
        if change < Int64(rate) { step = change }
        self.last = (raw, last.ticks + change, now)
        return last.ticks + change
    }

    private func ticks(_ duration: Duration) -> Int64 {
        Int64((duration.seconds * Double(rate)).rounded(.down))
    }
}
