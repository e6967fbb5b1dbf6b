import CampipeKit

/// Draws lit strokes into 4:2:0 planes with soft edges.
struct StrokePainter {
    let buffer: PixelBuffer
    let light: PorchLight

    private var unit: Float { Float(buffer.size.height) }

    /// Darkens an ellipse of luma: a shadow.
    func shadow(_ center: SceneCanvas.Point, _ rx: Float, _ ry: Float) {
        let middle = Float(buffer.size.width) / 2
        unsafe buffer.withMutablePlane(0) { base, plane in
            let box = Self.box(
                (center.x - rx) * unit + middle, (center.y - ry) * unit, (center.x + rx) * unit + middle,
                (center.y + ry) * unit, plane)
            for y in box.rows {
                for x in box.columns {
                    let dx = (Float(x) + 0.5 - middle - center.x * unit) / (rx * unit)
                    let dy = (Float(y) + 0.5 - center.y * unit) / (ry * unit)
                    let depth = 1 - (dx * dx + dy * dy)
                    if depth <= 0 { continue }
                    let at = y * plane.stride + x
                    unsafe base[at] = max(14, UInt8(Float(base[at]) * (1 - 0.55 * min(1, depth * 2))))
                }
            }
        }
    }

    /// Draws a stroke in the light that falls on its middle, rounder towards its edges.
    func draw(_ stroke: PorchWalker.Stroke) {
        let (x, y) = ((stroke.from.x + stroke.to.x) / 2, (stroke.from.y + stroke.to.y) / 2)
        let light = light.at(x, max(y, PorchBackground.ground + 0.02))
        let (r, g, b) = (
            min(1, stroke.color.r / 255 * (light.0 + 0.3)), min(1, stroke.color.g / 255 * (light.1 + 0.3)),
            min(1, stroke.color.b / 255 * (light.2 + 0.32))
        )
        let luma = (0.299 * r + 0.587 * g + 0.114 * b) * 255
        fill(stroke, plane: 0, scale: 1, level: luma, rounding: 0.35)
        fill(stroke, plane: 1, scale: 0.5, level: 128 + 0.564 * (b * 255 - luma), rounding: 0)
        fill(stroke, plane: 2, scale: 0.5, level: 128 + 0.713 * (r * 255 - luma), rounding: 0)
    }

    private func fill(_ stroke: PorchWalker.Stroke, plane index: Int, scale: Float, level: Float, rounding: Float) {
        let middle = Float(buffer.size.width) / 2
        let (ax, ay) = ((stroke.from.x * unit + middle) * scale, stroke.from.y * unit * scale)
        let (bx, by) = ((stroke.to.x * unit + middle) * scale, stroke.to.y * unit * scale)
        let (ar, br) = (stroke.fromRadius * unit * scale, stroke.toRadius * unit * scale)
        let (dx, dy) = (bx - ax, by - ay)
        let squared = dx * dx + dy * dy
        let inverse = squared > 0 ? 1 / squared : 0
        unsafe buffer.withMutablePlane(index) { base, plane in
            let box = Self.box(
                min(ax - ar, bx - br), min(ay - ar, by - br), max(ax + ar, bx + br), max(ay + ar, by + br), plane)
            for row in box.rows {
                let y = Float(row) + 0.5
                for column in box.columns {
                    let x = Float(column) + 0.5
                    let along = min(1, max(0, ((x - ax) * dx + (y - ay) * dy) * inverse))
                    let (ex, ey) = (x - ax - along * dx, y - ay - along * dy)
                    let radius = ar + (br - ar) * along
                    let away = (ex * ex + ey * ey).squareRoot()
                    let coverage = min(1, radius - away + 0.5)
                    if coverage <= 0 { continue }
                    let edge = away / max(radius, 0.5)
                    let shaded = level * (1 - rounding * edge * edge)
                    let at = row * plane.stride + column
                    let under = unsafe Float(base[at])
                    unsafe base[at] = UInt8(min(240, max(14, under + (shaded - under) * coverage + 0.5)))
                }
            }
        }
    }

    private static func box(
        _ left: Float, _ top: Float, _ right: Float, _ bottom: Float, _ plane: PixelBuffer.Plane
    ) -> (columns: Range<Int>, rows: Range<Int>) {
        let (x, y) = (min(plane.width, max(0, Int(left) - 1)), min(plane.height, max(0, Int(top) - 1)))
        return (
            x..<min(plane.width, max(x, Int(right) + 2)), y..<min(plane.height, max(y, Int(bottom) + 2))
        )
    }
}
