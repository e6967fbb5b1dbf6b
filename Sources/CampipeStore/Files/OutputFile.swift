package import CampipeKit
import Glibc

/// A new file that is appended to, and changed only where a format says its length in its head. It has its final name from the start, and never had another's bytes.
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
    /// Whether it had a link when it was made.
    private let hasLink: Bool
    /// -1 when closed.
    private var descriptor: Int32

    /// Takes over a descriptor that is open for writing.
    init(path: String, descriptor: Int32, durability: Durability) {
        self.path = path
        self.descriptor = descriptor
        self.durability = durability
        hasLink = Self.links(descriptor) > 0
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Makes a file under the first free name of the pattern for this time, and the folders above it.
    ///
    /// - Throws: `.exhausted` when the disk is full; `.failed` when the folder does not let us, or 1000 names in a row
    ///   are in use.
    package static func create(
        _ pattern: FileNamePattern, at time: WallTime, fields: [String: String] = [:], zone: LocalZone = .system,
        durability: Durability = .atEnd
    ) throws(CampipeError) -> OutputFile {
        for attempt in 0..<1000 {
            let path = pattern.path(at: time, fields: fields, attempt: attempt, zone: zone)
            if let file = try create(path: path, durability: durability) { return file }
        }
        throw CampipeError(
            .failed, "1000 files in a row have the names of \(pattern.text) for this time",
            fix: "let the path vary with the time, such as %H%M%S-%f")
    }

    /// Makes a file of this very name, and the folders above it.
    ///
    /// - Returns: Nil when the name is in use.
    static func create(
        path: String, durability: Durability, permissions: UInt32 = 0o666
    ) throws(CampipeError) -> OutputFile? {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let folder = FileCall.folder(of: path)
        var descriptor = unsafe open(path, flags, permissions)
        if descriptor == -1, errno == ENOENT || errno == ENOTDIR {
            try FileCall.makeFolder(folder)
            descriptor = unsafe open(path, flags, permissions)
        }
        if descriptor == -1 {
            guard errno != EEXIST else { return nil }
            throw CampipeError.file("cannot make \(path)", errno: errno)
        }
        let file = OutputFile(path: path, descriptor: descriptor, durability: durability)
        if durability == .eachAppend { try FileCall.syncFolder(folder) }
        return file
    }

    /// Writes all of the bytes behind what is there, or none of them: what a full disk took in part is cut off again.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(CampipeError) {
        var written = 0
        do {
            while written < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                written += try FileCall.checked("cannot write \(path)") {
                    unsafe write(descriptor, rest.baseAddress, rest.count)
                }
            }
            if durability == .eachAppend { try sync() }
        } catch {
            ftruncate(descriptor, off_t(size))
            lseek(descriptor, off_t(size), SEEK_SET)
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
            written += try FileCall.checked("cannot write \(path)") {
                unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
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
        try FileCall.checked("cannot sync \(path)") { fdatasync(descriptor) }
    }

    /// Ends the file. It can be called again; nothing is written afterwards.
    ///
    /// - Throws: What the disk says late, such as a network file system that is full.
    package func close() throws(CampipeError) {
        guard descriptor >= 0 else { return }
        defer { descriptor = -1 }
        if durability == .atEnd {
            do throws(CampipeError) {
                try sync()
                try FileCall.syncFolder(FileCall.folder(of: path))
            } catch {
                Glibc.close(descriptor)
                throw error
            }
        }
        // Whatever close says, the descriptor is gone (close(2)), so it is not tried again.
        guard Glibc.close(descriptor) == 0 || errno == EINTR else {
            throw CampipeError.file("cannot close \(path)", errno: errno)
        }
    }

    /// Ends the file and removes it: for one that holds nothing of use. It can be called in the place of `close` only.
    package func discard() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
        unsafe unlink(path)
    }
}
