import CampipeKit
import CampipeMedia

/// The picture that says that there is none.
enum NoSignalPicture {
    /// A dark grey picture with NO SIGNAL in the middle, as a JPEG.
    ///
    /// - Throws: What the encoder throws.
    static func jpeg(_ size: Size, pool: FramePool) throws -> Bytes {
        let buffer = pool.buffer(.yuv420, size)
        for index in buffer.planes.indices {
            unsafe buffer.withMutablePlane(index) { base, plane in
                unsafe base.update(repeating: index == 0 ? 40 : 128, count: plane.stride * plane.height)
            }
        }
        let frame = Frame(buffer, captured: .zero, pts: MediaTime(.zero))
        return try JPEGEncoder().encode(frame, quality: 80, pool: pool)
    }
}
