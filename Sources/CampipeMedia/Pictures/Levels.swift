import CampipeKit

/// Changes a new picture's luma levels, where swscale does not.
enum Levels {
    /// Moves luma from the other range to `range`; what was outside of limited range is cut.
    static func change(_ buffer: PixelBuffer, to range: ColorRange) {
        let table = (0..<256).map { (level: Int) -> UInt8 in
            if range == .limited { return UInt8(clamping: 16 + (level * 219 + 127) / 255) }
            let above = max(level, 16) - 16
            return UInt8(clamping: (above * 255 + 109) / 219)
        }
        unsafe buffer.withMutablePlane(0) { base, plane in
            for y in 0..<plane.height {
                let row = unsafe base + y * plane.stride
                for x in 0..<plane.width { unsafe row[x] = table[Int(row[x])] }
            }
        }
    }

    /// Makes the planes of colour grey.
    static func removeColor(_ buffer: PixelBuffer) {
        for index in 1..<max(1, buffer.planes.count) {
            unsafe buffer.withMutablePlane(index) { base, plane in
                unsafe base.update(repeating: 128, count: plane.stride * plane.height)
            }
        }
    }
}
