import CFFmpeg
import CampipeKit

/// Shows FFmpeg's pictures as pixel buffers: by reference where the layouts agree, converted where not.
@safe final class ForeignPictures {
    typealias Shown = (pixels: PixelBuffer, range: ColorRange, matrix: ColorMatrix)

    private var context: OpaquePointer?
    private var shape: (width: Int32, height: Int32, format: Int32)?

    deinit { unsafe sws_freeContext(context) }

    /// Takes over the picture's reference; `picture` is blank afterwards.
    ///
    /// - Throws: `.badData` for a picture without pixels, `.unsupported` where swscale cannot read the layout.
    func take(_ picture: UnsafeMutablePointer<AVFrame>, _ pool: FramePool) throws(CampipeError) -> Shown {
        defer { unsafe av_frame_unref(picture) }
        let own = unsafe picture.pointee
        let size = unsafe Size(Int(own.width), Int(own.height))
        let layout = unsafe AVPixelFormat(own.format)
        guard size.width > 0, size.height > 0, let first = unsafe own.data.0 else {
            throw CampipeError(.badData, "the decoder gave a picture without pixels")
        }
        // JPEG's layouts, grey and RGB use all levels without saying so.
        let isFull =
            unsafe own.color_range == AVCOL_RANGE_JPEG
            || own.color_range == AVCOL_RANGE_UNSPECIFIED
                && [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_GRAY8].contains(layout)
        let matrix = unsafe ColorMatrix(ffmpeg: own.colorspace, size: size)
        let strides = unsafe [own.linesize.0, own.linesize.1, own.linesize.2].map(Int.init)
        guard let pixel = PixelFormat(ffmpeg: layout), strides[..<pixel.planeCount].allSatisfy({ $0 > 0 }) else {
            return (try unsafe convert(picture, size, pool), .full, .bt601)
        }
        guard let moved = unsafe av_frame_alloc() else { throw CampipeError(.exhausted, "no memory for a picture") }
        unsafe av_frame_move_ref(moved, picture)
        let base = UnsafeMutableRawPointer(first)
        let starts = unsafe [own.data.0, own.data.1, own.data.2]
        // The Kit makes planes only together with memory, so these begin as those of the smallest picture.
        var planes = pool.buffer(pixel, Size(1, 1)).planes
        for index in planes.indices {
            let plane = pixel.plane(index, of: size)
            let start = unsafe starts[index].map { UnsafeMutableRawPointer($0) } ?? base
            planes[index].offset = unsafe start - base
            planes[index].stride = strides[index]
            planes[index].width = plane.width
            planes[index].height = plane.height
        }
        let address = Int(bitPattern: moved)
        let bytes = planes.reduce(0) { $0 + $1.stride * $1.height }
        let pixels = unsafe PixelBuffer(foreign: base, byteCount: bytes, pixel: pixel, size: size, planes: planes) {
            var picture = unsafe UnsafeMutablePointer<AVFrame>(bitPattern: address)
            unsafe av_frame_free(&picture)
        }
        return (pixels, isFull || pixel == .rgb24 ? .full : .limited, matrix)
    }

    /// Any other layout as full-range BT.601 yuv420.
    private func convert(
        _ picture: UnsafeMutablePointer<AVFrame>, _ size: Size, _ pool: FramePool
    ) throws(CampipeError) -> PixelBuffer {
        let own = unsafe picture.pointee
        let now = unsafe (own.width, own.height, own.format)
        if shape.map({ $0 != now }) ?? true {
            shape = nil
            unsafe sws_freeContext(context)
            unsafe context = unsafe sws_getContext(
                own.width, own.height, AVPixelFormat(own.format), own.width, own.height, AV_PIX_FMT_YUVJ420P,
                SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nil, nil, nil)
            guard unsafe context != nil else {
                let name = unsafe av_get_pix_fmt_name(AVPixelFormat(own.format)).map { unsafe String(cString: $0) }
                throw CampipeError(.unsupported, "cannot convert pictures of the layout \(name ?? "unknown")")
            }
            let full: Int32 = unsafe own.color_range == AVCOL_RANGE_JPEG ? 1 : 0
            let source = unsafe sws_getCoefficients(ColorMatrix(ffmpeg: own.colorspace, size: size).swscale)
            let target = unsafe sws_getCoefficients(ColorMatrix.bt601.swscale)
            _ = unsafe sws_setColorspaceDetails(context, source, full, target, 1, 0, 1 << 16, 1 << 16)
            shape = now
        }
        let buffer = pool.buffer(.yuv420, size)
        let result = unsafe buffer.withMutablePlane(0) { base, first in
            let inputs = unsafe [own.data.0, own.data.1, own.data.2, own.data.3]
            var sources = unsafe inputs.map { unsafe $0.map { unsafe UnsafePointer($0) } }
            var sourceStrides = unsafe [own.linesize.0, own.linesize.1, own.linesize.2, own.linesize.3]
            var targets = unsafe buffer.planes.map { unsafe Optional(base + ($0.offset - first.offset)) } + [nil]
            var targetStrides = buffer.planes.map { Int32($0.stride) } + [0]
            return unsafe sws_scale(context, &sources, &sourceStrides, 0, own.height, &targets, &targetStrides)
        }
        try FFmpeg.check(result, "cannot convert a picture of \(size)")
        return buffer
    }
}
