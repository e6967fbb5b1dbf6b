import CFFmpeg
package import CampipeKit

/// Makes frames of another size, layout, range or matrix with libswscale; keeps its tables while the shapes stay.
///
/// One owner, one thread at a time.
@safe package final class Scaler {
    /// What the context was made for.
    private struct Shape: Hashable {
        var source: FrameFormat
        var sourceSize: Size
        var target: FrameFormat
        var targetSize: Size
    }
    private var context: OpaquePointer?
    private var shape: Shape?

    /// A scaler that has made no tables yet.
    package init() { _ = FFmpeg.silent }

    deinit { unsafe sws_freeContext(context) }

    /// Converts a frame; what is left out stays as it is in the frame.
    ///
    /// - Parameters:
    ///   - part: What is taken of the frame, from even columns and rows on; all of it where left out.
    ///   - size: The new size; by default that of the part.
    ///   - pixel: The new layout. rgb24 always has full range.
    ///   - range: The new range.
    ///   - matrix: The new matrix; of grey and rgb24 it says nothing.
    ///   - fit: What happens when the shapes differ; bars are black.
    ///   - pool: Where the memory comes from.
    /// - Returns: The same frame when nothing is to change; else a new one with the same times and marks.
    package func scale(
        _ frame: Frame, part: PixelRect? = nil, to size: Size? = nil, pixel: PixelFormat? = nil,
        range: ColorRange? = nil,
        matrix: ColorMatrix? = nil, fit: Fit = .stretch, pool: FramePool
    ) throws(CampipeError) -> Frame {
        let part = part ?? PixelRect(frame.size)
        precondition(part.x % 2 == 0 && part.y % 2 == 0, "a part begins where colour does")
        let size = size ?? part.size
        let pixel = pixel ?? frame.pixel
        let range = pixel == .rgb24 ? .full : range ?? frame.format.range
        let matrix = matrix ?? frame.format.matrix
        if part.size == frame.size, size == frame.size, pixel == frame.pixel, range == frame.format.range,
            matrix == frame.format.matrix || !pixel.hasColorPlanes
        {
            return frame
        }
        // swscale takes every grey for full range; so grey in and out goes by its luma, and levels are changed here.
        if frame.pixel == .gray8, frame.format.range == .limited, pixel == .rgb24 {
            let full = try scale(frame, range: .full, pool: pool)
            return try scale(full, part: part, to: size, pixel: pixel, fit: fit, pool: pool)
        }
        let lumaAlone = pixel == .gray8 && frame.pixel.hasLuma || frame.pixel == .gray8 && pixel.hasLuma
        let geometry = FitGeometry(from: part.size, to: size, fit)
        var source = geometry.source
        source.x += part.x
        source.y += part.y
        let buffer = pool.buffer(pixel, size)
        var shape = Shape(
            source: FrameFormat(frame.pixel, range: frame.format.range, matrix: frame.format.matrix),
            sourceSize: geometry.source.size, target: FrameFormat(pixel, range: range, matrix: matrix),
            targetSize: geometry.target.size)
        if lumaAlone { shape.source = .gray8 }
        if lumaAlone || pixel == .gray8 { shape.target = .gray8 }
        try prepare(shape)
        let result = unsafe frame.pixels.withPlane(0) { base, first in
            unsafe buffer.withMutablePlane(0) { target, own in
                var sources = unsafe Self.starts(
                    base, first, frame.pixels, source
                ).map { unsafe $0.map { unsafe UnsafePointer($0) } }
                var targets = unsafe Self.starts(target, own, buffer, geometry.target)
                var sourceStrides = Self.strides(frame.pixels)
                var targetStrides = Self.strides(buffer)
                return unsafe sws_scale(
                    context, &sources, &sourceStrides, 0, Int32(geometry.source.height), &targets, &targetStrides)
            }
        }
        try FFmpeg.check(result, "cannot scale \(part.size) to \(size)")
        if lumaAlone || pixel == .gray8 {
            let before = frame.pixel.hasLuma ? frame.format.range : .full
            if before != range { Levels.change(buffer, to: range) }
            Levels.removeColor(buffer)
        }
        Bars.paint(around: geometry.target, in: buffer, range: range)
        return frame.replacing(buffer, range: range, matrix: matrix)
    }

    private func prepare(_ shape: Shape) throws(CampipeError) {
        if shape == self.shape { return }
        self.shape = nil
        unsafe sws_freeContext(context)
        unsafe context = nil
        guard let context = unsafe sws_alloc_context() else { throw CampipeError(.exhausted, "no memory for a scaler") }
        unsafe self.context = context
        // The ranges must be known before `sws_init_context`, which otherwise picks a plain copy at equal sizes.
        let options: [(String, Int)] = [
            ("srcw", shape.sourceSize.width), ("srch", shape.sourceSize.height),
            ("src_format", Int((shape.source.pixel ?? .yuv420).ffmpeg.rawValue)),
            ("src_range", shape.source.range == .full ? 1 : 0), ("dstw", shape.targetSize.width),
            ("dsth", shape.targetSize.height), ("dst_format", Int((shape.target.pixel ?? .yuv420).ffmpeg.rawValue)),
            ("dst_range", shape.target.range == .full ? 1 : 0),
            ("sws_flags", Int(SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT)),
        ]
        for (name, value) in options {
            try FFmpeg.check(
                unsafe av_opt_set_int(UnsafeMutableRawPointer(context), name, Int64(value), 0),
                "cannot set \(name) of the scaler to \(value)")
        }
        try FFmpeg.check(
            unsafe sws_init_context(context, nil, nil), "cannot scale \(shape.sourceSize) to \(shape.targetSize)")
        let source = unsafe sws_getCoefficients(shape.source.matrix.swscale)
        let target = unsafe sws_getCoefficients(shape.target.matrix.swscale)
        // Contrast and saturation as they are: 1.0 in 16.16. -1 means that there is nothing to set (grey to grey).
        _ = unsafe sws_setColorspaceDetails(
            context, source, shape.source.range == .full ? 1 : 0, target, shape.target.range == .full ? 1 : 0, 0,
            1 << 16,
            1 << 16)
        self.shape = shape
    }

    /// Where a rectangle begins in each of up to four planes.
    private static func starts<P: Strideable>(
        _ first: P, _ plane: PixelBuffer.Plane, _ buffer: PixelBuffer, _ rect: PixelRect
    ) -> [P?] where P.Stride == Int {
        let block = buffer.pixel.colorBlock
        return (0..<4).map { index in
            guard index < buffer.planes.count else { return nil }
            let own = buffer.planes[index]
            let x = index == 0 ? rect.x : rect.x / block.columns
            let y = index == 0 ? rect.y : rect.y / block.rows
            return first.advanced(by: own.offset - plane.offset + y * own.stride + x * own.bytesPerPixel)
        }
    }

    private static func strides(_ buffer: PixelBuffer) -> [Int32] {
        (0..<4).map { $0 < buffer.planes.count ? Int32(buffer.planes[$0].stride) : 0 }
    }
}

extension PixelFormat {
    /// Whether a matrix says anything of it.
    var hasColorPlanes: Bool { self != .gray8 && self != .rgb24 }
}
