import CampipeKit

/// Blends one colour into a frame's planes by coverage.
struct Blender {
    /// What each plane's bytes become where the coverage is whole; as many as the plane has bytes a column.
    private let levels: [[UInt8]]
    /// 0…256.
    private let opacity: Int
    private let block: (columns: Int, rows: Int)

    init(_ color: RGBColor, _ opacity: Double, _ format: FrameFormat) {
        let pixel = format.pixel ?? .yuv420
        let (luma, blue, red) = color.levels(format.range, format.matrix)
        levels =
            switch pixel {
            case .rgb24: [[color.red, color.green, color.blue]]
            case .gray8: [[luma]]
            case .nv12: [[luma], [blue, red]]
            case .yuv420, .yuv422, .yuv444: [[luma], [blue], [red]]
            }
        self.opacity = Int(min(1, max(0, opacity)) * 256)
        block = pixel.colorBlock
    }

    /// Covers a rectangle wholly.
    func fill(_ rect: PixelRect, on frame: inout Frame) {
        blend(rect, on: &frame) { _, _ in 255 }
    }

    /// Covers by a mask of the rectangle's size.
    func blend(_ mask: [UInt8], at rect: PixelRect, on frame: inout Frame) {
        precondition(mask.count == rect.width * rect.height, "the mask is as large as its place")
        unsafe mask.withUnsafeBufferPointer { mask in
            blend(rect, on: &frame) { x, y in unsafe Int(mask[y * rect.width + x]) }
        }
    }

    /// - Parameter coverage: 0…255 at a place inside the rectangle.
    @inline(__always)
    private func blend(_ rect: PixelRect, on frame: inout Frame, _ coverage: (_ x: Int, _ y: Int) -> Int) {
        let size = frame.size
        let (left, top) = (max(0, rect.x), max(0, rect.y))
        let (right, bottom) = (min(size.width, rect.x + rect.width), min(size.height, rect.y + rect.height))
        guard left < right, top < bottom, opacity > 0 else { return }
        for index in levels.indices {
            let (columns, rows) = index == 0 ? (1, 1) : block
            let (shares, targets) = (columns * rows, levels[index])
            unsafe frame.withMutablePlane(index) { base, plane in
                for row in (top / rows)..<((bottom + rows - 1) / rows) {
                    let line = unsafe base + row * plane.stride
                    for column in (left / columns)..<((right + columns - 1) / columns) {
                        var sum = 0
                        for y in max(top, row * rows)..<min(bottom, row * rows + rows) {
                            for x in max(left, column * columns)..<min(right, column * columns + columns) {
                                sum += coverage(x - rect.x, y - rect.y)
                            }
                        }
                        if sum == 0 { continue }
                        // 0…65280 is nothing to all; a block at the picture's odd edge counts as whole.
                        let part = sum * opacity / shares
                        for byte in 0..<plane.bytesPerPixel {
                            let at = column * plane.bytesPerPixel + byte
                            let under = unsafe Int(line[at])
                            let over = Int(targets[byte])
                            unsafe line[at] = UInt8(
                                truncatingIfNeeded: (under * (65280 - part) + over * part + 32640) / 65280)
                        }
                    }
                }
            }
        }
    }
}
