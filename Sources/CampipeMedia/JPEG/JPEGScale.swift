package import CampipeKit

/// How much smaller a JPEG is decoded, in eighths of its sides: what is left out need not be computed.
package enum JPEGScale: Int, Sendable, CaseIterable {
    case full = 8
    case half = 4
    case threeEighths = 3
    case quarter = 2
    case eighth = 1

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
        Size((size.width * rawValue + 7) / 8, (size.height * rawValue + 7) / 8)
    }
}
