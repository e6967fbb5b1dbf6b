package import CampipeKit

/// How the pixels of a frame lie in a message: plane behind plane, each row padded to a multiple of `align` bytes.
package struct PixelLayout: Hashable, Sendable {
    package let pixel: PixelFormat
    package let size: Size
    package let planes: [PixelBuffer.Plane]
    /// Bytes of all of it.
    package let byteCount: Int

    /// The longest side of a picture.
    package static let sideLimit = 16_384

    /// - Parameter align: 1 in a stream, 64 in shared memory.
    /// - Throws: `.badData` for a picture that cannot be, or of more bytes than a message has.
    package init(_ pixel: PixelFormat, _ size: Size, align: Int) throws(CampipeError) {
        guard (1...Self.sideLimit).contains(size.width), (1...Self.sideLimit).contains(size.height) else {
            throw CampipeError(
                .badData, "a picture of \(size) cannot be",
                fix: "sides are of 1 to \(Self.sideLimit) pixels")
        }
        var planes: [PixelBuffer.Plane] = []
        var offset = 0
        for index in 0..<pixel.planeCount {
            let plane = pixel.plane(index, of: size)
            let stride = (plane.width * plane.bytesPerPixel + align - 1) / align * align
            planes.append(
                PixelBuffer.Plane(
                    offset: offset, stride: stride, width: plane.width, height: plane.height,
                    bytesPerPixel: plane.bytesPerPixel))
            offset += stride * plane.height
        }
        guard offset <= MessageHeader.dataLimit else {
            throw CampipeError(
                .badData, "a picture of \(size) in \(pixel) has \(ByteCount(bytes: offset))",
                fix: "at most \(ByteCount(bytes: MessageHeader.dataLimit)) are taken")
        }
        self.pixel = pixel
        self.size = size
        self.planes = planes
        byteCount = offset
    }

    /// Copies a picture's pixels into `target`, which has room for `byteCount` bytes.
    package func pack(_ pixels: PixelBuffer, into target: UnsafeMutableRawBufferPointer) {
        precondition(pixels.pixel == pixel && pixels.size == size && target.count >= byteCount, "not this layout")
        guard let base = target.baseAddress else { return }
        for (index, to) in planes.enumerated() {
            unsafe pixels.withPlane(index) { source, from in
                unsafe Self.copy(
                    source, from.stride, (base + to.offset).assumingMemoryBound(to: UInt8.self), to.stride, to)
            }
        }
    }

    /// Copies pixels out of `source`, of `byteCount` bytes, into a buffer that nobody else sees yet.
    package func unpack(_ source: UnsafeRawBufferPointer, into pixels: PixelBuffer) {
        precondition(pixels.pixel == pixel && pixels.size == size && source.count >= byteCount, "not this layout")
        guard let base = source.baseAddress else { return }
        for (index, from) in planes.enumerated() {
            unsafe pixels.withMutablePlane(index) { target, to in
                unsafe Self.copy(
                    (base + from.offset).assumingMemoryBound(to: UInt8.self), from.stride, target, to.stride, from)
            }
        }
    }

    private static func copy(
        _ source: UnsafePointer<UInt8>, _ sourceStride: Int, _ target: UnsafeMutablePointer<UInt8>, _ targetStride: Int,
        _ plane: PixelBuffer.Plane
    ) {
        let row = plane.width * plane.bytesPerPixel
        if sourceStride == targetStride {
            return unsafe target.update(from: source, count: sourceStride * (plane.height - 1) + row)
        }
        for y in 0..<plane.height {
            unsafe (target + y * targetStride).update(from: source + y * sourceStride, count: row)
        }
    }
}
