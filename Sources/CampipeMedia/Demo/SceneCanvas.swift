import CampipeKit

/// A red, green and blue picture that a demo scene's background is drawn on, with soft edges.
///
/// Coordinates are in heights of the picture, x from the middle, y from the top, so that a scene fits every shape.
struct SceneCanvas {
    struct Color {
        var r: Float
        var g: Float
        var b: Float
        init(_ r: Float, _ g: Float, _ b: Float) { (self.r, self.g, self.b) = (r, g, b) }

        func mixed(_ other: Color, _ part: Float) -> Color {
            Color(r + (other.r - r) * part, g + (other.g - g) * part, b + (other.b - b) * part)
        }
    }

    struct Point {
        var x: Float
        var y: Float
        init(_ x: Float, _ y: Float) { (self.x, self.y) = (x, y) }
    }

    let size: Size
    /// Red, green, blue, 0…255, row by row.
    private(set) var pixels: [UInt8]

    init(_ size: Size) {
        self.size = size
        pixels = [UInt8](repeating: 0, count: size.pixels * 3)
    }

    private var unit: Float { Float(size.height) }

    /// A colour that changes from top to bottom.
    mutating func gradient(_ left: Float, _ top: Float, _ right: Float, _ bottom: Float, _ from: Color, _ to: Color) {
        paint(left, top, right, bottom, alpha: 1) { _, y in
            (1, from.mixed(to, min(1, max(0, (y - top) / (bottom - top)))))
        }
    }

    mutating func rect(
        _ left: Float, _ top: Float, _ right: Float, _ bottom: Float, _ color: Color, alpha: Float = 1
    ) {
        let unit = unit
        paint(left, top, right, bottom, alpha: alpha) { x, y in
            let inside = min(min(x - left, right - x), min(y - top, bottom - y))
            return (inside * unit + 0.5, color)
        }
    }

    mutating func ellipse(_ center: Point, _ rx: Float, _ ry: Float, _ color: Color, alpha: Float = 1) {
        let unit = unit
        paint(center.x - rx, center.y - ry, center.x + rx, center.y + ry, alpha: alpha) { x, y in
            let dx = (x - center.x) / rx
            let dy = (y - center.y) / ry
            return ((1 - (dx * dx + dy * dy).squareRoot()) * min(rx, ry) * unit + 0.5, color)
        }
    }

    /// A convex shape, its corners clockwise as seen.
    mutating func convex(_ corners: [Point], _ color: Color, alpha: Float = 1) {
        var edges: [(nx: Float, ny: Float, at: Float)] = []
        var (left, top, right, bottom) = (Float.infinity, Float.infinity, -Float.infinity, -Float.infinity)
        for (index, a) in corners.enumerated() {
            let b = corners[(index + 1) % corners.count]
            let length = max(1e-6, ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot())
            let (nx, ny) = (-(b.y - a.y) / length, (b.x - a.x) / length)
            edges.append((nx, ny, nx * a.x + ny * a.y))
            (left, top) = (min(left, a.x), min(top, a.y))
            (right, bottom) = (max(right, a.x), max(bottom, a.y))
        }
        let unit = unit
        paint(left, top, right, bottom, alpha: alpha) { x, y in
            var inside = Float.infinity
            for edge in edges { inside = min(inside, edge.nx * x + edge.ny * y - edge.at) }
            return (inside * unit + 0.5, color)
        }
    }

    /// Blends a box of pixels by a function of the place: coverage (cut to 0…1) and colour.
    private mutating func paint(
        _ left: Float, _ top: Float, _ right: Float, _ bottom: Float, alpha: Float,
        _ shade: (Float, Float) -> (Float, Color)
    ) {
        let middle = Float(size.width) / 2
        let firstColumn = max(0, Int(left * unit + middle) - 1)
        let firstRow = max(0, Int(top * unit) - 1)
        let columns = firstColumn..<max(firstColumn, min(size.width, Int(right * unit + middle) + 2))
        let rows = firstRow..<max(firstRow, min(size.height, Int(bottom * unit) + 2))
        let (width, unit) = (size.width, unit)
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            for row in rows {
                let y = (Float(row) + 0.5) / unit
                for column in columns {
                    let x = (Float(column) + 0.5 - middle) / unit
                    let (coverage, color) = shade(x, y)
                    if coverage <= 0 { continue }
                    let part = min(1, coverage) * alpha
                    let at = (row * width + column) * 3
                    unsafe pixels[at] = Self.blend(pixels[at], color.r, part)
                    unsafe pixels[at + 1] = Self.blend(pixels[at + 1], color.g, part)
                    unsafe pixels[at + 2] = Self.blend(pixels[at + 2], color.b, part)
                }
            }
        }
    }

    private static func blend(_ under: UInt8, _ over: Float, _ part: Float) -> UInt8 {
        let below = Float(under)
        return UInt8(min(255, max(0, below + (over - below) * part + 0.5)))
    }
}
