import CSpawn
import CampipeKit
import Glibc

/// Memory that a child maps too: the first half is written by the host, the second by the child. It costs what was
/// written to, not its size.
///
/// One owner, in one node's turns; unmapped and closed with it.
@safe final class SharedMemory {
    /// Bytes of both halves.
    static let byteCount = 2 * MessageHeader.dataLimit
    static let half = MessageHeader.dataLimit

    let descriptor: Int32
    private let base: UnsafeMutableRawPointer

    /// - Parameter descriptor: That of a memory that somebody else made, which is then owned; nil makes one.
    init(descriptor given: Int32? = nil) throws(CampipeError) {
        descriptor = given ?? cspawn_memory(Self.byteCount)
        guard descriptor >= 0 else { throw .system("cannot make shared memory", errno: errno, kind: .exhausted) }
        let mapped = unsafe mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            let code = errno
            close(descriptor)
            throw .system("cannot map shared memory", errno: code, kind: .exhausted)
        }
        unsafe base = mapped
    }

    deinit {
        unsafe munmap(base, Self.byteCount)
        close(descriptor)
    }

    /// Lends a part; the pointer must not leave `body`.
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        precondition(range.lowerBound >= 0 && range.upperBound <= Self.byteCount, "beyond the memory")
        return unsafe try body(UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
}
