import Synchronization

/// The pixels of a frame: one allocation with up to three planes in it, or a foreign picture that is read-only.
///
/// The pointer lives here and nowhere else. `Frame` makes sure that a buffer is written only while one frame holds it.
@safe public final class PixelBuffer: @unchecked Sendable {
    // Written only through a unique reference, which `Frame` checks.

    /// One plane: its size in samples, and where it lies in the buffer, in bytes.
    public struct Plane: Hashable, Sendable {
        /// Bytes from the start of the allocation.
        public var offset: Int
        /// Bytes from one row to the next.
        public var stride: Int
        /// Pixels a row (of nv12's second plane: pairs).
        public var width: Int
        /// Rows.
        public var height: Int
        /// Bytes a column: 3 of `rgb24`, 2 of the second plane of `nv12`, else 1.
        public var bytesPerPixel: Int

        public init(offset: Int, stride: Int, width: Int, height: Int, bytesPerPixel: Int) {
            self.offset = offset
            self.stride = stride
            self.width = width
            self.height = height
            self.bytesPerPixel = bytesPerPixel
        }
    }

    /// How many buffers were copied because somebody wrote to a shared or foreign one; for tests and `/metrics`.
    public static var copies: Int { copyCount.load(ordering: .relaxed) }
    private static let copyCount = Atomic<Int>(0)

    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// Bytes of the whole allocation.
    public let byteCount: Int
    /// How the pixels lie.
    public let pixel: PixelFormat
    /// In pixels, of the first plane.
    public let size: Size
    /// As many as `pixel.planeCount`, in its order.
    public let planes: [Plane]
    /// Whether writing needs a copy first, since the memory belongs to somebody else.
    public let isForeign: Bool
    private let pool: FramePool?
    private let release: (@Sendable () -> Void)?

    /// Rows start at multiples of this, and as many bytes follow the last row, so that SIMD kernels may read over the
    /// end.
    public static let alignment = 64

    init(pool: FramePool, base: UnsafeMutableRawPointer, layout: Layout) {
        unsafe self.base = base
        self.pool = pool
        byteCount = layout.byteCount
        pixel = layout.pixel
        size = layout.size
        planes = layout.planes
        isForeign = false
        release = nil
    }

    /// Shows a foreign picture, such as an AVFrame's.
    ///
    /// - Parameters:
    ///   - base: Where offset 0 of `planes` is; it stays valid and unchanged until `release` is called.
    ///   - release: Called once, on any thread, when the last reference goes.
    public init(
        foreign base: UnsafeMutableRawPointer, byteCount: Int, pixel: PixelFormat, size: Size, planes: [Plane],
        release: @escaping @Sendable () -> Void
    ) {
        precondition(planes.count == pixel.planeCount, "\(pixel) has \(pixel.planeCount) planes, found \(planes.count)")
        unsafe self.base = base
        self.byteCount = byteCount
        self.pixel = pixel
        self.size = size
        self.planes = planes
        isForeign = true
        pool = nil
        self.release = release
    }

    deinit {
        release?()
        if let pool { unsafe pool.recycle(base, byteCount: byteCount) }
    }

    /// Lends a plane for reading; the pointer must not leave `body`. Row `y` begins at `stride * y` bytes; an index that there
    /// is no plane of traps.
    public func withPlane<Result, Failure: Error>(
        _ index: Int, _ body: (UnsafePointer<UInt8>, Plane) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let plane = planes[index]
        return unsafe try body(UnsafePointer((base + plane.offset).assumingMemoryBound(to: UInt8.self)), plane)
    }

    /// Lends a plane for writing, to who knows that nobody else sees this buffer yet: a decoder filling a new one.
    public func withMutablePlane<Result, Failure: Error>(
        _ index: Int, _ body: (UnsafeMutablePointer<UInt8>, Plane) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(!isForeign, "a foreign picture is read-only")
        let plane = planes[index]
        return unsafe try body((base + plane.offset).assumingMemoryBound(to: UInt8.self), plane)
    }

    /// A buffer of the same pixels from the same pool; of a foreign picture from the shared one.
    func copy() -> PixelBuffer {
        Self.copyCount.add(1, ordering: .relaxed)
        let pool = pool ?? .shared
        pool.countCopy()
        return copied(in: pool)
    }

    /// A buffer of the same pixels from a pool, which nobody counts as a copy on write.
    package func copied(in pool: FramePool) -> PixelBuffer {
        let copy = pool.buffer(pixel, size)
        for index in planes.indices {
            unsafe withPlane(index) { source, from in
                unsafe copy.withMutablePlane(index) { target, to in
                    let row = from.width * from.bytesPerPixel
                    for y in 0..<from.height {
                        unsafe (target + y * to.stride).update(from: source + y * from.stride, count: row)
                    }
                }
            }
        }
        return copy
    }

    /// Where the planes of a picture lie in one allocation.
    struct Layout {
        let pixel: PixelFormat
        let size: Size
        let planes: [Plane]
        let byteCount: Int

        init(_ pixel: PixelFormat, _ size: Size) {
            var planes: [Plane] = []
            var offset = 0
            for index in 0..<pixel.planeCount {
                let plane = pixel.plane(index, of: size)
                let row = plane.width * plane.bytesPerPixel
                let stride = (row + PixelBuffer.alignment - 1) / PixelBuffer.alignment * PixelBuffer.alignment
                planes.append(
                    Plane(
                        offset: offset, stride: stride, width: plane.width, height: plane.height,
                        bytesPerPixel: plane.bytesPerPixel))
                offset += stride * plane.height
            }
            self.pixel = pixel
            self.size = size
            self.planes = planes
            byteCount = offset + PixelBuffer.alignment
        }
    }
}
