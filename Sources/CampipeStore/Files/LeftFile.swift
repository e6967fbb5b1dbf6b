package import CampipeKit
import Glibc

/// A file that an earlier process left without ending it, open so that it can be mended; nobody else writes it.
@safe package final class LeftFile {
    package let path: String
    package let size: Int
    private let descriptor: Int32

    /// - Returns: nil when it is not there, is no plain file, or a process is still writing it.
    package init?(_ path: String) {
        let opened = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
        else {
            close(opened)
            return nil
        }
        self.path = path
        size = Int(status.st_size)
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Bytes from an offset on; fewer where it ends.
    package func read(_ offset: Int, _ count: Int) throws(CampipeError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
        var done = 0
        while done < bytes.count {
            let place = done
            let taken = try FileCall.checked("cannot read \(path)") {
                unsafe bytes.withUnsafeMutableBytes { buffer in
                    unsafe pread(
                        descriptor, buffer.baseAddress.map { unsafe $0 + place }, buffer.count - place,
                        off_t(offset + place))
                }
            }
            guard taken > 0 else { break }
            done += taken
        }
        bytes.removeLast(bytes.count - done)
        return bytes
    }

    /// Writes bytes in the place of others.
    package func rewrite(_ bytes: [UInt8], at offset: Int) throws(CampipeError) {
        let count = try FileCall.checked("cannot mend \(path)") {
            unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
        }
        guard count == bytes.count else { throw CampipeError.file("cannot mend \(path)", errno: EIO) }
    }

    /// Cuts it off.
    package func cut(to size: Int) throws(CampipeError) {
        try FileCall.checked("cannot mend \(path)") { ftruncate(descriptor, off_t(size)) }
    }

    /// Waits until what was changed is on the disk.
    package func sync() throws(CampipeError) {
        try FileCall.checked("cannot mend \(path)") { fdatasync(descriptor) }
    }

    package func remove() { unsafe unlink(path) }
}
