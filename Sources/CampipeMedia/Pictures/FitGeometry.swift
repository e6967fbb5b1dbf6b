package import CampipeKit

/// How a picture is put into another shape.
package enum Fit: String, Sendable, CaseIterable {
    /// All of the picture, with bars where the shapes differ.
    case contain
    /// All of the target, with what sticks out cut off.
    case cover
    /// All of both; the picture is skewed where the shapes differ.
    case stretch
}

/// A rectangle of whole pixels from the top left.
package struct PixelRect: Hashable, Sendable {
    /// Columns to its left.
    package var x: Int
    /// Rows above it.
    package var y: Int
    /// Its columns.
    package var width: Int
    /// Its rows.
    package var height: Int

    /// A rectangle by its top left corner and its size.
    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of a picture.
    package init(_ size: Size) { self.init(x: 0, y: 0, width: size.width, height: size.height) }

    /// Its columns and rows.
    package var size: Size { Size(width, height) }
}

/// Which part of a picture goes to which part of another: a value, no pixels.
///
/// Both parts lie inside their pictures, are at least one pixel, and begin at even columns and rows, so that the colour
/// of subsampled formats stays in place.
package struct FitGeometry: Hashable, Sendable {
    /// What is taken.
    package let source: PixelRect
    /// Where it goes; what is around it are bars.
    package let target: PixelRect

    /// How a picture of one size is put into another.
    package init(from source: Size, to target: Size, _ fit: Fit) {
        self.source =
            fit == .cover ? Self.inner(ratio: target, within: source) : PixelRect(source)
        self.target =
            fit == .contain ? Self.inner(ratio: source, within: target) : PixelRect(target)
    }

    /// The largest rectangle of a shape in the middle of a picture.
    private static func inner(ratio: Size, within size: Size) -> PixelRect {
        // Compare width/height as cross products; no rounding decides which side touches.
        if ratio.width * size.height >= ratio.height * size.width {
            let height = even(size.width * ratio.height, over: ratio.width, limit: size.height)
            return PixelRect(x: 0, y: (size.height - height) / 2 & ~1, width: size.width, height: height)
        }
        let width = even(size.height * ratio.width, over: ratio.height, limit: size.width)
        return PixelRect(x: (size.width - width) / 2 & ~1, y: 0, width: width, height: size.height)
    }

    /// The nearest even number to a quotient, at least two, or all there is.
    private static func even(_ dividend: Int, over divisor: Int, limit: Int) -> Int {
        let rounded = (dividend + divisor) / (2 * divisor) * 2
        return rounded >= limit || limit - rounded == 1 && dividend == limit * divisor
            ? limit : max(min(2, limit), rounded)
    }
}
