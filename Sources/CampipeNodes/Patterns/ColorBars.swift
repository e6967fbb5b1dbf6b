import CampipeKit

/// Eight coloured bars over a ramp of grey, with a white square that wanders over them: easy to tell one picture, and one
/// edge of it, from another.
struct ColorBars: Sendable {
    /// One row of each plane, upper and lower part.
    private let upper: [[UInt8]]
    private let lower: [[UInt8]]
    private let size: Size

    /// White, yellow, cyan, green, magenta, red, blue, black at 75 %, full range BT.601: Y, U, V.
    private static let colors: [(UInt8, UInt8, UInt8)] = [
        (191, 128, 128), (169, 32, 143), (134, 160, 32), (112, 64, 48), (79, 192, 208), (57, 96, 224), (22, 224, 112),
        (0, 128, 128),
    ]

    init(_ size: Size) {
        self.size = size
        let half = (size.width + 1) / 2
        func bar(_ x: Int, _ width: Int) -> (UInt8, UInt8, UInt8) { Self.colors[min(x * 8 / width, 7)] }
        upper = [
            (0..<size.width).map { bar($0, size.width).0 }, (0..<half).map { bar($0, half).1 },
            (0..<half).map { bar($0, half).2 },
        ]
        lower = [
            (0..<size.width).map { UInt8($0 * 255 / max(size.width - 1, 1)) }, [UInt8](repeating: 128, count: half),
            [UInt8](repeating: 128, count: half),
        ]
    }

    /// Writes every pixel of a yuv420 picture that nobody else sees yet.
    func paint(_ buffer: PixelBuffer, at seconds: Double) {
        for index in 0..<3 {
            unsafe buffer.withMutablePlane(index) { base, plane in
                let border = plane.height * 3 / 4
                for y in 0..<plane.height {
                    unsafe (y < border ? upper : lower)[index].withUnsafeBufferPointer { row in
                        guard let row = row.baseAddress else { return }
                        unsafe (base + y * plane.stride).update(from: row, count: plane.width)
                    }
                }
                let side = max(2, plane.height / 6)
                let x = Self.bounce(seconds * 0.21, plane.width - side)
                let y = Self.bounce(seconds * 0.34, plane.height - side)
                for row in y..<min(y + side, plane.height) {
                    unsafe (base + row * plane.stride + x).update(
                        repeating: index == 0 ? 255 : 128, count: min(side, plane.width - x))
                }
            }
        }
    }

    /// There and back between 0 and `limit`, once in two units.
    private static func bounce(_ position: Double, _ limit: Int) -> Int {
        let phase = position.truncatingRemainder(dividingBy: 2)
        return Int((phase < 1 ? phase : 2 - phase) * Double(max(limit, 0)))
    }
}
