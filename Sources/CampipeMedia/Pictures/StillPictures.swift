package import CampipeKit

/// The stills that stand for a picture that does not come: the last one dimmed with its age, NO SIGNAL, and WAITING.
///
/// Where the machine has no font they are without text: still dark, still no picture that passes for live.
package final class StillPictures: StillPainter {
    /// Made with the first text, since opening a font takes milliseconds; nil inside when there is none.
    private let renderer = Lock<TextRenderer??>(nil)

    package init() {}

    /// The picture of a packet, darker, as one that is not live is shown. Throws `.badData` where it does not decode.
    package func dimmed(_ packet: Packet, pool: FramePool) throws -> Frame {
        guard packet.format.coding == nil || packet.format.coding == .jpeg else {
            throw CampipeError(.unsupported, "cannot dim a picture that is not JPEG")
        }
        return dimmed(try JPEGDecoder().decode(packet, pool: pool))
    }

    /// A picture, darker, as one that is not live is shown.
    package func dimmed(_ frame: consuming Frame) -> Frame {
        // Two fifths of the light, and no colour: nobody takes it for a dark live picture.
        for index in frame.pixels.planes.indices {
            let isColor = index > 0
            let isPacked = !frame.pixel.hasLuma
            let floor = !isColor && frame.format.range == .limited && !isPacked ? 16 : 0
            unsafe frame.withMutablePlane(index) { base, plane in
                for y in 0..<plane.height {
                    let row = unsafe base + y * plane.stride
                    if isColor {
                        unsafe row.update(repeating: 128, count: plane.width * plane.bytesPerPixel)
                    } else {
                        for x in 0..<plane.width * plane.bytesPerPixel {
                            unsafe row[x] = UInt8((max(0, Int(row[x]) - floor) * 2) / 5 + floor)
                        }
                    }
                }
            }
        }
        return frame
    }

    /// A dimmed picture with its age written on it.
    package func aged(_ dimmed: Frame, by age: Duration) -> Frame {
        var frame = dimmed
        write(Self.text(of: age), on: &frame, share: 14)
        return frame
    }

    /// What is shown in place of a camera that is lost.
    package func noSignal(_ size: Size, pool: FramePool) -> Frame { sign("NO SIGNAL", size, pool) }

    /// What is shown in place of a camera that gave no picture yet.
    package func waiting(_ size: Size, pool: FramePool) -> Frame { sign("WAITING", size, pool) }

    private func sign(_ text: String, _ size: Size, _ pool: FramePool) -> Frame {
        let buffer = pool.buffer(.yuv420, size)
        for index in buffer.planes.indices {
            unsafe buffer.withMutablePlane(index) { base, plane in
                unsafe base.update(repeating: index == 0 ? 40 : 128, count: plane.stride * plane.height)
            }
        }
        var frame = Frame(buffer, range: .full, matrix: .bt601, captured: .zero, pts: MediaTime(.zero))
        write(text, on: &frame, share: 10)
        return frame
    }

    /// The picture as a JPEG, as it is sent to viewers.
    package func jpeg(_ frame: Frame, pool: FramePool) throws -> Bytes {
        try JPEGEncoder().encode(frame, quality: 75, pool: pool)
    }

    /// An age for people: `7 s ago`, `3 min 7 s ago`, `2 h 5 min ago`.
    static func text(of age: Duration) -> String {
        let seconds = Int(max(0, age.nanoseconds / 1_000_000_000))
        switch seconds {
        case ..<60: return "\(seconds) s ago"
        case ..<3600: return "\(seconds / 60) min \(seconds % 60) s ago"
        default: return "\(seconds / 3600) h \(seconds / 60 % 60) min ago"
        }
    }

    /// Writes a line into the middle, its height one part in `share` of the picture's; smaller where it is too wide.
    private func write(_ text: String, on frame: inout Frame, share: Int) {
        let size = frame.size
        let mask = renderer.withLock { kept -> TextMask? in
            if kept == nil { kept = .some(try? TextRenderer(isBold: true)) }
            guard let renderer = kept ?? nil else { return nil }
            let height = max(8, size.height / share)
            guard let mask = try? renderer.render(text, height: height, outline: max(1, height / 12)) else {
                return nil
            }
            guard mask.width > size.width else { return mask }
            return try? renderer.render(text, height: max(4, height * size.width / mask.width - 1), outline: 1)
        }
        guard let mask else { return }
        let (x, y) = ((size.width - mask.width) / 2, (size.height - mask.height) / 2)
        Painting.text(
            mask, x: x, y: y, RGBColor(235, 235, 235), outline: RGBColor(0, 0, 0), opacity: 1
        ).paint(on: &frame)
    }
}
