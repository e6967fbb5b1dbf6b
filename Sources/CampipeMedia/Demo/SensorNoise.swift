import CampipeKit

/// The noise of a sensor at night: made once, laid over each frame at another place.
struct SensorNoise: Sendable {
    private let levels: [Int8]
    private let span: Int

    /// - Parameters:
    ///   - width: Of the pictures.
    ///   - strength: The most that a level moves.
    init(width: Int, strength: Int, seed: UInt64) {
        var random = SplitMix(seed ^ 0x9015e)
        span = 1 << 14
        levels = (0..<(span + width)).map { _ in
            // The sum of four even numbers is near enough to a bell.
            let bits = random.next()
            let sum = Int(bits & 0xFF) + Int(bits >> 8 & 0xFF) + Int(bits >> 16 & 0xFF) + Int(bits >> 24 & 0xFF)
            return Int8((sum - 510) * strength / 510)
        }
    }

    /// Adds noise to the luma; the levels must be at least `strength` away from 0 and 255.
    ///
    /// - Parameter key: The same key gives the same noise.
    func add(to buffer: PixelBuffer, key: UInt64) {
        var random = SplitMix(key)
        unsafe levels.withUnsafeBufferPointer { levels in
            guard let start = levels.baseAddress else { return }
            unsafe buffer.withMutablePlane(0) { base, plane in
                for y in 0..<plane.height {
                    let noise = unsafe start + Int(random.next() % UInt64(span))
                    let row = unsafe base + y * plane.stride
                    for x in 0..<plane.width { unsafe row[x] = row[x] &+ UInt8(bitPattern: noise[x]) }
                }
            }
        }
    }
}
