package import CampipeKit
import Glibc

/// A new file that is appended to, and changed only where a format says its length in its head. It has its final name from
/// the start, and never had another's bytes.
///
/// Every call may block for as long as the disk does: it is for nodes that have a thread of their own, one at a time.
@safe package final class OutputFile {
    /// How hard it is tried that what was written outlives a loss of power.
    package enum Durability: Hashable, Sendable {
        /// The kernel writes when it likes.
        case none
        /// When the file is closed, it and its name are on the disk.
        case atEnd
        /// When `append` returns, what it took is on the disk.
        case eachAppend
    }

    /// Where it is, as the pattern made it.
    package let path: String
    /// Bytes written.
    package private(set) var size = 0
    private let durability: Durability
    private let disk: any Disk
    /// Whether its name was synced.
    private var isNameKept = false
    /// Whether it had a link when it was made.
    private let hasLink: Bool
    /// -1 when closed.
    private var descriptor: Int32

    /// Takes over a descriptor that is open for writing.
    init(path: String, descriptor: Int32, durability: Durability, disk: any Disk = KernelDisk()) {
        self.path = path
        self.descriptor = descriptor
        self.durability = durability
        self.disk = disk
        hasLink = Self.links(descriptor) > 0
    }

    deinit {
        if descriptor >= 0 { try? disk.close(descriptor) }
    }

    /// Makes a file under a free name of the pattern for this time, and the folders above it.
    ///
    /// - Throws: `.exhausted` when the disk is full; `.failed` when the folder does not let us, or no name is left.
    package static func create(
        _ pattern: FileNamePattern, at time: WallTime, fields: [String: String] = [:], zone: LocalZone = .system,
        durability: Durability = .atEnd, disk: any Disk = KernelDisk()
    ) throws(CampipeError) -> OutputFile {
        let name = { (attempt: Int) in pattern.path(at: time, fields: fields, attempt: attempt, zone: zone) }
        return try FreeName.take(name, pattern.text) { (path) throws(CampipeError) in
            try create(path: path, durability: durability, disk: disk)
        }
    }

    /// Makes a file of this very name, and the folders above it.
    ///
    /// - Returns: Nil when the name is in use.
    static func create(
        path: String, durability: Durability, permissions: UInt32 = 0o666, disk: any Disk = KernelDisk()
    ) throws(CampipeError) -> OutputFile? {
        let folder = FileCall.folder(of: path)
        var descriptor: Int32 = -1
        do throws(DiskError) {
            descriptor = try disk.create(path, permissions: permissions)
        } catch {
            guard error.code != EEXIST else { return nil }
            guard error.code == ENOENT || error.code == ENOTDIR else {
                throw CampipeError.file("cannot make \(path)", errno: error.code)
            }
            try FileCall.makeFolder(folder)
            do throws(DiskError) {
                descriptor = try disk.create(path, permissions: permissions)
            } catch {
                guard error.code != EEXIST else { return nil }
                throw CampipeError.file("cannot make \(path)", errno: error.code)
            }
        }
        let file = OutputFile(path: path, descriptor: descriptor, durability: durability, disk: disk)
        if durability == .eachAppend { try file.keep() }
        return file
    }

    /// Writes all of the bytes behind what is there, or none of them: what a full disk took in part is cut off again.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(CampipeError) {
        do throws(CampipeError) {
            var written = 0
            while written < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                written += try attempt("write") { () throws(DiskError) in
                    unsafe try disk.write(rest, to: descriptor)
                }
            }
            if durability == .eachAppend { try sync() }
        } catch {
            try? disk.cut(descriptor, to: size)
            throw error
        }
        size += bytes.count
    }

    /// Writes all of the bytes, or none of them.
    package func append(_ bytes: [UInt8]) throws(CampipeError) {
        // `withUnsafeBytes` does not hand on the type of what is thrown.
        let result = unsafe bytes.withUnsafeBytes { pointer -> Result<Void, CampipeError> in
            do throws(CampipeError) {
                return .success(try unsafe append(pointer))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes other bytes in the place of those from `offset` on, all of which are there already.
    package func rewrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CampipeError) {
        precondition(offset >= 0 && offset + bytes.count <= size, "only what is there is rewritten")
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let place = offset + written
            written += try attempt("write") { () throws(DiskError) in
                unsafe try disk.rewrite(rest, at: place, of: descriptor)
            }
        }
        if durability == .eachAppend { try sync() }
    }

    /// Whether somebody deleted it meanwhile: what is written to it is lost, without any call that fails. Never on a
    /// file system that does not count links.
    package var isDeleted: Bool { hasLink && Self.links(descriptor) == 0 }

    private static func links(_ descriptor: Int32) -> UInt64 {
        var info = stat()
        return unsafe fstat(descriptor, &info) == 0 ? UInt64(info.st_nlink) : 1
    }

    /// Waits until what was written is on the disk.
    package func sync() throws(CampipeError) {
        try attempt("sync") { () throws(DiskError) in try disk.sync(descriptor) }
    }

    /// Waits until what was written is on the disk, and its name too: what a loss of power leaves.
    package func keep() throws(CampipeError) {
        try sync()
        guard !isNameKept else { return }
        try attempt("sync the folder of") { () throws(DiskError) in
            try disk.syncFolder(FileCall.folder(of: path))
        }
        isNameKept = true
    }

    /// Ends the file. It can be called again; nothing is written afterwards.
    ///
    /// - Throws: What the disk says late, such as a network file system that is full.
    package func close() throws(CampipeError) {
        guard descriptor >= 0 else { return }
        defer { descriptor = -1 }
        if durability == .atEnd {
            do throws(CampipeError) {
                try keep()
            } catch {
                try? disk.close(descriptor)
                throw error
            }
        }
        try attempt("close") { () throws(DiskError) in try disk.close(descriptor) }
    }

    /// Ends the file as `close` does, but for its lock.
    ///
    /// - Returns: What has the lock, until its name is its own.
    func closeLocked() throws(CampipeError) -> FileLock? {
        let lock = FileLock(of: descriptor)
        try close()
        return lock
    }

    /// Ends the file and removes it: for one that holds nothing of use. It can be called in the place of `close` only.
    package func discard() {
        guard descriptor >= 0 else { return }
        try? disk.close(descriptor)
        descriptor = -1
        try? disk.remove(path)
    }

    private func attempt<Result>(
        _ verb: String, _ call: () throws(DiskError) -> Result
    ) throws(CampipeError) -> Result {
        do throws(DiskError) {
            return try call()
        } catch {
            throw CampipeError.file("cannot \(verb) \(path)", errno: error.code)
        }
    }
}
