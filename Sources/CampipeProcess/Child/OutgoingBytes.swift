/// Bytes that wait to be written, in one piece of memory that is kept for the next ones.
///
/// One owner, in one node's turns.
@safe final class OutgoingBytes {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    private var filled = 0
    private var sent = 0

    deinit { unsafe memory.deallocate() }

    /// Whether all that was appended is gone.
    var isEmpty: Bool { sent == filled }

    func append(_ bytes: [UInt8]) {
        unsafe append(bytes.count) { target in unsafe target.copyBytes(from: bytes) }
    }

    /// Appends `count` bytes, all of which `fill` writes.
    func append(_ count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        if isEmpty { (filled, sent) = (0, 0) }
        if unsafe filled + count > memory.count {
            let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(filled + count, 2 * memory.count), alignment: 16)
            unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<filled]))
            unsafe memory.deallocate()
            unsafe memory = larger
        }
        unsafe fill(UnsafeMutableRawBufferPointer(rebasing: memory[filled..<filled + count]))
        filled += count
    }

    /// Lends what waits.
    ///
    /// - Parameter write: Returns how many of the bytes are gone.
    func send(_ write: (UnsafeRawBufferPointer) -> Int) {
        sent += unsafe write(UnsafeRawBufferPointer(rebasing: memory[sent..<filled]))
    }

    /// Lets go of what waits.
    func drop() { sent = filled }
}
