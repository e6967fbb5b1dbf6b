import CampipeKit

/// What the place looks like while nothing moves: a level a cell, how restless each cell is, and the camera's noise. A
/// value.
///
/// The background follows the picture slowly: fastest where something stands out and rests (a parked car, the place
/// that something left), slowest around what moves. The unrest of a cell is how far the picture is from the background
/// in all but an eleventh of the time: nothing where people pass now and then, much where leaves sway; there a change
/// must be the larger to count.
struct BackgroundModel: Sendable {
    /// In whole levels.
    private(set) var levels: [UInt8]
    /// By how much a cell must differ.
    private(set) var limits: [UInt8]
    /// The standard deviation of the noise of late, in levels: it rises at once and falls slowly.
    private(set) var noise = 1.0
    /// In 1/256 levels.
    private var fine: [UInt16]
    private var unrest: [UInt16]
    private let threshold: Int
    /// Time that the unrest has not been told of yet.
    private var waiting = Duration.zero

    /// How long the background takes to follow what does not stand out from it, what does, and what does but rests.
    private static let followBackground = 4.0
    private static let followMover = 40.0
    private static let followResting = 6.0
    /// A cell must differ by as many standard deviations of the noise.
    private static let noiseFactor = 5.0
    /// Levels a second by which the unrest rises and falls.
    private static let rise = 2.0
    private static let fall = 0.2

    /// - Parameter threshold: Levels by which a cell must differ at least, whatever the noise.
    init(count: Int, threshold: Int) {
        levels = [UInt8](repeating: 0, count: count)
        limits = [UInt8](repeating: UInt8(clamping: threshold), count: count)
        fine = [UInt16](repeating: 0, count: count)
        unrest = fine
        self.threshold = threshold
    }

    /// By how much a cell at rest must differ.
    var limit: UInt8 { UInt8(min(200, max(Double(threshold), Self.noiseFactor * noise))) }

    /// The unrest of a cell, in levels.
    func unrest(at index: Int) -> UInt8 { UInt8(unrest[index] >> 8) }

    /// Begins anew with a picture: the light was switched. What was restless stays so.
    mutating func begin(_ picture: [UInt8]) {
        for index in fine.indices { fine[index] = UInt16(picture[index]) << 8 }
        noise = 1
        settle()
    }

    /// Begins anew with another place.
    mutating func forget() {
        for index in unrest.indices { unrest[index] = 0 }
        waiting = .zero
    }

    /// Takes the noise and the light of a new picture against the one before; the background follows the light at
    /// once.
    mutating func adapt(to fit: ExposureFit) {
        noise = max(min(fit.noise, 20), noise * 0.95, 0.5)
        if fit.isShifted {
            for index in fine.indices {
                let now = Int(fine[index])
                let shifted = now + (Int(fit.expected[now >> 8]) - (now >> 8)) * 256
                fine[index] = UInt16(max(0, min(65535, shifted)))
            }
        }
        settle()
    }

    /// Learns the first pictures: each of `taken` counts alike.
    mutating func learn(_ picture: [UInt8], taken: Int, resting: [UInt8]) {
        let rate = Int32(65536 / max(taken, 1))
        MotionCells.follow(&fine, picture, state: resting, rates: (rate, rate, rate))
    }

    /// Follows a picture.
    ///
    /// - Parameters:
    ///   - states: 0 where nothing stands out, 1 around movers, 2 where something stands out and rests.
    ///   - interval: Since the picture before.
    mutating func follow(_ picture: [UInt8], states: [UInt8], interval: Duration) {
        waiting += interval
        // Not by each picture of many: a step must be a whole number.
        if waiting >= .milliseconds(100) {
            let seconds = min(waiting.seconds, 2)
            waiting = .zero
            MotionCells.unrest(
                &unrest, picture, levels, rise: UInt16(256 * Self.rise * seconds),
                fall: UInt16(256 * Self.fall * seconds))
        }
        func rate(_ time: Double) -> Int32 { Int32(65536 * min(0.5, interval.seconds / time)) }
        MotionCells.follow(
            &fine, picture, state: states,
            rates: (rate(Self.followBackground), rate(Self.followMover), rate(Self.followResting)))
    }

    /// Makes what is compared with of what is kept.
    private mutating func settle() {
        MotionCells.whole(fine, to: &levels)
        // The noise alone makes some unrest everywhere, and is in the base.
        MotionCells.limits(unrest, base: limit, slack: UInt8(2 * noise + 1), to: &limits)
    }
}
