internal import Glibc

/// Why a file could not be read, in the C library's words.
struct FileProblem: Error {
    var sentence: String
}

enum FileBytes {
    /// The first `limit` + 1 bytes of a file, so that a caller can tell that it is too large.
    ///
    /// A pipe is read until whoever writes into it is done; one that nobody writes into is refused after a while, as
    /// nobody may ever.
    ///
    /// - Parameters:
    ///   - regularOnly: Refuse what could wait for ever or never end: pipes, devices, sockets.
    ///   - patience: How long somebody may take to begin with a named pipe, in milliseconds.
    static func read(_ path: String, limit: Int, regularOnly: Bool, patience: Int32 = 5000) throws(FileProblem)
        -> [UInt8]
    {
        if path.utf8.contains(0) { throw FileProblem(sentence: "the path holds a NUL character") }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        return try read(descriptor, limit: limit, regularOnly: regularOnly, patience: patience)
    }

    /// The same of standard input, from where it stands; it may be a socket, which no path opens.
    static func readInput(limit: Int) throws(FileProblem) -> [UInt8] {
        try read(STDIN_FILENO, limit: limit, regularOnly: false, patience: 5000)
    }

    private static func read(
        _ descriptor: Int32, limit: Int, regularOnly: Bool, patience: Int32
    ) throws(FileProblem) -> [UInt8] {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure() }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw FileProblem(sentence: "it is a folder") }
        if regularOnly, kind != S_IFREG { throw FileProblem(sentence: "it is not a regular file") }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        var hasWaited = false
        while count <= limit {
            let room = limit + 1 - count
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, room)
            }
            if got < 0 && errno == EINTR { continue }
            if got < 0 && errno == EAGAIN {
                wait(for: descriptor, milliseconds: -1)
                continue
            }
            guard got >= 0 else { throw failure() }
            if got == 0, count == 0, kind == S_IFIFO, !hasWaited {
                // Of a pipe that had a writer this returns at once: it is empty then.
                hasWaited = wait(for: descriptor, milliseconds: patience)
                guard hasWaited else { throw FileProblem(sentence: "it is a pipe, and nobody writes into it") }
                continue
            }
            if got == 0 { break }
            count += got
        }
        bytes.removeSubrange(count...)
        return bytes
    }

    /// Whether there is something to read, or an end.
    @discardableResult
    private static func wait(for descriptor: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) != 0
    }

    private static func failure() -> FileProblem {
        let code = errno
        var buffer = [CChar](repeating: 0, count: 256)
        let text = unsafe buffer.withUnsafeMutableBufferPointer { pointer -> String? in
            guard let base = pointer.baseAddress, unsafe strerror_r(code, base, pointer.count) == 0 else { return nil }
            return unsafe String(cString: base)
        }
        return FileProblem(sentence: (text ?? "error \(code)").lowercased())
    }
}
