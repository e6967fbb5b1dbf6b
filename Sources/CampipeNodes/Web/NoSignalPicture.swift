import CampipeKit
import CampipeMedia

/// The picture that says that there is none.
enum NoSignalPicture {
    /// A dark grey picture with NO SIGNAL in the middle, as a JPEG.
    ///
    /// - Throws: What the encoder throws. Without a font there is no text.
    static func jpeg(_ size: Size, pool: FramePool) throws -> Bytes {
        let buffer = pool.buffer(.yuv420, size)
        for index in buffer.planes.indices {
            unsafe buffer.withMutablePlane(index) { base, plane in
                unsafe base.update(repeating: index == 0 ? 40 : 128, count: plane.stride * plane.height)
            }
        }
        var frame = Frame(buffer, captured: .zero, pts: MediaTime(.zero))
        if let mask = try? TextRenderer(isBold: true).render("NO SIGNAL", height: max(8, size.height / 10)) {
            let (x, y) = ((size.width - mask.width) / 2, (size.height - mask.height) / 2)
            Painting.text(mask, x: x, y: y, RGBColor(200, 200, 200), outline: nil, opacity: 1).paint(on: &frame)
        }
        return try JPEGEncoder().encode(frame, quality: 80, pool: pool)
    }
}
