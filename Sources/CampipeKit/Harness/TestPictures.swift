/// Pictures for tests of nodes, each a line.
extension Frame {
    /// A picture of one level, for tests: `try harness.push(Frame.flat(100))`.
    ///
    /// - Parameters:
    ///   - level: Of each byte in it; what is no luma has 128, which is no colour, but of `rgb24` it has `level` too.
    ///   - pixel: How the pixels lie.
    ///   - size: In pixels.
    ///   - time: When it was captured, from the start on; also its presentation time.
    public static func flat(
        _ level: UInt8, _ pixel: PixelFormat = .gray8, _ size: Size = Size(16, 8), at time: Duration = .zero
    ) -> Frame {
        let buffer = FramePool.shared.buffer(pixel, size)
        for index in 0..<pixel.planeCount {
            unsafe buffer.withMutablePlane(index) { first, plane in
                unsafe first.update(repeating: index == 0 ? level : 128, count: plane.stride * plane.height)
            }
        }
        return Frame(buffer, captured: .zero + time, pts: MediaTime(time))
    }

    /// The byte at a place of a plane, for tests: of the first plane its luma, of `rgb24` the red.
    ///
    /// - Parameters:
    ///   - x: From the left, in bytes: of `rgb24` three a pixel, of the second plane of `nv12` two.
    ///   - y: From the top, in rows of the plane.
    ///   - plane: 0 is the first; a place outside of it traps.
    public func level(x: Int = 0, y: Int = 0, plane index: Int = 0) -> UInt8 {
        unsafe withPlane(index) { first, plane in
            precondition(
                (0..<plane.width * plane.bytesPerPixel).contains(x) && (0..<plane.height).contains(y),
                "there is no byte \(x), \(y) in a plane of \(plane.width)x\(plane.height)")
            return unsafe first[y * plane.stride + x]
        }
    }
}
