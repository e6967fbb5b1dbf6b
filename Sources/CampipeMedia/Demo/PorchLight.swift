import CampipeKit

/// How much light falls on each place of the porch: the moon, the window, and the lamp when it is on.
struct PorchLight {
    var lampIsOn: Bool

    /// Red, green and blue light at a place, 1 being a well-lit surface.
    func at(_ x: Float, _ y: Float) -> (Float, Float, Float) {
        // The moon lights the ground a little more than what stands upright.
        let moon: Float = y > PorchBackground.ground ? 0.31 : 0.25
        var (r, g, b) = (moon * 0.84, moon * 0.95, moon * 1.2)
        let window = falloff(x + 0.55, (y - 0.36) * 0.9, 0.16) * 0.30
        (r, g, b) = (r + window, g + window * 0.74, b + window * 0.42)
        guard lampIsOn else { return (r, g, b) }
        // Seen from above, the ground is foreshortened: depth counts more than it looks.
        let dx = x - PorchBackground.lamp.x
        let below = y > PorchBackground.ground
        let dy = below ? 0.24 + (y - PorchBackground.ground) * 1.1 : y - PorchBackground.lamp.y
        let lamp = falloff(dx, dy, 0.33) * (below ? 1.7 : 1.05)
        return (r + lamp, g + lamp * 0.83, b + lamp * 0.56)
    }

    /// What shines by itself: the lamp's glass, its glow, window panes, the moon.
    func glow(_ x: Float, _ y: Float) -> (Float, Float, Float) {
        var (r, g, b): (Float, Float, Float) = (0, 0, 0)
        if lampIsOn {
            let (dx, dy) = (x - PorchBackground.lamp.x, y - PorchBackground.lamp.y)
            let halo = falloff(dx, dy, 0.035) * 0.75
            (r, g, b) = (r + halo, g + halo * 0.86, b + halo * 0.6)
        }
        let moon = falloff(x - 0.68, y - 0.14, 0.05)
        let far = x > 0.30 ? moon * 0.75 : 0
        return (r + far * 0.9, g + far * 0.92, b + far)
    }

    private func falloff(_ dx: Float, _ dy: Float, _ radius: Float) -> Float {
        let d = 1 + (dx * dx + dy * dy) / (radius * radius)
        return 1 / (d * d.squareRoot())
    }

    /// The lit picture.
    static func planes(_ surfaces: SceneCanvas, lampIsOn: Bool) -> YUVPlanes {
        let light = PorchLight(lampIsOn: lampIsOn)
        let size = surfaces.size
        let unit = Float(size.height)
        let middle = Float(size.width) / 2
        return unsafe surfaces.pixels.withUnsafeBufferPointer { pixels in
            YUVPlanes(size) { column, row in
                let x = (Float(column) + 0.5 - middle) / unit
                let y = (Float(row) + 0.5) / unit
                let at = (row * size.width + column) * 3
                let surface = unsafe (Float(pixels[at]) / 255, Float(pixels[at + 1]) / 255, Float(pixels[at + 2]) / 255)
                let (light, glow) = (light.at(x, y), light.glow(x, y))
                // Window panes are warm and bright themselves.
                let own: Float = surface.0 > 0.72 && surface.0 - surface.2 > 0.28 ? 0.55 : 0
                return (
                    min(1, surface.0 * (light.0 + own) + glow.0), min(1, surface.1 * (light.1 + own) + glow.1),
                    min(1, surface.2 * (light.2 + own) + glow.2)
                )
            }
        }
    }
}
