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
                unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
            }
            state.free = [:]
        }
    }

    /// A buffer that nobody else holds.
    public func buffer(_ pixel: PixelFormat, _ size: Size) -> PixelBuffer {
        precondition(size.width > 0 && size.height > 0, "a picture has pixels, found \(size)")
        let layout = PixelBuffer.Layout(pixel, size)
        let reused = state.withLock { state -> Int? in
            state.usedBytes += layout.byteCount
            guard let address = state.free[layout.byteCount]?.popLast() else { return nil }
            state.freeBytes -= layout.byteCount
            return address
        }
        if let reused, let base = unsafe UnsafeMutableRawPointer(bitPattern: reused) {
            return unsafe PixelBuffer(pool: self, base: base, layout: layout)
        }
        let base = UnsafeMutableRawPointer.allocate(byteCount: layout.byteCount, alignment: PixelBuffer.alignment)
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
        for address in freed { unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }

    func countCopy() { state.withLock { $0.copies += 1 } }

    /// How many of its pictures were copied because somebody wrote to a shared one.
    public var copies: Int { state.withLock { $0.copies } }

    /// Bytes in pictures that somebody holds.
    public var usedBytes: Int { state.withLock { $0.usedBytes } }
    /// Bytes kept for the next pictures.
    public var freeBytes: Int { state.withLock { $0.freeBytes } }
}
