package import CampipeKit
import Glibc

/// The C library's file calls, each with its `errno` captured at once and told in one shape.
enum FileCall {
    /// Calls until it is not interrupted; throws what the C library says when it gives -1.
    @discardableResult
    static func checked<Number: SignedInteger>(
        _ attempted: @autoclosure () -> String, _ call: () -> Number
    ) throws(CampipeError) -> Number {
        while true {
            let result = call()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw CampipeError.file(attempted(), errno: code) }
        }
    }

    /// Makes a folder and those above it; one that is there is fine.
    ///
    /// - Throws: What kept the first of them from being made; a file in its place is one such thing.
    static func makeFolder(_ path: String, permissions: UInt32 = 0o777) throws(CampipeError) {
        guard !path.isEmpty, path != "/", path != "." else { return }
        guard unsafe mkdir(path, permissions) != 0 else { return keepName(of: path) }
        var code = errno
        if code == ENOENT {
            try makeFolder(folder(of: path), permissions: permissions)
            if unsafe mkdir(path, permissions) == 0 { return keepName(of: path) }
            code = errno
        }
        if code == EEXIST {
            var info = stat()
            if unsafe stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR { return }
            code = ENOTDIR
        } else if code == ENOTDIR {
            // One above is a file: that one is named.
            try makeFolder(folder(of: path), permissions: permissions)
        }
        throw CampipeError.file("cannot make the folder \(path)", errno: code)
    }

    /// A folder that was just made outlives a loss of power, as what is in it shall; where that cannot be had, it is made
    /// all the same.
    private static func keepName(of path: String) { try? syncFolder(folder(of: path)) }

    /// The folder that a path is in: `.` for a bare name.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    /// A path as its folder with the slash, empty for a bare name, and its name.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        let name = path.utf8.index(after: slash)
        return (String(path[..<name]), String(path[name...]))
    }

    /// Makes the names in a folder last through a loss of power.
    static func syncFolder(_ path: String) throws(CampipeError) {
        let descriptor = try checked("cannot open the folder \(path)") {
            unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        defer { close(descriptor) }
        // A file system that cannot (EINVAL) has no such promise to keep.
        if fsync(descriptor) == -1, errno != EINVAL {
            throw CampipeError.file("cannot sync the folder \(path)", errno: errno)
        }
    }
}

extension CampipeError {
    /// What the C library said of a file, by kind: a full disk, quota or table is `.exhausted`, the rest `.failed`.
    package static func file(_ attempted: String, errno code: Int32) -> CampipeError {
        switch code {
        case ENOSPC: .system(attempted, errno: code, kind: .exhausted, fix: "free some space, or set retention")
        case EDQUOT, EMFILE, ENFILE, ENOMEM: .system(attempted, errno: code, kind: .exhausted)
        case EACCES, EPERM:
            .system(attempted, errno: code, fix: "let the user that runs campipe write there, or change the path")
        default: .system(attempted, errno: code)
        }
    }
}
