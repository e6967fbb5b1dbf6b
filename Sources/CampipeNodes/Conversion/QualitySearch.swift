/// Finds the quality at which JPEGs fit into a number of bytes, picture by picture, as a value.
///
/// It begins with what fitted last, makes a few tries for a picture that does not fit, and rises slowly while there is
/// room. The same sizes give the same qualities.
struct QualitySearch: Sendable {
    enum Verdict: Hashable, Sendable {
        case fits
        /// It is to be encoded again, at this quality.
        case again(Int)
        /// It does not fit at the lowest one either.
        case hopeless
    }

    /// Tries of a picture; the last is at the lowest quality.
    static let maxTries = 6

    private let limit: Int
    private let ceiling: Int
    private var tries = 0
    /// What the next picture begins with.
    private(set) var quality: Int

    /// - Parameters:
    ///   - limit: Bytes that a picture may have.
    ///   - ceiling: The best quality, 1…100, and the first one.
    init(limit: Int, ceiling: Int) {
        self.limit = limit
        self.ceiling = ceiling
        quality = ceiling
    }

    /// Tells what became of a try at `quality`.
    mutating func tried(_ bytes: Int) -> Verdict {
        tries += 1
        if bytes <= limit {
            if tries == 1, bytes * 10 < limit * 8 { quality = min(ceiling, quality + 2) }
            tries = 0
            return .fits
        }
        guard quality > 1, tries < Self.maxTries else {
            tries = 0
            return .hopeless
        }
        // Half the bytes take about three fifths of the quality; a little less, so that a second try is the last mostly.
        let share = 0.9 * Double(limit) / Double(bytes)
        let next = Int(Double(quality) * (0.2 + 0.8 * share))
        switch Self.maxTries - tries {
        case 1: quality = 1
        case 2: quality = max(1, min(next, quality / 2))
        default: quality = max(1, min(next, quality - 1))
        }
        return .again(quality)
    }
}
