import Glibc

/// The calls by which recordings reach a disk. Tests put another disk in its place: one that is full, broken, slow or
/// stuck, or that loses its power after any call.
///
/// Each is one call of the kernel's, and may block for as long as the disk does; one that was interrupted is made again.
/// What fails throws the kernel's number.
package protocol Disk: Sendable {
    /// Makes a new file for writing, which nobody else mends while it is open (`flock`).
    func create(_ path: String, permissions: UInt32) throws(DiskError) -> Int32
    /// Writes bytes behind what is there.
    ///
    /// - Returns: How many it took, which may be fewer than there are.
    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(DiskError) -> Int
    /// Writes bytes in the place of those from `offset` on.
    ///
    /// - Returns: How many it took.
    func rewrite(_ bytes: UnsafeRawBufferPointer, at offset: Int, of file: Int32) throws(DiskError) -> Int
    /// Cuts a file off, and goes on there.
    func cut(_ file: Int32, to size: Int) throws(DiskError)
    /// Waits until what was written to a file is on the disk.
    func sync(_ file: Int32) throws(DiskError)
    /// Waits until the names in a folder are on the disk.
    func syncFolder(_ path: String) throws(DiskError)
    /// Whatever it throws, the file is closed.
    func close(_ file: Int32) throws(DiskError)
    func rename(_ path: String, to name: String) throws(DiskError)
    func remove(_ path: String) throws(DiskError)
}

/// What the kernel said of a call.
package struct DiskError: Error, Hashable, Sendable {
    package var code: Int32

    package init(_ code: Int32) { self.code = code }
}

/// The disks of this machine.
package struct KernelDisk: Disk {
    package init() {}

    package func create(_ path: String, permissions: UInt32) throws(DiskError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let file = try Self.checked { unsafe open(path, flags, permissions) }
        // Where there are no locks, as on some network file systems, it is as if there were one process.
        flock(file, LOCK_EX | LOCK_NB)
        return file
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(DiskError) -> Int {
        try Self.checked { unsafe Glibc.write(file, bytes.baseAddress, bytes.count) }
    }

    package func rewrite(_ bytes: UnsafeRawBufferPointer, at offset: Int, of file: Int32) throws(DiskError) -> Int {
        try Self.checked { unsafe pwrite(file, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    package func cut(_ file: Int32, to size: Int) throws(DiskError) {
        _ = try Self.checked { ftruncate(file, off_t(size)) }
        _ = try Self.checked { lseek(file, off_t(size), SEEK_SET) }
    }

    package func sync(_ file: Int32) throws(DiskError) {
        do throws(DiskError) {
            _ = try Self.checked { fdatasync(file) }
        } catch {
            // A file that cannot has no such promise to keep.
            guard error.code == EINVAL else { throw error }
        }
    }

    package func syncFolder(_ path: String) throws(DiskError) {
        let folder = try Self.checked { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { _ = Glibc.close(folder) }
        do throws(DiskError) {
            _ = try Self.checked { fsync(folder) }
        } catch {
            // A file system that cannot has no such promise to keep.
            guard error.code == EINVAL else { throw error }
        }
    }

    package func close(_ file: Int32) throws(DiskError) {
        // Whatever close says, the descriptor is gone (close(2)), so it is not tried again.
        guard Glibc.close(file) == -1, errno != EINTR else { return }
        throw DiskError(errno)
    }

    package func rename(_ path: String, to name: String) throws(DiskError) {
        _ = try Self.checked { unsafe Glibc.rename(path, name) }
    }

    package func remove(_ path: String) throws(DiskError) { _ = try Self.checked { unsafe unlink(path) } }

    private static func checked<Number: SignedInteger>(_ call: () -> Number) throws(DiskError) -> Number {
        while true {
            let result = call()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw DiskError(code) }
        }
    }
}
