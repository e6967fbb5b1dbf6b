import CTurboJPEG
package import CampipeKit

/// Encodes frames as JPEGs with TurboJPEG: 4:2:0, 4:4:4 where all colour is kept, or grey where the frame is grey; full
/// range, BT.601, as JFIF asks.
///
/// A full-range BT.601 yuv420 (yuv444), gray8 or rgb24 frame is read where it is; others are converted first. One owner, one
/// thread at a time.
@safe package final class JPEGEncoder {
    private let turbo = TurboJPEGHandle(.compress)
    private let scaler = Scaler()
    private let edges = Scratch()
    private let output = Scratch()

    /// An encoder without state between frames.
    package init() {}

    /// Encodes a frame.
    ///
    /// - Parameters:
    ///   - quality: 1…100; what is outside is taken as the nearest end.
    ///   - keepsColor: Whether colour is kept at full width and height.
    ///   - pool: Where a conversion's memory comes from.
    /// - Returns: One JPEG with JFIF head and Huffman tables.
    /// - Throws: `.unsupported` for a side of more than 65,535 pixels (ITU-T T.81 B.2.2: 16 bits).
    package func encode(
        _ frame: Frame, quality: Int, keepsColor: Bool = false, pool: FramePool
    ) throws(CampipeError) -> Bytes {
        guard frame.size.width <= 65_535, frame.size.height <= 65_535 else {
            throw CampipeError(.unsupported, "cannot encode \(frame.size) as JPEG: a side is at most 65535 pixels")
        }
        let planes: PixelFormat = keepsColor ? .yuv444 : .yuv420
        let pixel = frame.pixel == .gray8 || frame.pixel == .rgb24 ? frame.pixel : planes
        let frame = try scaler.scale(frame, pixel: pixel, range: .full, matrix: .bt601, pool: pool)
        let sampling = pixel == .gray8 ? TJSAMP_GRAY : keepsColor ? TJSAMP_444 : TJSAMP_420
        let size = frame.size
        let capacity = tjBufSize(Int32(size.width), Int32(size.height), sampling.rawValue.asInt32)
        return unsafe try output.withBytes(Int(capacity)) { (target) throws(CampipeError) in
            var jpeg: UnsafeMutablePointer<UInt8>? = unsafe target
            var count = capacity
            let quality = Int32(min(100, max(1, quality)))
            let result: Int32
            switch pixel {
            case .rgb24, .gray8:
                let format = pixel == .gray8 ? TJPF_GRAY : TJPF_RGB
                result = unsafe frame.withPlane(0) { source, plane in
                    unsafe tjCompress2(
                        turbo.pointer, source, Int32(size.width), Int32(plane.stride), Int32(size.height),
                        format.rawValue, &jpeg, &count, sampling.rawValue.asInt32, quality, TJFLAG_NOREALLOC)
                }
            default:
                result = unsafe withEvenPlanes(of: frame) { planes, strides in
                    var planes = unsafe planes
                    var strides = strides
                    return unsafe tjCompressFromYUVPlanes(
                        turbo.pointer, &planes, Int32(size.width), &strides, Int32(size.height),
                        sampling.rawValue.asInt32,
                        &jpeg, &count, quality, TJFLAG_NOREALLOC)
                }
            }
            _ = try turbo.check(result, "cannot encode \(size) as JPEG")
            return unsafe Bytes(UnsafeRawBufferPointer(start: target, count: Int(count)))
        }
    }

    /// Lends the planes of a frame, of yuv420 luma with its last column and row repeated where they are odd, since
    /// TurboJPEG reads whole blocks of colour.
    private func withEvenPlanes(
        of frame: Frame, _ body: ([UnsafePointer<UInt8>?], [Int32]) -> Int32
    ) -> Int32 {
        unsafe frame.withPlane(0) { luma, plane in
            var starts = unsafe frame.pixels.planes.map { unsafe Optional(luma + ($0.offset - plane.offset)) }
            var strides = frame.pixels.planes.map { Int32($0.stride) }
            let isWhole = frame.pixel == .yuv444
            let (width, height) =
                isWhole ? (plane.width, plane.height) : ((plane.width + 1) & ~1, (plane.height + 1) & ~1)
            if width == plane.width, height == plane.height { return unsafe body(starts, strides) }
            return unsafe edges.withBytes(width * height) { even in
                for y in 0..<height {
                    let row = unsafe even + y * width
                    unsafe row.update(from: luma + min(y, plane.height - 1) * plane.stride, count: plane.width)
                    unsafe row[width - 1] = luma[min(y, plane.height - 1) * plane.stride + plane.width - 1]
                }
                unsafe starts[0] = UnsafePointer(even)
                strides[0] = Int32(width)
                return unsafe body(starts, strides)
            }
        }
    }
}
