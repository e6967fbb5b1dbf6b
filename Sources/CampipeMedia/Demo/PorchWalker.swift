import CampipeKit
import Glibc

/// The person who walks by: where he is, and his limbs, at a time.
struct PorchWalker {
    /// A limb or a body: a tapered stroke with round ends, in heights of the picture.
    struct Stroke {
        var from: SceneCanvas.Point
        var to: SceneCanvas.Point
        var fromRadius: Float
        var toRadius: Float
        var color: SceneCanvas.Color
    }

    /// Every so often he comes, in seconds.
    static let period = 20.0
    /// When he comes, after the start of a period.
    static let comes = 1.5
    /// How long he is to be seen.
    static let stays = 6.0

    /// How far he is on his way across, 0…1; nil while he is away.
    static func progress(_ seconds: Double) -> Float? {
        let within = (seconds - comes).truncatingRemainder(dividingBy: period)
        return within >= 0 && within < stays ? Float(within / stays) : nil
    }

    /// The strokes to draw, from the back to the front; empty while he is away.
    ///
    /// - Parameter edge: Half the picture's width, in its heights.
    static func strokes(_ seconds: Double, edge: Float, seed: UInt64) -> (strokes: [Stroke], feet: SceneCanvas.Point)? {
        guard let progress = progress(seconds) else { return nil }
        let round = Int((seconds - comes) / period)
        // He comes from the right, next time from the left.
        let heading: Float = round % 2 == 0 ? -1 : 1
        let height: Float = 0.5
        let margin: Float = 0.14
        let x = heading * (-edge - margin + (2 * edge + 2 * margin) * progress)
        let phase = Float((seconds - comes).truncatingRemainder(dividingBy: period)) * 2 * .pi * 0.95
        // The body is highest while one leg carries.
        let bob = 0.006 * abs(sinf(phase))
        let feet = SceneCanvas.Point(x, 0.88)
        func point(_ dx: Float, _ up: Float) -> SceneCanvas.Point {
            SceneCanvas.Point(x + heading * dx * height, feet.y - up * height - bob)
        }
        var random = SplitMix(seed ^ UInt64(bitPattern: Int64(round)))
        let coats: [SceneCanvas.Color] = [
            .init(196, 64, 52), .init(66, 110, 186), .init(214, 168, 62), .init(92, 156, 110),
        ]
        let coat = coats[Int(random.next() % 4)]
        let shade = coat.mixed(.init(0, 0, 0), 0.28)
        let trousers = SceneCanvas.Color(78, 84, 116)
        let back = SceneCanvas.Color(56, 60, 84)
        let skin = SceneCanvas.Color(224, 176, 146)
        let shoe = SceneCanvas.Color(34, 30, 30)
        let hip = point(0, 0.50)
        let shoulder = point(0.02, 0.80)
        var strokes: [Stroke] = []

        func leg(_ phase: Float, _ color: SceneCanvas.Color) {
            let swing = sinf(phase)
            let lift = max(0, cosf(phase))
            let knee = point(0.13 * swing + 0.05 * lift, 0.27 + 0.03 * lift)
            let ankle = point(0.21 * swing - 0.06 * lift, 0.04 + 0.09 * lift)
            strokes.append(
                Stroke(from: hip, to: knee, fromRadius: 0.072 * height, toRadius: 0.052 * height, color: color))
            strokes.append(
                Stroke(from: knee, to: ankle, fromRadius: 0.052 * height, toRadius: 0.036 * height, color: color))
            let toe = SceneCanvas.Point(ankle.x + heading * 0.075 * height, ankle.y + 0.015 * height)
            strokes.append(
                Stroke(from: ankle, to: toe, fromRadius: 0.032 * height, toRadius: 0.024 * height, color: shoe))
        }
        func arm(_ phase: Float, _ color: SceneCanvas.Color) {
            let swing = sinf(phase)
            let elbow = point(0.02 + 0.10 * swing, 0.64)
            let hand = point(0.06 + 0.20 * swing, 0.51 + 0.03 * max(0, swing))
            strokes.append(
                Stroke(from: shoulder, to: elbow, fromRadius: 0.050 * height, toRadius: 0.040 * height, color: color))
            strokes.append(
                Stroke(from: elbow, to: hand, fromRadius: 0.040 * height, toRadius: 0.030 * height, color: color))
            strokes.append(
                Stroke(from: hand, to: hand, fromRadius: 0.030 * height, toRadius: 0.030 * height, color: skin))
        }
        arm(phase, shade)
        leg(phase + .pi, back)
        leg(phase, trousers)
        strokes.append(
            Stroke(
                from: point(0, 0.54), to: point(0.015, 0.77), fromRadius: 0.088 * height, toRadius: 0.098 * height,
                color: coat))
        strokes.append(
            Stroke(
                from: point(0.02, 0.83), to: point(0.03, 0.90), fromRadius: 0.036 * height, toRadius: 0.036 * height,
                color: skin))
        strokes.append(
            Stroke(
                from: point(0.035, 0.925), to: point(0.04, 0.945), fromRadius: 0.060 * height, toRadius: 0.062 * height,
                color: skin))
        strokes.append(
            Stroke(
                from: point(0.005, 0.955), to: point(0.045, 0.985), fromRadius: 0.052 * height,
                toRadius: 0.040 * height,
                color: .init(52, 40, 32)))
        arm(phase + .pi, coat.mixed(.init(0, 0, 0), 0.12))
        return (strokes, feet)
    }
}
