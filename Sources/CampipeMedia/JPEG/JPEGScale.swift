package import CampipeKit

/// How much of a JPEG is decoded: each step halves both sides at a fraction of the work.
package enum JPEGScale: Int, Sendable, CaseIterable {
    case full = 1
    case half = 2
    case quarter = 4
    case eighth = 8

    /// The strongest reduction whose picture is still at least `maxWidth` wide; all of it where the JPEG is smaller.
    ///
    /// - Parameter maxWidth: Pixels across that the consumer needs; nil needs all.
    package init(of size: Size, forWidth maxWidth: Int?) {
        guard let maxWidth else {
            self = .full
            return
        }
        self = Self.allCases.last { $0.size(of: size).width >= maxWidth } ?? .full
    }

    /// The size of the reduced picture; sides are rounded up, as TurboJPEG does.
    package func size(of size: Size) -> Size {
        Size((size.width + rawValue - 1) / rawValue, (size.height + rawValue - 1) / rawValue)
    }
}
