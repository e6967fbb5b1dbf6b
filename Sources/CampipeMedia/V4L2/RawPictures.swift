package import CampipeKit

/// Makes frames' pixels of what cameras give without coding it.
package enum RawPictures {
    /// - Returns: nil where bytes are missing.
    package static func pixels(_ bytes: Bytes, _ facts: CaptureFacts, pool: FramePool) -> PixelBuffer? {
        guard let pixel = facts.layout.pixel else { return nil }
        let row = facts.bytesPerRow
        let size = facts.size
        let colorRows = (size.height + 1) / 2
        let needed =
            switch facts.layout {
            case .nv12: row * (size.height + colorRows)
            case .yuv420: row * size.height + row / 2 * colorRows * 2
            default: row * size.height
            }
        guard bytes.count >= needed else { return nil }
        let buffer = pool.buffer(pixel, size)
        unsafe bytes.withBytes { bytes in
            switch facts.layout {
            case .yuyv: unsafe unpack(bytes, row, buffer)
            case .yuv420:
                unsafe copy(bytes, from: 0, row, to: buffer, 0)
                unsafe copy(bytes, from: row * size.height, row / 2, to: buffer, 1)
                unsafe copy(bytes, from: row * size.height + row / 2 * colorRows, row / 2, to: buffer, 2)
            case .nv12:
                unsafe copy(bytes, from: 0, row, to: buffer, 0)
                unsafe copy(bytes, from: row * size.height, row, to: buffer, 1)
            case .mjpeg, .gray, .rgb24: unsafe copy(bytes, from: 0, row, to: buffer, 0)
            }
        }
        return buffer
    }

    private static func copy(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ row: Int, to buffer: PixelBuffer, _ index: Int
    ) {
        guard let base = bytes.baseAddress else { return }
        unsafe buffer.withMutablePlane(index) { target, plane in
            let count = min(row, plane.width * plane.bytesPerPixel)
            for y in 0..<plane.height {
                unsafe UnsafeMutableRawPointer(target + y * plane.stride)
                    .copyMemory(from: base + (start + y * row), byteCount: count)
            }
        }
    }

    /// YUYV to three planes; of an odd width the last pixel has half a pair.
    private static func unpack(_ bytes: UnsafeRawBufferPointer, _ row: Int, _ buffer: PixelBuffer) {
        guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        unsafe buffer.withMutablePlane(0) { luma, plane in
            unsafe buffer.withMutablePlane(1) { blue, half in
                unsafe buffer.withMutablePlane(2) { red, _ in
                    for y in 0..<plane.height {
                        let source = unsafe base + y * row
                        let (l, b, r) = unsafe (luma + y * plane.stride, blue + y * half.stride, red + y * half.stride)
                        for x in 0..<(plane.width / 2) {
                            unsafe l[x &* 2] = source[x &* 4]
                            unsafe b[x] = source[x &* 4 &+ 1]
                            unsafe l[x &* 2 &+ 1] = source[x &* 4 &+ 2]
                            unsafe r[x] = source[x &* 4 &+ 3]
                        }
                        guard plane.width % 2 == 1, half.width > plane.width / 2 else { continue }
                        let x = plane.width / 2
                        unsafe l[x * 2] = source[x * 4]
                        unsafe (b[x], r[x]) = x > 0 ? (b[x - 1], r[x - 1]) : (128, 128)
                    }
                }
            }
        }
    }
}
