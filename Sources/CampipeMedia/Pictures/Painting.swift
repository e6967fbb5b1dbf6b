package import CampipeKit

/// Something to be painted onto a frame, as a value; places are pixels of the frame, what lies outside is cut off.
package enum Painting: Hashable, Sendable {
    /// A filled rectangle.
    case fill(PixelRect, RGBColor, opacity: Double)
    /// A rectangle's border, inside of it.
    case box(PixelRect, RGBColor, thickness: Int, opacity: Double)
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
        case .text(let mask, let x, let y, let color, let outline, let opacity):
            let place = PixelRect(x: x, y: y, width: mask.width, height: mask.height)
            if let outline, !mask.outline.isEmpty {
                Blender(outline, opacity, frame.format).blend(mask.outline, at: place, on: &frame)
            }
            Blender(color, opacity, frame.format).blend(mask.coverage, at: place, on: &frame)
        }
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
