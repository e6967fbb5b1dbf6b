package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// Bytes that grow at their end and are then handed on without a copy.
///
/// A value: copies share their storage until one of them changes.
package struct GrowingBytes: Sendable {
    /// The one owner of the allocation. Changed only while one `GrowingBytes` refers to it, so it may cross threads.
    @safe private final class Storage: @unchecked Sendable {
        // Unchecked: written only while uniquely referenced.
        var base: UnsafeMutableRawPointer?
        var capacity = 0
        deinit { unsafe free(base) }

        func reserve(_ wanted: Int) {
            guard wanted > capacity else { return }
            guard let grown = unsafe realloc(base, wanted) else { fatalError("no memory for \(wanted) bytes") }
            unsafe base = grown
            capacity = wanted
        }
    }

    private var storage = Storage()
    package private(set) var count = 0

    package init() {}

    /// Makes room for `capacity` bytes in all.
    package mutating func reserve(_ capacity: Int) {
        own()
        storage.reserve(capacity)
    }

    /// Adds a copy of these at the end.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        own()
        let needed = count + bytes.count
        if needed > storage.capacity { storage.reserve(max(needed, storage.capacity + storage.capacity / 2, 4096)) }
        if let source = bytes.baseAddress, let base = unsafe storage.base {
            unsafe memcpy(base + count, source, bytes.count)
        }
        count = needed
    }

    /// Adds a copy of these at the end.
    package mutating func append(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe append($0) } }

    /// Keeps the first `length` bytes.
    package mutating func truncate(to length: Int) { count = min(count, max(length, 0)) }

    /// Lets go of all, and of the memory.
    package mutating func removeAll() { self = GrowingBytes() }

    /// All that is there; the pointer is good inside the call only.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: storage.base, count: count))
    }

    /// Hands the bytes on and is empty afterwards.
    package mutating func take() -> Bytes {
        own()
        let taken = storage
        let length = count
        self = GrowingBytes()
        if taken.capacity > length + length / 4 + 4096, let smaller = unsafe realloc(taken.base, max(length, 1)) {
            unsafe taken.base = smaller
            taken.capacity = max(length, 1)
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: taken.base, count: length)
        return unsafe Bytes(foreign: bytes) { withExtendedLifetime(taken) {} }
    }

    private mutating func own() {
        if isKnownUniquelyReferenced(&storage) { return }
        let copy = Storage()
        copy.reserve(count)
        if let source = unsafe storage.base, let target = unsafe copy.base { unsafe memcpy(target, source, count) }
        storage = copy
    }
}
