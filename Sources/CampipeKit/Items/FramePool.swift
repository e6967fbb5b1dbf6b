import Glibc

/// Keeps the memory of pictures that went, for the next ones of the same size; any thread may use it.
///
/// Fresh memory is zero; memory that comes again holds an older picture of this pool, so a decoder writes every pixel.
@safe public final class FramePool: Sendable {
    private struct State: ~Copyable {
        var free: [Int: [Int]] = [:]
        var freeBytes = 0
        var usedBytes = 0
        var copies = 0

        /// Takes memory of other sizes out, until `wanted` bytes are gone or there is none.
        mutating func evict(_ wanted: Int, sparing byteCount: Int) -> [Int] {
            var evicted: [Int] = []
            var bytes = 0
            for size in free.keys where size != byteCount {
                while bytes < wanted, let address = free[size]?.popLast() {
                    evicted.append(address)
                    bytes += size
                }
                if free[size]?.isEmpty == true { free[size] = nil }
            }
            freeBytes -= bytes
            return evicted
        }
    }
    private let state: Lock<State>
    private let keep: Int

    /// - Parameter keep: How much unused memory it holds on to at most.
    public init(keep: ByteCount = .mebibytes(64)) {
        state = Lock(State())
        self.keep = keep.bytes
    }

    /// For frames made outside a pipeline: tests, tools.
    public static let shared = FramePool()

    deinit {
        state.withLock { state in
            for address in state.free.values.joined() {
                unsafe free(UnsafeMutableRawPointer(bitPattern: address))
            }
            state.free = [:]
        }
    }

    /// The most bytes that `picture` gives: 1 GiB, which is 16,384 x 16,384 pixels of `yuv444`, and more.
    public static let largest = ByteCount.gibibytes(1)
    /// The most pixels across or down that a picture has: those of a JPEG (ITU-T T.81, B.2.2).
    private static let longestSide = 65_535

    /// Memory for a picture that nobody else holds: fill it by `withMutablePlane`, and put it into a `Frame`.
    ///
    /// Each row begins at a multiple of `PixelBuffer.alignment` bytes, so a row is `stride` bytes long, of which the picture
    /// has `width * bytesPerPixel`. It is zero, or holds an older picture of this pool.
    ///
    /// - Parameters:
    ///   - pixel: How the pixels lie.
    ///   - size: In pixels, each side from 1 to 65,535.
    /// - Throws: `CampipeError` of kind `.unsupported` where there is no picture of that size or it would take more than
    ///   `largest`, and of kind `.exhausted` where there is no memory for it.
    public func picture(_ pixel: PixelFormat, _ size: Size) throws(CampipeError) -> PixelBuffer {
        guard (1...Self.longestSide).contains(size.width), (1...Self.longestSide).contains(size.height) else {
            throw CampipeError(
                .unsupported, "there is no picture of \(size) pixels",
                fix: "each side has 1 to \(Self.longestSide)")
        }
        let layout = PixelBuffer.Layout(pixel, size)
        guard layout.byteCount <= Self.largest.bytes else {
            throw CampipeError(
                .unsupported, "a picture of \(size) pixels in \(pixel) takes \(layout.byteCount >> 20) MiB",
                fix: "\(Self.largest.bytes >> 20) MiB is the most: make it smaller")
        }
        guard let buffer = taken(layout) else {
            throw CampipeError(.exhausted, "there is no memory for a picture of \(size) pixels in \(pixel)")
        }
        return buffer
    }

    /// As `picture`, for sizes that were checked where they came in; it traps where there is no memory.
    package func buffer(_ pixel: PixelFormat, _ size: Size) -> PixelBuffer {
        precondition(size.width > 0 && size.height > 0, "a picture has pixels, found \(size)")
        guard let buffer = taken(PixelBuffer.Layout(pixel, size)) else {
            preconditionFailure("there is no memory for a picture of \(size) pixels in \(pixel)")
        }
        return buffer
    }

    /// A buffer that nobody else holds; nil where there is no memory for it.
    private func taken(_ layout: PixelBuffer.Layout) -> PixelBuffer? {
        let reused = state.withLock { state -> Int? in
            state.usedBytes += layout.byteCount
            guard let address = state.free[layout.byteCount]?.popLast() else { return nil }
            state.freeBytes -= layout.byteCount
            return address
        }
        if let reused, let base = unsafe UnsafeMutableRawPointer(bitPattern: reused) {
            return unsafe PixelBuffer(pool: self, base: base, layout: layout)
        }
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, PixelBuffer.alignment, layout.byteCount) == 0, let base = unsafe memory
        else {
            state.withLock { $0.usedBytes -= layout.byteCount }
            return nil
        }
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.byteCount)
        return unsafe PixelBuffer(pool: self, base: base, layout: layout)
    }

    func recycle(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        let address = Int(bitPattern: base)
        let freed = state.withLock { state -> [Int] in
            state.usedBytes -= byteCount
            // After a change of size the memory of the old one makes room.
            let excess = state.freeBytes + byteCount - keep
            var freed = excess > 0 && byteCount <= keep ? state.evict(excess, sparing: byteCount) : []
            if state.freeBytes + byteCount <= keep {
                state.free[byteCount, default: []].append(address)
                state.freeBytes += byteCount
            } else {
                freed.append(address)
            }
            return freed
        }
        for address in freed { unsafe free(UnsafeMutableRawPointer(bitPattern: address)) }
    }

    func countCopy() { state.withLock { $0.copies += 1 } }

    /// How many of its pictures were copied because somebody wrote to a shared one.
    public var copies: Int { state.withLock { $0.copies } }

    /// Bytes in pictures that somebody holds.
    public var usedBytes: Int { state.withLock { $0.usedBytes } }
    /// Bytes kept for the next pictures.
    public var freeBytes: Int { state.withLock { $0.freeBytes } }
}
