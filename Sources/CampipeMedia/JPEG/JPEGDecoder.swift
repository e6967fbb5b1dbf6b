import CTurboJPEG
package import CampipeKit

/// Decodes JPEGs into pooled planes with TurboJPEG, whole, reduced, or luma only.
///
/// What comes out has full range and BT.601, in the JPEG's own sampling where the house has it: 4:2:0, 4:2:2, 4:4:4,
/// grey. 4:4:0 becomes yuv444 and 4:1:1 yuv422 by repeating colour; RGB, CMYK and odd samplings become yuv444. Planes
/// are written where they stay; only the luma of an odd height, and what is converted, goes through memory in between.
/// Every byte of the picture is written before anybody sees it. One owner, one thread at a time.
@safe package final class JPEGDecoder {
    private let turbo = TurboJPEGHandle(.decompress)
    private let pixelLimit: Int
    private let scratch = Scratch()
    private var eighth = LumaEighth()
    private var threeEighths = ThreeEighths()
    /// Whether plain JPEGs are read by `LumaEighth` and `ThreeEighths` where that is asked for; tests compare.
    var readsEighths = true

    /// A decoder without state between pictures.
    ///
    /// - Parameter pixelLimit: A JPEG that claims more pixels is refused before anything is allocated.
    package init(pixelLimit: Int = 100_000_000) { self.pixelLimit = pixelLimit }

    /// Decodes a packet; the frame takes over its times and refers to it as its origin.
    ///
    /// The frame is marked damaged when the packet was, or when the decoder had to guess (a missing end, a broken
    /// interval).
    ///
    /// - Parameters:
    ///   - scale: How much to reduce; see `JPEGScale.init(of:forWidth:)`.
    ///   - lumaOnly: Whether a grey picture will do; it costs about two thirds.
    ///   - pool: Where the memory comes from.
    /// - Throws: `.badData` when there is no picture in it; `.unsupported` when it is larger than the limit.
    package func decode(
        _ packet: Packet, scale: JPEGScale = .full, lumaOnly: Bool = false, pool: FramePool
    ) throws(CampipeError) -> Frame {
        let (pixels, isDamaged) = try decode(packet.data, scale: scale, lumaOnly: lumaOnly, pool: pool)
        var frame = Frame(
            pixels, range: .full, matrix: .bt601, rate: packet.format.rate, captured: packet.captured, pts: packet.pts,
            origin: packet)
        if isDamaged || packet.isDamaged { frame.isDamaged = true }
        return frame
    }

    /// Decodes a packet to the strongest reduction that is still at least `maxWidth` wide.
    ///
    /// - Throws: As `decode(_:scale:lumaOnly:pool:)`.
    package func decode(
        _ packet: Packet, maxWidth: Int?, lumaOnly: Bool = false, pool: FramePool
    ) throws(CampipeError) -> Frame {
        var scale = JPEGScale.full
        if let maxWidth { scale = JPEGScale(of: try JPEGHeader(packet.data).size, forWidth: maxWidth) }
        return try decode(packet, scale: scale, lumaOnly: lumaOnly, pool: pool)
    }

    /// Decodes bytes alone.
    ///
    /// - Returns: The picture, and whether the decoder had to guess some of it.
    /// - Throws: As `decode(_:scale:lumaOnly:pool:)`.
    package func decode(
        _ bytes: Bytes, scale: JPEGScale = .full, lumaOnly: Bool = false, pool: FramePool
    ) throws(CampipeError) -> (pixels: PixelBuffer, isDamaged: Bool) {
        let header = try JPEGHeader(bytes)
        guard header.size.pixels <= pixelLimit else {
            throw CampipeError(
                .unsupported, "cannot decode a JPEG of \(header.size): more than \(pixelLimit) pixels",
                context: [("size", header.size.description)])
        }
        return unsafe try bytes.withBytes { (jpeg) throws(CampipeError) in
            let size = scale.size(of: header.size)
            let kind = unsafe try layout(jpeg)
            if kind.isCMYK {
                let order: PackedPixels.Order = header.isAdobe ? .invertedCMYK : .cmyk
                return unsafe try unpacked(jpeg, size, order, lumaOnly, pool)
            }
            if lumaOnly || kind.sampling == TJSAMP_GRAY {
                let buffer = pool.buffer(.gray8, size)
                if kind.sampling != nil, unsafe read(jpeg, header.size, scale, into: buffer) { return (buffer, false) }
                return unsafe try luma(jpeg, into: buffer)
            }
            guard let sampling = kind.sampling else { return unsafe try unpacked(jpeg, size, .rgb, false, pool) }
            return unsafe try planes(jpeg, header.size, scale, sampling, pool)
        }
    }

    /// How the JPEG holds colour: the sampling is nil where there are no planes of YCbCr that TurboJPEG can hand out.
    private func layout(_ jpeg: UnsafeRawBufferPointer) throws(CampipeError) -> (sampling: TJSAMP?, isCMYK: Bool) {
        let (sampling, space) = unsafe try turbo.color(of: jpeg)
        if space == TJCS_CMYK || space == TJCS_YCCK { return (nil, true) }
        return (space == TJCS_YCbCr || space == TJCS_GRAY ? sampling : nil, false)
    }

    /// Reads a plain JPEG of this size without TurboJPEG, where one of the readers of eighths can.
    ///
    /// - Parameter buffer: Planes as the JPEG has them, or its luma alone.
    /// - Returns: Whether it was taken; if not, there may be anything in the buffer.
    private func read(
        _ jpeg: UnsafeRawBufferPointer, _ whole: Size, _ scale: JPEGScale, into buffer: PixelBuffer
    ) -> Bool {
        guard readsEighths else { return false }
        let size = (whole.width, whole.height)
        switch scale {
        case .eighth where buffer.planes.count == 1:
            return unsafe buffer.withMutablePlane(0) { luma, plane in
                unsafe eighth.decode(jpeg, size: size, into: luma, stride: plane.stride)
            }
        case .threeEighths where JPEGScale.half.size(of: whole) != scale.size(of: whole):
            // TurboJPEG is told a size, and of the smallest pictures takes a half for three eighths.
            return unsafe buffer.withMutablePlane(0) { luma, first in
                let targets = unsafe buffer.planes.map {
                    unsafe ThreeEighths.Target(
                        start: luma + ($0.offset - first.offset), stride: $0.stride, width: $0.width, height: $0.height)
                }
                return unsafe threeEighths.decode(jpeg, size: size, into: targets)
            }
        default: return false
        }
    }

    private func luma(
        _ jpeg: UnsafeRawBufferPointer, into buffer: PixelBuffer
    ) throws(CampipeError) -> (pixels: PixelBuffer, isDamaged: Bool) {
        let damaged = unsafe try buffer.withMutablePlane(0) { (luma, plane) throws(CampipeError) in
            unsafe try pack(
                jpeg, Size(plane.width, plane.height), TJPF_GRAY, into: luma, pitch: plane.stride)
        }
        return (buffer, damaged)
    }

    private func unpacked(
        _ jpeg: UnsafeRawBufferPointer, _ size: Size, _ order: PackedPixels.Order, _ lumaOnly: Bool, _ pool: FramePool
    ) throws(CampipeError) -> (pixels: PixelBuffer, isDamaged: Bool) {
        let pitch = size.width * order.bytesPerPixel
        return unsafe try scratch.withBytes(pitch * size.height) { (packed) throws(CampipeError) in
            let format = order == .rgb ? TJPF_RGB : TJPF_CMYK
            let damaged = unsafe try pack(jpeg, size, format, into: packed, pitch: pitch)
            let buffer = pool.buffer(lumaOnly ? .gray8 : .yuv444, size)
            unsafe PackedPixels.unpack(packed, order, into: buffer)
            return (buffer, damaged)
        }
    }

    private func pack(
        _ jpeg: UnsafeRawBufferPointer, _ size: Size, _ format: TJPF, into target: UnsafeMutablePointer<UInt8>,
        pitch: Int
    ) throws(CampipeError) -> Bool {
        func decode() throws(CampipeError) -> Bool {
            let result = unsafe tjDecompress2(
                turbo.pointer, TurboJPEGHandle.start(jpeg), UInt(jpeg.count), target, Int32(size.width), Int32(pitch),
                Int32(size.height), format.rawValue, TJFLAG_LIMITSCANS)
            return try turbo.check(result, "cannot decode the JPEG")
        }
        guard try decode() else { return false }
        unsafe target.update(repeating: Self.grey, count: pitch * size.height)
        let damaged = try decode()
        unsafe try requireMore(than: Self.grey, in: UnsafeBufferPointer(start: target, count: pitch * size.height))
        return damaged
    }

    /// What is where a damaged JPEG gives nothing. TurboJPEG calls it a warning too when it gave up in the middle, or
    /// before the first row; the memory may hold another camera's picture. So a damaged one is decoded again, onto grey.
    private static let grey: UInt8 = 128

    /// Tells a picture with a hole from a failure behind a warning, of which nothing came: the grey is all there is.
    private func requireMore(
        than grey: UInt8, in decoded: UnsafeBufferPointer<UInt8>
    ) throws(CampipeError) {
        if unsafe decoded.contains(where: { $0 != grey }) { return }
        throw CampipeError(.badData, "cannot decode the JPEG: \(turbo.text)")
    }

    private func planes(
        _ jpeg: UnsafeRawBufferPointer, _ whole: Size, _ scale: JPEGScale, _ sampling: TJSAMP, _ pool: FramePool
    ) throws(CampipeError) -> (pixels: PixelBuffer, isDamaged: Bool) {
        let size = scale.size(of: whole)
        let pixel: PixelFormat =
            switch sampling {
            case TJSAMP_420: .yuv420
            case TJSAMP_422, TJSAMP_411: .yuv422
            default: .yuv444
            }
        let buffer = pool.buffer(pixel, size)
        let repeatsColor = sampling == TJSAMP_411 || sampling == TJSAMP_440
        if !repeatsColor, unsafe read(jpeg, whole, scale, into: buffer) { return (buffer, false) }
        // TurboJPEG rounds the luma plane up to whole blocks of colour. Wider fits into our strides; one row more does
        // not.
        let paddedHeight = Int(tjPlaneHeight(0, Int32(size.height), sampling.rawValue.asInt32))
        let lumaStride = buffer.planes[0].stride
        let lumaBytes = paddedHeight == size.height ? 0 : lumaStride * paddedHeight
        let color = Size(
            Int(tjPlaneWidth(1, Int32(size.width), sampling.rawValue.asInt32)),
            Int(tjPlaneHeight(1, Int32(size.height), sampling.rawValue.asInt32)))
        let colorBytes = repeatsColor ? color.pixels : 0
        return unsafe try scratch.withBytes(lumaBytes + 2 * colorBytes + 1) { (between) throws(CampipeError) in
            let colors = unsafe between + lumaBytes
            let damaged = unsafe try withPlanes(of: buffer) { (own, strides) throws(CampipeError) in
                var targets: [UnsafeMutablePointer<UInt8>?] = unsafe own
                var strides = strides
                if lumaBytes > 0 { unsafe targets[0] = between }
                if repeatsColor {
                    for index in 1...2 {
                        unsafe targets[index] = colors + (index - 1) * colorBytes
                        strides[index] = Int32(color.width)
                    }
                }
                func decode() throws(CampipeError) -> Bool {
                    let result = unsafe tjDecompressToYUVPlanes(
                        turbo.pointer, TurboJPEGHandle.start(jpeg), UInt(jpeg.count), &targets, Int32(size.width),
                        &strides,
                        Int32(size.height), TJFLAG_LIMITSCANS)
                    return try turbo.check(result, "cannot decode the JPEG")
                }
                guard try decode() else { return false }
                unsafe between.update(repeating: Self.grey, count: lumaBytes + 2 * colorBytes)
                for (index, plane) in buffer.planes.enumerated() {
                    unsafe own[index]?.update(repeating: Self.grey, count: plane.stride * plane.height)
                }
                let damaged = try decode()
                let luma = lumaBytes > 0 ? lumaBytes : lumaStride * size.height
                unsafe try requireMore(
                    than: Self.grey, in: UnsafeBufferPointer(UnsafeMutableBufferPointer(start: targets[0], count: luma))
                )
                return damaged
            }
            if lumaBytes > 0 {
                unsafe buffer.withMutablePlane(0) { luma, plane in
                    unsafe luma.update(from: between, count: plane.stride * plane.height)
                }
            }
            if repeatsColor {
                for index in 1...2 {
                    unsafe buffer.withMutablePlane(index) { target, plane in
                        unsafe Self.repeatColor(
                            colors + (index - 1) * colorBytes, color, into: target, plane, wider: sampling == TJSAMP_411
                        )
                    }
                }
            }
            return (buffer, damaged)
        }
    }

    /// Writes each column (`wider`) or each row twice.
    private static func repeatColor(
        _ source: UnsafePointer<UInt8>, _ size: Size, into target: UnsafeMutablePointer<UInt8>,
        _ plane: PixelBuffer.Plane, wider: Bool
    ) {
        for y in 0..<plane.height {
            let row = unsafe target + y * plane.stride
            let from = unsafe source + (wider ? y : y / 2) * size.width
            if wider {
                for x in 0..<plane.width { unsafe row[x] = from[x / 2] }
            } else {
                unsafe row.update(from: from, count: plane.width)
            }
        }
    }

    /// Lends the starts and strides of all three planes at once.
    private func withPlanes<Result>(
        of buffer: PixelBuffer,
        _ body: ([UnsafeMutablePointer<UInt8>?], [Int32]) throws(CampipeError) -> Result
    ) throws(CampipeError) -> Result {
        unsafe try buffer.withMutablePlane(0) { (first, one) throws(CampipeError) in
            let starts = unsafe buffer.planes.map { unsafe Optional(first + ($0.offset - one.offset)) }
            return unsafe try body(starts, buffer.planes.map { Int32($0.stride) })
        }
    }
}

extension UInt32 {
    /// An enum's value as the int that TurboJPEG's functions take.
    var asInt32: Int32 { Int32(bitPattern: self) }
}
