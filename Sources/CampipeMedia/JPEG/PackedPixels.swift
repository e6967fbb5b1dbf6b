import CampipeKit

/// Turns the packed pixels of rare JPEGs (RGB, CMYK) into planes: full range, BT.601, as JPEG means them (JFIF 1.02).
enum PackedPixels {
    /// How a pixel lies in memory.
    enum Order {
        /// Red, green, blue.
        case rgb
        /// Cyan, magenta, yellow, black as ink.
        case cmyk
        /// The same, each level inverted, as Adobe stores it.
        case invertedCMYK

        var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
    }

    /// Fills `target`, which is yuv444 or gray8 and seen by nobody else, from rows without padding between them.
    static func unpack(_ source: UnsafePointer<UInt8>, _ order: Order, into target: PixelBuffer) {
        let width = target.size.width
        for y in 0..<target.size.height {
            let row = unsafe source + y * width * order.bytesPerPixel
            unsafe target.withMutablePlane(0) { luma, plane in
                let luma = unsafe luma + y * plane.stride
                for x in 0..<width {
                    let (r, g, b) = unsafe pixel(row, x, order)
                    unsafe luma[x] = UInt8(truncatingIfNeeded: (19595 * r + 38470 * g + 7471 * b + 32768) >> 16)
                }
            }
            guard target.pixel == .yuv444 else { continue }
            unsafe target.withMutablePlane(1) { blue, plane in
                let blue = unsafe blue + y * plane.stride
                for x in 0..<width {
                    let (r, g, b) = unsafe pixel(row, x, order)
                    unsafe blue[x] = UInt8(truncatingIfNeeded: (32768 * b - 11059 * r - 21709 * g + 8_421_375) >> 16)
                }
            }
            unsafe target.withMutablePlane(2) { red, plane in
                let red = unsafe red + y * plane.stride
                for x in 0..<width {
                    let (r, g, b) = unsafe pixel(row, x, order)
                    unsafe red[x] = UInt8(truncatingIfNeeded: (32768 * r - 27439 * g - 5329 * b + 8_421_375) >> 16)
                }
            }
        }
    }

    @inline(__always)
    private static func pixel(_ row: UnsafePointer<UInt8>, _ x: Int, _ order: Order) -> (Int, Int, Int) {
        let at = unsafe row + x * order.bytesPerPixel
        let (c, m, y) = unsafe (Int(at[0]), Int(at[1]), Int(at[2]))
        switch order {
        case .rgb: return (c, m, y)
        case .invertedCMYK:
            let k = unsafe Int(at[3])
            return (c * k / 255, m * k / 255, y * k / 255)
        case .cmyk:
            let k = unsafe 255 - Int(at[3])
            return ((255 - c) * k / 255, (255 - m) * k / 255, (255 - y) * k / 255)
        }
    }
}
