/// Memory that one handle uses again and again for what is between two steps; it only grows.
@safe final class Scratch {
    private var base: UnsafeMutableRawBufferPointer

    init() { unsafe base = UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    deinit { unsafe base.deallocate() }

    /// Lends `count` bytes; fresh ones are zero, the others hold what was left in them.
    func withBytes<Result, Failure: Error>(
        _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if unsafe base.count < count {
            unsafe base.deallocate()
            unsafe base = .allocate(byteCount: count, alignment: 64)
            unsafe base.initializeMemory(as: UInt8.self, repeating: 0)
        }
        let start = unsafe base.baseAddress.unsafelyUnwrapped
        return unsafe try body(start.assumingMemoryBound(to: UInt8.self))
    }
}
