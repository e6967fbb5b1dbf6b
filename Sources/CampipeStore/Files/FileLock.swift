import Glibc

/// The lock of a file that is being written (`flock`): whoever would mend, count or delete it sees that a process has it.
///
/// The kernel takes it back with the last descriptor, so that no process leaves one behind. Where there are no locks, as on some
/// network file systems, no file seems to be written.
@safe final class FileLock {
    private let descriptor: Int32

    /// Keeps the lock of a descriptor for as long as this lives, also when that is closed.
    ///
    /// - Returns: nil where no more descriptors can be had.
    init?(of descriptor: Int32) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        self.descriptor = copy
    }

    deinit { close(descriptor) }

    /// Whether a process has a file's lock, this one too.
    static func isHeld(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK
    }
}
