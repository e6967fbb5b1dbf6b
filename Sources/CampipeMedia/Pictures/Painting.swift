package import CampipeKit

/// Something to be painted onto a frame, as a value; places are pixels of the frame, what lies outside is cut off.
package enum Painting: Hashable, Sendable {
    /// A filled rectangle.
    case fill(PixelRect, RGBColor, opacity: Double)
    /// A rectangle's border, inside of it.
    case box(PixelRect, RGBColor, thickness: Int, opacity: Double)
    /// A straight line between two places, the middle of `thickness`.
    case line(from: PixelPoint, to: PixelPoint, RGBColor, thickness: Int, opacity: Double)
    /// A line of text, its mask's top left corner at x, y; with an outline under it where the mask has one.
    case text(TextMask, x: Int, y: Int, RGBColor, outline: RGBColor?, opacity: Double)

    /// Blends it into the frame's planes, in place: pixels that nobody else holds are not copied.
    ///
    /// The colour is converted with the frame's own range and matrix; a grey frame takes its luma.
    package func paint(on frame: inout Frame) {
        switch self {
        case .fill(let rect, let color, let opacity):
            Blender(color, opacity, frame.format).fill(rect, on: &frame)
        case .box(let rect, let color, let thickness, let opacity):
            let blender = Blender(color, opacity, frame.format)
            for side in Self.sides(of: rect, thickness) { blender.fill(side, on: &frame) }
        case .line(let start, let end, let color, let thickness, let opacity):
            let blender = Blender(color, opacity, frame.format)
            for part in Self.parts(from: start, to: end, thickness) { blender.fill(part, on: &frame) }
        case .text(let mask, let x, let y, let color, let outline, let opacity):
            let place = PixelRect(x: x, y: y, width: mask.width, height: mask.height)
            if let outline, !mask.outline.isEmpty {
                Blender(outline, opacity, frame.format).blend(mask.outline, at: place, on: &frame)
            }
            Blender(color, opacity, frame.format).blend(mask.coverage, at: place, on: &frame)
        }
    }

    /// A line as rectangles side by side, each as long as the line stays in one row or column.
    private static func parts(from start: PixelPoint, to end: PixelPoint, _ thickness: Int) -> [PixelRect] {
        let edge = max(1, thickness)
        let isFlat = abs(end.x - start.x) >= abs(end.y - start.y)
        let (from, to) = (isFlat ? start.x <= end.x : start.y <= end.y) ? (start, end) : (end, start)
        let (run, rise) = isFlat ? (to.x - from.x, to.y - from.y) : (to.y - from.y, to.x - from.x)
        var parts: [PixelRect] = []
        var begin = 0
        func across(_ along: Int) -> Int { run == 0 ? 0 : (2 * rise * along + (rise < 0 ? -run : run)) / (2 * run) }
        for along in 0...run where along == run || across(along + 1) != across(begin) {
            let (first, length, side) = (begin, along - begin + 1, across(begin) - edge / 2)
            parts.append(
                isFlat
                    ? PixelRect(x: from.x + first, y: from.y + side, width: length, height: edge)
                    : PixelRect(x: from.x + side, y: from.y + first, width: edge, height: length))
            begin = along + 1
        }
        return parts
    }

    /// The four strips of a border, none over another.
    private static func sides(of rect: PixelRect, _ thickness: Int) -> [PixelRect] {
        let edge = max(1, thickness)
        guard rect.width > 2 * edge, rect.height > 2 * edge else { return [rect] }
        let inner = rect.height - 2 * edge
        return [
            PixelRect(x: rect.x, y: rect.y, width: rect.width, height: edge),
            PixelRect(x: rect.x, y: rect.y + rect.height - edge, width: rect.width, height: edge),
            PixelRect(x: rect.x, y: rect.y + edge, width: edge, height: inner),
            PixelRect(x: rect.x + rect.width - edge, y: rect.y + edge, width: edge, height: inner),
        ]
    }
}

/// A place in a picture, in whole pixels from the top left.
package struct PixelPoint: Hashable, Sendable {
    /// Columns to its left.
    package var x: Int
    /// Rows above it.
    package var y: Int

    /// A place by its column and row.
    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}
