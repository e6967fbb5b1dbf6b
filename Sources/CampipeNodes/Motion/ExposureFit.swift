/// What the levels of one picture become in the next when only the light or the exposure changed, and the noise.
///
/// The median differences of the darker and of the brighter half make a line, so that an offset and a gain are followed
/// together; medians, so that a mover in less than half of either does not matter. From one picture to the next a mover
/// changes little even if it fills the picture in the end.
struct ExposureFit: Sendable {
    /// The expected level of each level before.
    private(set) var expected = [UInt8](repeating: 0, count: 256)
    /// The standard deviation of one picture's noise, in levels.
    private(set) var noise = 0.0
    /// Whether the light changed at all.
    private(set) var isShifted = false

    // Counts of the differences -255…255, of the darker and the brighter half.
    private var counts = [Int32](repeating: 0, count: 1024)
    private var levels = [Int32](repeating: 0, count: 256)

    /// About so many cells are enough.
    private static let sample = 8192

    /// - Parameter looked: 1 where cells count.
    mutating func fit(picture: [UInt8], before: [UInt8], looked: [UInt8]) {
        for index in levels.indices { levels[index] = 0 }
        for index in counts.indices { counts[index] = 0 }
        // An odd step meets every column, however many there are.
        let step = max(1, picture.count / Self.sample) | 1
        for index in stride(from: 0, to: before.count, by: step) { levels[Int(before[index])] &+= Int32(looked[index]) }
        let total = levels.reduce(0) { $0 + Int($1) }
        let middle = Self.median(levels[...], total: total)
        for index in stride(from: 0, to: before.count, by: step) where looked[index] != 0 {
            let level = Int(before[index])
            counts[(level > middle ? 512 : 0) + 255 + Int(picture[index]) - level] &+= 1
        }
        let dark = counts[..<511]
        let bright = counts[512..<1023]
        let darkCount = dark.reduce(0) { $0 + Int($1) }
        let darkOffset = Self.median(dark, total: darkCount) - 255
        // A half with few cells tells nothing.
        let brightOffset =
            (total - darkCount) * 8 > total ? Self.median(bright, total: total - darkCount) - 255 : darkOffset
        isShifted = darkOffset != 0 || brightOffset != 0
        let line = Line(levels: levels, middle: middle, offsets: (Double(darkOffset), Double(brightOffset)))
        for level in 0...255 {
            expected[level] = UInt8(max(0, min(255, (Double(level) + line.offset(level)).rounded())))
        }
        measureNoise(around: (darkOffset, brightOffset), total: total)
    }

    /// From the median absolute difference, which a mover in less than half of the picture cannot raise.
    private mutating func measureNoise(around offsets: (dark: Int, bright: Int), total: Int) {
        var within = 0
        for distance in 0...255 {
            for (base, offset) in [(0, offsets.dark), (512, offsets.bright)] {
                for difference in distance == 0 ? [offset] : [offset - distance, offset + distance]
                where (-255...255).contains(difference) {
                    within += Int(counts[base + 255 + difference])
                }
            }
            if within * 2 >= total {
                // Levels are whole: within a distance of 0 lies what differs by less than a half. Two pictures differ
                // by the square root of two of what one has.
                noise = (distance == 0 ? 0.5 : 1.4826 * Double(distance)) / 2.0.squareRoot()
                return
            }
        }
    }

    private static func median(_ counts: ArraySlice<Int32>, total: Int) -> Int {
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += Int(count)
            if seen * 2 >= total, seen > 0 { return index }
        }
        return total == 0 ? 255 : counts.count - 1
    }

    /// The offset of a level, between and beyond the middles of the two halves.
    private struct Line {
        private let start: (level: Double, offset: Double)
        private let slope: Double

        init(levels: [Int32], middle: Int, offsets: (Double, Double)) {
            func mean(_ range: Range<Int>) -> Double? {
                let count = range.reduce(0) { $0 + Int(levels[$1]) }
                return count == 0 ? nil : Double(range.reduce(0) { $0 + Int(levels[$1]) * $1 }) / Double(count)
            }
            let dark = mean(0..<middle + 1) ?? 0
            let bright = mean(middle + 1..<256) ?? dark
            start = (dark, offsets.0)
            // Halves of nearly one level tell an offset, and no gain.
            slope = bright - dark < 12 ? 0 : (offsets.1 - offsets.0) / (bright - dark)
        }

        func offset(_ level: Int) -> Double { start.offset + slope * (Double(level) - start.level) }
    }
}
