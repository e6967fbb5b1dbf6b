#if canImport(Glibc)
    import Glibc
#endif

/// What tells that a file was written anew: when, how large it is, and which file it is. A value.
package struct FileMark: Equatable, Sendable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int
    private let inode: UInt
    /// Whether it is a regular file: a pipe is read only once.
    package let isRegular: Bool

    /// - Returns: nil when there is no such file.
    package init?(_ path: String) {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { return nil }
        (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
        size = Int(found.st_size)
        inode = UInt(found.st_ino)
        isRegular = found.st_mode & S_IFMT == S_IFREG
    }
}
