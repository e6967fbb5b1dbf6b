/// An immutable run of bytes with one owner count: a JPEG that all viewers share, an access unit, a parameter set.
///
/// The bytes never change after `init`, so any thread may read them. They go when the last reference goes.
@safe public final class Bytes: Sendable {
    private nonisolated(unsafe) let base: UnsafeRawPointer
    /// How many bytes there are.
    public let count: Int
    private let release: @Sendable () -> Void

    /// Copies `bytes`.
    public convenience init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(count: bytes.count) { target in unsafe target.copyMemory(from: bytes) }
    }

    /// Copies `bytes`.
    public convenience init(_ bytes: some Sequence<UInt8>) {
        let array = Array(bytes)
        unsafe self.init(count: array.count) { target in unsafe target.copyBytes(from: array) }
    }

    /// Allocates `count` bytes and lets `fill` write them; what it leaves out is zero.
    public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        do {
            unsafe try fill(UnsafeMutableRawBufferPointer(start: memory.baseAddress, count: count))
        } catch {
            unsafe memory.deallocate()
            throw error
        }
        let address = Int(bitPattern: memory.baseAddress)
        unsafe base = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
        self.count = count
        release = { unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }

    /// Takes over bytes that somebody else allocated.
    ///
    /// - Parameters:
    ///   - foreign: Bytes that stay valid and unchanged until `release` is called.
    ///   - release: Called once, on any thread, when the last reference goes.
    public init(foreign: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        unsafe base = foreign.baseAddress ?? UnsafeRawPointer(bitPattern: 16).unsafelyUnwrapped
        count = foreign.count
        self.release = release
    }

    deinit { release() }

    public static let empty = Bytes([])

    /// Lends the bytes; the pointer must not leave `body`.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A copy as an array, for small things and tests.
    public var array: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    /// The byte at `position`.
    public subscript(position: Int) -> UInt8 {
        precondition(position >= 0 && position < count, "byte \(position) of \(count)")
        return unsafe base.load(fromByteOffset: position, as: UInt8.self)
    }
}

extension Bytes: Hashable {
    public static func == (left: Bytes, right: Bytes) -> Bool {
        unsafe left === right
            || left.withBytes { a in unsafe right.withBytes { b in unsafe a.count == b.count && a.elementsEqual(b) } }
    }

    public func hash(into hasher: inout Hasher) { unsafe withBytes { unsafe hasher.combine(bytes: $0) } }
}
