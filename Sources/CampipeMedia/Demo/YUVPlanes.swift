import CampipeKit

/// Three planes of 4:2:0 as arrays with no padding: what a demo scene shows where nothing moves.
struct YUVPlanes: Sendable {
    let size: Size
    let luma: [UInt8]
    let blue: [UInt8]
    let red: [UInt8]

    /// Turns red, green and blue (0…1, row by row, made by `pixel`) into full-range BT.601 planes.
    ///
    /// Levels stay in 14…240, so that sensor noise is added without looking at the ends.
    init(_ size: Size, _ pixel: (_ x: Int, _ y: Int) -> (Float, Float, Float)) {
        let half = Size((size.width + 1) / 2, (size.height + 1) / 2)
        var luma = [UInt8](repeating: 0, count: size.pixels)
        var sums = [(Float, Float, Float)](repeating: (0, 0, 0), count: half.pixels)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (r, g, b) = pixel(x, y)
                let level = (0.299 * r + 0.587 * g + 0.114 * b) * 255
                luma[y * size.width + x] = UInt8(min(240, max(14, level + 0.5)))
                let at = y / 2 * half.width + x / 2
                sums[at].0 += level
                sums[at].1 += 0.564 * (b * 255 - level)
                sums[at].2 += 0.713 * (r * 255 - level)
            }
        }
        func color(_ x: Int, _ y: Int, _ sum: Float) -> UInt8 {
            let count = Float(min(2, size.width - 2 * x) * min(2, size.height - 2 * y))
            return UInt8(min(240, max(16, 128.5 + sum / count)))
        }
        self.size = size
        self.luma = luma
        blue = sums.indices.map { color($0 % half.width, $0 / half.width, sums[$0].1) }
        red = sums.indices.map { color($0 % half.width, $0 / half.width, sums[$0].2) }
    }

    /// Copies all planes.
    func copy(into buffer: PixelBuffer) {
        Self.copy(luma, size.width, into: buffer, plane: 0)
        Self.copy(blue, (size.width + 1) / 2, into: buffer, plane: 1)
        Self.copy(red, (size.width + 1) / 2, into: buffer, plane: 2)
    }

    private static func copy(_ rows: [UInt8], _ width: Int, into buffer: PixelBuffer, plane: Int) {
        unsafe rows.withUnsafeBufferPointer { rows in
            guard let start = rows.baseAddress else { return }
            unsafe buffer.withMutablePlane(plane) { target, plane in
                for y in 0..<plane.height {
                    unsafe (target + y * plane.stride).update(from: start + y * width, count: width)
                }
            }
        }
    }
}
