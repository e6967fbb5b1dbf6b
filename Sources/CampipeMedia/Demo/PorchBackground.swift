import CampipeKit

/// The porch at night where nothing moves: a house front with a door, a window and a lamp, a path, grass, trees, a sky.
enum PorchBackground {
    typealias Color = SceneCanvas.Color
    typealias Point = SceneCanvas.Point

    /// Where the lamp hangs.
    static let lamp = Point(0.02, 0.375)
    /// Where the ground begins.
    static let ground: Float = 0.66

    /// What each thing is made of, evenly lit.
    static func surfaces(_ size: Size, seed: UInt64) -> SceneCanvas {
        var canvas = SceneCanvas(size)
        var random = SplitMix(seed ^ 0x5ce2e)
        let edge = Float(size.width) / Float(size.height) / 2
        sky(&canvas, edge, &random)
        grass(&canvas, edge, &random)
        path(&canvas)
        house(&canvas, edge)
        return canvas
    }

    private static func sky(_ canvas: inout SceneCanvas, _ edge: Float, _ random: inout SplitMix) {
        canvas.gradient(-edge, 0, edge, ground, Color(40, 52, 92), Color(84, 92, 128))
        for _ in 0..<60 {
            let star = Point(-edge + 2 * edge * random.unit(), 0.45 * random.unit())
            canvas.ellipse(star, 0.0016, 0.0016, Color(230, 230, 240), alpha: 0.4 + 0.5 * random.unit())
        }
        canvas.ellipse(Point(0.68, 0.14), 0.045, 0.045, Color(250, 246, 226))
        canvas.ellipse(Point(0.66, 0.13), 0.012, 0.012, Color(222, 216, 196), alpha: 0.6)
        canvas.ellipse(Point(0.695, 0.155), 0.008, 0.008, Color(222, 216, 196), alpha: 0.6)
        // Far trees and a fence in front of them.
        for index in 0..<26 {
            let x = 0.28 + Float(index) * 0.034 + 0.02 * random.unit()
            let top = 0.38 + 0.12 * random.unit()
            canvas.ellipse(Point(x, top + 0.12), 0.05, 0.13, Color(26, 40, 34))
        }
        canvas.rect(0.3, 0.50, edge, ground + 0.01, Color(24, 36, 30))
        var x: Float = 0.36
        while x < edge {
            canvas.convex(
                [
                    Point(x, 0.545), Point(x + 0.012, 0.53), Point(x + 0.024, 0.545), Point(x + 0.024, 0.68),
                    Point(x, 0.68),
                ],
                Color(92, 88, 84))
            x += 0.036
        }
        canvas.rect(0.34, 0.565, edge, 0.577, Color(78, 74, 70))
        canvas.rect(0.34, 0.635, edge, 0.647, Color(78, 74, 70))
    }

    private static func grass(_ canvas: inout SceneCanvas, _ edge: Float, _ random: inout SplitMix) {
        canvas.gradient(-edge, ground, edge, 1, Color(46, 70, 42), Color(70, 98, 58))
        for _ in 0..<1400 {
            let depth = random.unit()
            let y = ground + (1 - ground) * depth
            let x = -edge + 2 * edge * random.unit()
            let height = 0.006 + 0.022 * depth
            let shade = 40 + 60 * random.unit()
            canvas.convex(
                [Point(x, y - height), Point(x + 0.002 + 0.002 * depth, y), Point(x - 0.001, y)],
                Color(shade * 0.7, shade * 1.2, shade * 0.6), alpha: 0.7)
        }
    }

    /// Slabs from the step to the viewer, wider as they come nearer.
    private static func path(_ canvas: inout SceneCanvas) {
        func side(_ depth: Float, _ right: Bool) -> Point {
            let y = 0.70 + 0.30 * depth
            let middle = -0.16 + 0.10 * depth * depth
            let half = 0.085 + 0.16 * depth
            return Point(middle + (right ? half : -half), y)
        }
        canvas.convex([side(0, false), side(0, true), side(1.05, true), side(1.05, false)], Color(74, 70, 64))
        var depth: Float = 0.01
        var index = 0
        while depth < 1.02 {
            let next = depth + 0.06 + 0.14 * depth
            let shade: Float = [128, 116, 134, 122][index % 4]
            let (a, b, c, d) = (
                side(depth, false), side(depth, true), side(next - 0.015, true), side(next - 0.015, false)
            )
            let split: Float = [0.52, 0.36, 0.64][index % 3]
            func between(_ left: Point, _ right: Point, _ part: Float) -> Point {
                Point(left.x + (right.x - left.x) * part, left.y)
            }
            canvas.convex(
                [between(a, b, 0.02), between(a, b, split - 0.015), between(d, c, split - 0.015), between(d, c, 0.02)],
                Color(shade, shade * 0.96, shade * 0.9))
            canvas.convex(
                [between(a, b, split + 0.015), between(a, b, 0.98), between(d, c, 0.98), between(d, c, split + 0.015)],
                Color(shade * 0.93, shade * 0.9, shade * 0.85))
            depth = next
            index += 1
        }
    }

    private static func house(_ canvas: inout SceneCanvas, _ edge: Float) {
        let right: Float = 0.30
        // Siding.
        canvas.rect(-edge, 0, right, 0.69, Color(148, 150, 152))
        var y: Float = 0.09
        while y < 0.64 {
            canvas.rect(-edge, y, right, y + 0.004, Color(96, 98, 102))
            canvas.rect(-edge, y + 0.004, right, y + 0.007, Color(172, 174, 176))
            y += 0.034
        }
        canvas.rect(right - 0.03, 0.05, right, 0.69, Color(206, 204, 198))
        canvas.rect(-edge, 0.63, right, 0.70, Color(104, 92, 84))
        canvas.rect(-edge, 0.63, right, 0.637, Color(70, 62, 58))
        // Eave and gutter.
        canvas.convex([Point(-edge, 0), Point(0.37, 0), Point(0.34, 0.055), Point(-edge, 0.055)], Color(88, 70, 62))
        canvas.rect(-edge, 0.055, 0.345, 0.078, Color(190, 186, 178))
        canvas.rect(-edge, 0.078, 0.335, 0.086, Color(70, 70, 72))
        window(&canvas, -0.70, 0.20, -0.40, 0.48)
        door(&canvas)
        // The lamp's arm and housing.
        canvas.rect(lamp.x - 0.012, lamp.y - 0.055, lamp.x + 0.012, lamp.y - 0.04, Color(40, 40, 42))
        canvas.convex(
            [
                Point(lamp.x - 0.016, lamp.y - 0.04), Point(lamp.x + 0.016, lamp.y - 0.04),
                Point(lamp.x + 0.026, lamp.y + 0.03), Point(lamp.x - 0.026, lamp.y + 0.03),
            ], Color(246, 236, 206))
        canvas.rect(lamp.x - 0.03, lamp.y - 0.045, lamp.x + 0.03, lamp.y - 0.036, Color(34, 34, 36))
        canvas.rect(lamp.x - 0.028, lamp.y + 0.03, lamp.x + 0.028, lamp.y + 0.037, Color(34, 34, 36))
        // House number.
        canvas.rect(-0.005, 0.49, 0.055, 0.53, Color(32, 44, 60))
        canvas.rect(0.012, 0.498, 0.017, 0.522, Color(230, 230, 226))
        canvas.rect(0.028, 0.498, 0.042, 0.503, Color(230, 230, 226))
        canvas.rect(0.037, 0.498, 0.042, 0.522, Color(230, 230, 226))
    }

    private static func window(
        _ canvas: inout SceneCanvas, _ left: Float, _ top: Float, _ right: Float, _ bottom: Float
    ) {
        canvas.rect(left - 0.02, top - 0.02, right + 0.02, bottom + 0.02, Color(212, 208, 200))
        canvas.rect(left - 0.035, bottom + 0.018, right + 0.035, bottom + 0.036, Color(192, 188, 180))
        canvas.gradient(left, top, right, bottom, Color(252, 214, 140), Color(228, 176, 96))
        // Curtains, then the cross of the frame.
        for fold in 0..<5 {
            let x = Float(fold) * 0.014
            let shade = Color(196 - Float(fold % 2) * 34, 132 - Float(fold % 2) * 26, 92)
            canvas.convex(
                [
                    Point(left + x, top), Point(left + x + 0.014, top), Point(left + x * 0.8 + 0.010, bottom),
                    Point(left + x * 0.8, bottom),
                ],
                shade)
            canvas.convex(
                [
                    Point(right - x - 0.014, top), Point(right - x, top), Point(right - x * 0.8, bottom),
                    Point(right - x * 0.8 - 0.010, bottom),
                ],
                shade)
        }
        let (middle, half) = ((left + right) / 2, (top + bottom) / 2)
        canvas.rect(middle - 0.006, top, middle + 0.006, bottom, Color(212, 208, 200))
        canvas.rect(left, half - 0.006, right, half + 0.006, Color(212, 208, 200))
    }

    private static func door(_ canvas: inout SceneCanvas) {
        canvas.rect(-0.295, 0.215, -0.045, 0.69, Color(214, 210, 202))
        canvas.rect(-0.272, 0.238, -0.068, 0.69, Color(122, 46, 36))
        // A fan of glass, four panels, a handle.
        canvas.rect(-0.240, 0.262, -0.100, 0.322, Color(88, 34, 28))
        canvas.rect(-0.235, 0.267, -0.174, 0.317, Color(238, 190, 112))
        canvas.rect(-0.166, 0.267, -0.105, 0.317, Color(238, 190, 112))
        for (left, right) in [(Float(-0.246), Float(-0.180)), (-0.160, -0.094)] {
            for (top, bottom) in [(Float(0.35), Float(0.48)), (0.52, 0.64)] {
                canvas.rect(left, top, right, bottom, Color(92, 32, 26))
                canvas.rect(left + 0.010, top + 0.010, right - 0.006, bottom - 0.006, Color(138, 54, 42))
            }
        }
        canvas.ellipse(Point(-0.086, 0.50), 0.009, 0.009, Color(224, 190, 96))
        canvas.rect(-0.089, 0.512, -0.083, 0.545, Color(168, 140, 70))
        // Two steps and a mat.
        canvas.convex(
            [Point(-0.33, 0.672), Point(-0.01, 0.672), Point(0.005, 0.70), Point(-0.345, 0.70)], Color(146, 138, 128))
        canvas.rect(-0.345, 0.70, 0.005, 0.722, Color(104, 98, 90))
        canvas.convex(
            [Point(-0.25, 0.677), Point(-0.09, 0.677), Point(-0.085, 0.694), Point(-0.255, 0.694)], Color(96, 74, 48))
    }
}
