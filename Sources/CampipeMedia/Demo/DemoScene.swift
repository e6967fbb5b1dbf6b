package import CampipeKit

/// A generated picture that changes with time: the camera for who has none, and for tests.
///
/// A pure function of scene, size, seed and time: the same four give the same bytes. What never moves is drawn once, in
/// `init`; a frame is a copy of it with what moves on top. Frames are yuv420, full range, BT.601, as a JPEG camera's.
package struct DemoScene: Sendable {
    /// What is to be seen.
    package enum Kind: String, Sendable, CaseIterable {
        /// A porch at night: a person who walks by for 6 of each 20 s, from 1.5 s on; a clock; sensor noise; a lamp
        /// that is off for 6 of each 60 s while nobody is there.
        case porch
        /// Colour bars with a line that moves across in 4 s.
        case bars
        /// Every level anew in each frame.
        case noise
        /// A ramp from black to white that does not change.
        case gray
        /// The porch where nothing moves, not even noise.
        case still
    }

    /// Which scene it is.
    package let kind: Kind
    /// The size of its frames.
    package let size: Size
    private let seed: UInt64
    private let lit: YUVPlanes
    private let unlit: YUVPlanes
    private let noise: SensorNoise

    /// Draws what never moves: some 70 ms for 1280x720 in release.
    ///
    /// - Parameters:
    ///   - kind: Which scene.
    ///   - size: Of the frames; any, from one pixel on.
    ///   - seed: Another one gives other noise, grass and coats.
    package init(_ kind: Kind, size: Size, seed: UInt64 = 1) {
        self.kind = kind
        self.size = size
        self.seed = seed
        noise = SensorNoise(width: size.width, strength: kind == .noise ? 112 : 12, seed: seed)
        switch kind {
        case .porch, .still:
            let surfaces = PorchBackground.surfaces(size, seed: seed)
            lit = PorchLight.planes(surfaces, lampIsOn: true)
            unlit = kind == .porch ? PorchLight.planes(surfaces, lampIsOn: false) : lit
        case .bars:
            let bars: [(Float, Float, Float)] = [
                (0.75, 0.75, 0.75), (0.75, 0.75, 0), (0, 0.75, 0.75), (0, 0.75, 0), (0.75, 0, 0.75), (0.75, 0, 0),
                (0, 0, 0.75), (0, 0, 0),
            ]
            lit = YUVPlanes(size) { x, _ in bars[x * 8 / size.width] }
            unlit = lit
        case .gray:
            lit = YUVPlanes(size) { x, _ in
                let level = Float(x) / Float(max(1, size.width - 1))
                return (level, level, level)
            }
            unlit = lit
        case .noise:
            lit = YUVPlanes(size) { _, _ in (0.5, 0.5, 0.5) }
            unlit = lit
        }
    }

    /// A frame of the scene at a time since its start.
    ///
    /// - Parameters:
    ///   - time: Since the start; a camera of r frames a second asks for index / r.
    ///   - captured: When the frame counts as seen.
    ///   - pool: Where the memory comes from.
    package func frame(at time: Duration, rate: Double? = nil, captured: Instant, pool: FramePool) -> Frame {
        let buffer = pool.buffer(.yuv420, size)
        paint(at: time, into: buffer)
        return Frame(
            buffer, range: .full, matrix: .bt601, rate: rate, captured: captured, pts: MediaTime(time))
    }

    /// Whether the lamp shines at a time.
    package static func lampIsOn(at time: Duration) -> Bool {
        let within = time.seconds.truncatingRemainder(dividingBy: 60)
        return within < 32 || within >= 38
    }

    /// Whether the person is to be seen, wholly or in part, at a time.
    package static func someoneIsThere(at time: Duration) -> Bool { PorchWalker.progress(time.seconds) != nil }

    /// Writes every pixel of `buffer`, which is yuv420 of the scene's size and seen by nobody else.
    package func paint(at time: Duration, into buffer: PixelBuffer) {
        precondition(buffer.pixel == .yuv420 && buffer.size == size, "a scene of \(size) is painted into its like")
        let isLit = kind != .porch || Self.lampIsOn(at: time)
        (isLit ? lit : unlit).copy(into: buffer)
        let key = seed &* 0x2545_F491_4F6C_DD1D ^ UInt64(bitPattern: time.nanoseconds)
        switch kind {
        case .porch:
            let edge = Float(size.width) / Float(size.height) / 2
            if let walker = PorchWalker.strokes(time.seconds, edge: edge, seed: seed) {
                let painter = StrokePainter(buffer: buffer, light: PorchLight(lampIsOn: isLit))
                painter.shadow(walker.feet, 0.13, 0.018)
                for stroke in walker.strokes { painter.draw(stroke) }
            }
            SceneClock.draw(Int(time.seconds), into: buffer)
            noise.add(to: buffer, key: key)
        case .noise: noise.add(to: buffer, key: key)
        case .bars: line(at: time, in: buffer)
        case .gray, .still: break
        }
    }

    private func line(at time: Duration, in buffer: PixelBuffer) {
        let part = time.seconds.truncatingRemainder(dividingBy: 4) / 4
        let width = max(1, size.width / 160)
        let x = min(size.width - width, Int(part * Double(size.width)))
        unsafe buffer.withMutablePlane(0) { base, plane in
            for y in 0..<plane.height { unsafe (base + y * plane.stride + x).update(repeating: 240, count: width) }
        }
    }
}
