import CampipeKit

extension Want {
    /// The least that serves all of them; nil when there are none.
    static func merged(_ wants: [Want]) -> Want? {
        guard var merged = wants.first else { return nil }
        for want in wants.dropFirst() {
            if merged.format != want.format { merged.format = nil }
            merged.maxWidth = larger(merged.maxWidth, want.maxWidth)
            merged.maxHeight = merged.maxHeight.map { max($0, want.maxHeight ?? 0) } ?? want.maxHeight
            merged.maxRate = larger(merged.maxRate, want.maxRate)
            merged.quality = larger(merged.quality, want.quality)
            merged.lumaOnly = merged.lumaOnly && want.lumaOnly
            merged.encodesAgain = merged.encodesAgain && want.encodesAgain
            merged.asItComes = merged.asItComes && want.asItComes
        }
        if merged.maxWidth == nil { merged.maxHeight = nil }
        return merged
    }

    private static func larger<T: Comparable>(_ left: T?, _ right: T?) -> T? {
        guard let left, let right else { return nil }
        return max(left, right)
    }

    /// At most `limit` different ones, apart from the rate: what comes later gets the nearest of those before.
    ///
    /// Nearest is one of the same format, then the smallest that is no narrower than asked, else the widest. One that
    /// takes it as it comes is no variant: nothing is made for it alone.
    ///
    /// - Parameter untouched: What comes without anything being made, as a camera's own JPEGs do: it is always there, and
    ///   is no variant either; nil where all is made.
    static func bounded(
        _ wants: [(id: Demand.ID, want: Want)], to limit: Int, untouched: Format? = nil
    ) -> [(id: Demand.ID, want: Want)] {
        var variants: [Want] = []
        return wants.map { id, want in
            var shape = want
            shape.maxRate = nil
            let isMade = shape.format != untouched || shape.maxWidth != nil || shape.encodesAgain || untouched == nil
            if !shape.asItComes, isMade, !variants.contains(shape) {
                if variants.count < limit {
                    variants.append(shape)
                } else {
                    var there = variants
                    if let untouched, shape.format == untouched {
                        there.append(Want(untouched, quality: shape.quality, input: shape.input))
                    }
                    shape = there.min { shape.distance(to: $0) < shape.distance(to: $1) } ?? shape
                }
            }
            shape.maxRate = want.maxRate
            return (id, shape)
        }
    }

    private func distance(to other: Want) -> (Int, Int, Int, Int) {
        let width = other.maxWidth ?? 1 << 20
        let asked = maxWidth ?? 1 << 20
        return (
            format == other.format ? 0 : 1, !lumaOnly && other.lumaOnly ? 1 : 0, width < asked ? 1 : 0,
            abs(width - asked) * 128 + abs((quality ?? 80) - (other.quality ?? 80))
        )
    }
}
