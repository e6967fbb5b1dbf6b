package import CampipeKit

/// A picture with transparency, made ready for the planes of one format: painting it converts nothing.
package struct PictureStamp: Sendable {
    private struct Plane {
        var width: Int
        var height: Int
        /// What is added, multiplied by alpha, and alpha: both a column's bytes, row by row.
        var over: [UInt8]
        var alpha: [UInt8]
    }
    /// Where it stands.
    package let rect: PixelRect
    private let format: FrameFormat
    private let planes: [Plane]

    /// Converts a picture with the range and matrix of the frames that it is for; a grey frame takes its luma.
    ///
    /// - Parameters:
    ///   - picture: As large as it is to be; what lies outside of the frame is cut off.
    ///   - x: Columns to its left; taken as the even number below, so that subsampled colour stays in place.
    ///   - y: Rows above it, as `x`.
    ///   - opacity: 0…1.
    ///   - format: Of the frames; its layout must be known.
    package init(_ picture: AlphaPicture, x: Int, y: Int, opacity: Double, format: FrameFormat) {
        let pixel = format.pixel ?? .yuv420
        rect = PixelRect(x: x & ~1, y: y & ~1, width: picture.width, height: picture.height)
        self.format = format
        let opacity = min(1, max(0, opacity))
        let weights = ChannelWeights(format.range, format.matrix)
        let channels: [[ChannelWeights.Channel]] =
            switch pixel {
            case .rgb24: [[.red, .green, .blue]]
            case .gray8: [[weights.luma]]
            case .nv12: [[weights.luma], [weights.blueDifference, weights.redDifference]]
            case .yuv420, .yuv422, .yuv444: [[weights.luma], [weights.blueDifference], [weights.redDifference]]
            }
        planes = channels.enumerated().map { index, channels in
            let block = index == 0 ? (columns: 1, rows: 1) : pixel.colorBlock
            return Self.plane(of: picture, channels, block, opacity)
        }
    }

    private static func plane(
        of picture: AlphaPicture, _ channels: [ChannelWeights.Channel], _ block: (columns: Int, rows: Int),
        _ opacity: Double
    ) -> Plane {
        let width = (picture.width + block.columns - 1) / block.columns
        let height = (picture.height + block.rows - 1) / block.rows
        let share = opacity / Double(block.columns * block.rows)
        var plane = Plane(
            width: width, height: height, over: [UInt8](repeating: 0, count: width * height * channels.count),
            alpha: [UInt8](repeating: 0, count: width * height * channels.count))
        for row in 0..<height {
            for column in 0..<width {
                // A block at the odd edge counts as whole: what is missing there is transparent.
                var sums = (red: 0, green: 0, blue: 0, alpha: 0)
                for y in row * block.rows..<min(picture.height, (row + 1) * block.rows) {
                    for x in column * block.columns..<min(picture.width, (column + 1) * block.columns) {
                        let at = (y * picture.width + x) * 4
                        sums.red += Int(picture.pixels[at])
                        sums.green += Int(picture.pixels[at + 1])
                        sums.blue += Int(picture.pixels[at + 2])
                        sums.alpha += Int(picture.pixels[at + 3])
                    }
                }
                for (byte, channel) in channels.enumerated() {
                    let value = channel.level(
                        red: Double(sums.red), green: Double(sums.green), blue: Double(sums.blue),
                        whole: Double(sums.alpha))
                    let at = (row * width + column) * channels.count + byte
                    plane.over[at] = UInt8(min(255, max(0, (value * share).rounded())))
                    plane.alpha[at] = UInt8(min(255, (Double(sums.alpha) * share).rounded()))
                }
            }
        }
        return plane
    }

    /// Blends it into a frame of the format it was made for, in place.
    package func paint(on frame: inout Frame) {
        let pixel = format.pixel ?? .yuv420
        precondition(frame.pixel == pixel, "the stamp was made for \(pixel)")
        for (index, stamp) in planes.enumerated() {
            let block = index == 0 ? (columns: 1, rows: 1) : pixel.colorBlock
            let (left, top) = (rect.x / block.columns, rect.y / block.rows)
            unsafe frame.withMutablePlane(index) { base, plane in
                let bytes = plane.bytesPerPixel
                let columns = max(0, -left)..<max(max(0, -left), min(stamp.width, plane.width - left))
                for y in max(0, -top)..<max(max(0, -top), min(stamp.height, plane.height - top)) {
                    let line = unsafe base + (top + y) * plane.stride + left * bytes
                    let row = y * stamp.width * bytes
                    for at in columns.lowerBound * bytes..<columns.upperBound * bytes {
                        let alpha = Int(stamp.alpha[row + at])
                        if alpha == 0 { continue }
                        let under = unsafe Int(line[at]) * (255 - alpha)
                        unsafe line[at] = UInt8(min(255, Int(stamp.over[row + at]) + (under + 127) / 255))
                    }
                }
            }
        }
    }
}
