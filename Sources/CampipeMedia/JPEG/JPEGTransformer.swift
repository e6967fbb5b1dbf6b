import CTurboJPEG
package import CampipeKit

/// Turns, mirrors and crops JPEGs without decoding them: blocks are moved as they are coded, so nothing is lost.
///
/// What is beside the picture in the file (EXIF with its own orientation and thumbnail, comments) is left out. One owner,
/// one thread at a time.
@safe package final class JPEGTransformer {
    private let turbo = TurboJPEGHandle(.transform)
    private let pixelLimit: Int

    /// A transformer without state between pictures.
    ///
    /// - Parameter pixelLimit: A JPEG that claims more pixels is refused before anything is allocated.
    package init(pixelLimit: Int = 100_000_000) { self.pixelLimit = pixelLimit }

    /// Cuts a part out of a JPEG, and turns that.
    ///
    /// - Parameters:
    ///   - part: What is taken, in pixels; all of it where left out.
    ///   - orientation: How it is turned then.
    /// - Returns: The JPEG, and whether some of it had to be guessed; nil where it would not be whole: an edge of the
    ///   part, or one that a turn moves to the left or the top, lies within a block. Blocks are 8 pixels wide and high,
    ///   16 where the colour is at half resolution.
    /// - Throws: `.badData` when there is no picture in it; `.unsupported` when it is larger than the limit.
    package func transform(
        _ jpeg: Bytes, part: PixelRect? = nil, _ orientation: Orientation
    ) throws(CampipeError) -> (jpeg: Bytes, isDamaged: Bool)? {
        let header = try JPEGHeader(jpeg)
        guard header.size.pixels <= pixelLimit else {
            throw CampipeError(.unsupported, "cannot turn a JPEG of \(header.size): more than \(pixelLimit) pixels")
        }
        guard let block = try block(jpeg) else { return nil }
        var (result, isDamaged, size) = (jpeg, false, header.size)
        if let part, part != PixelRect(size) {
            func isEdge(_ place: Int, _ block: Int, _ end: Int) -> Bool { place % block == 0 || place == end }
            guard isEdge(part.x, block.width, 0), isEdge(part.y, block.height, 0),
                isEdge(part.x + part.width, block.width, size.width),
                isEdge(part.y + part.height, block.height, size.height)
            else { return nil }
            guard let made = try run(result, TJXOP_NONE, region: part) else { return nil }
            (result, isDamaged, size) = (made.jpeg, made.isDamaged, part.size)
        }
        let (acrossIsMoved, downIsMoved) =
            orientation.transposes
            ? (orientation.mirrorsY, orientation.mirrorsX) : (orientation.mirrorsX, orientation.mirrorsY)
        guard !acrossIsMoved || size.width % block.width == 0, !downIsMoved || size.height % block.height == 0 else {
            return nil
        }
        if orientation == .upright { return (result, isDamaged) }
        guard let made = try run(result, Self.operation(orientation), region: nil) else { return nil }
        return (made.jpeg, isDamaged || made.isDamaged)
    }

    private static func operation(_ orientation: Orientation) -> TJXOP {
        switch (orientation.transposes, orientation.mirrorsX, orientation.mirrorsY) {
        case (false, false, false): TJXOP_NONE
        case (false, true, false): TJXOP_HFLIP
        case (false, false, true): TJXOP_VFLIP
        case (false, true, true): TJXOP_ROT180
        case (true, false, false): TJXOP_TRANSPOSE
        case (true, true, false): TJXOP_ROT90
        case (true, false, true): TJXOP_ROT270
        case (true, true, true): TJXOP_TRANSVERSE
        }
    }

    /// The size of the least unit of a JPEG, in pixels; nil of a sampling that TurboJPEG has no name for.
    private func block(_ jpeg: Bytes) throws(CampipeError) -> Size? {
        let (sampling, _) = unsafe try jpeg.withBytes { (bytes) throws(CampipeError) in
            unsafe try turbo.color(of: bytes)
        }
        switch sampling {
        case TJSAMP_444, TJSAMP_GRAY: return Size(8, 8)
        case TJSAMP_422: return Size(16, 8)
        case TJSAMP_420: return Size(16, 16)
        case TJSAMP_440: return Size(8, 16)
        case TJSAMP_411: return Size(32, 8)
        default: return nil
        }
    }

    private func run(
        _ jpeg: Bytes, _ operation: TJXOP, region: PixelRect?
    ) throws(CampipeError) -> (jpeg: Bytes, isDamaged: Bool)? {
        var transform = unsafe tjtransform()
        unsafe transform.op = Int32(bitPattern: operation.rawValue)
        unsafe transform.options = Int32(TJXOPT_PERFECT | TJXOPT_COPYNONE)
        if let region {
            unsafe transform.options |= Int32(TJXOPT_CROP)
            unsafe transform.r = tjregion(
                x: Int32(region.x), y: Int32(region.y), w: Int32(region.width), h: Int32(region.height))
        }
        var made: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        return unsafe try jpeg.withBytes { (bytes) throws(CampipeError) in
            let result = unsafe tjTransform(
                turbo.pointer, TurboJPEGHandle.start(bytes), UInt(bytes.count), 1, &made, &count,
                &transform, TJFLAG_LIMITSCANS)
            defer {
                unsafe tjFree(made)
                if result != 0 { turbo.renew() }
            }
            let isDamaged = try turbo.check(result, "cannot turn the JPEG")
            guard let start = unsafe made, count > 0 else { return nil }
            return unsafe (Bytes(UnsafeRawBufferPointer(start: start, count: Int(count))), isDamaged)
        }
    }
}
