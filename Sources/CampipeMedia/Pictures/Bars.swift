import CampipeKit

/// Black around a picture in the middle of a larger one.
enum Bars {
    /// Blackens all of `buffer`, which nobody else sees yet, but `rect`.
    static func paint(around rect: PixelRect, in buffer: PixelBuffer, range: ColorRange) {
        guard rect.size != buffer.size else { return }
        let block = buffer.pixel.colorBlock
        for index in buffer.planes.indices {
            let columns = index == 0 ? 1 : block.columns
            let rows = index == 0 ? 1 : block.rows
            let level: UInt8 = index > 0 ? 128 : buffer.pixel.hasLuma && range == .limited ? 16 : 0
            unsafe buffer.withMutablePlane(index) { base, plane in
                let left = rect.x / columns * plane.bytesPerPixel
                let right = (rect.x + rect.width + columns - 1) / columns * plane.bytesPerPixel
                let top = rect.y / rows
                let bottom = (rect.y + rect.height + rows - 1) / rows
                let end = plane.width * plane.bytesPerPixel
                for y in 0..<plane.height {
                    let row = unsafe base + y * plane.stride
                    if y < top || y >= bottom {
                        unsafe row.update(repeating: level, count: end)
                    } else {
                        unsafe row.update(repeating: level, count: left)
                        if right < end { unsafe (row + right).update(repeating: level, count: end - right) }
                    }
                }
            }
        }
    }
}
