import Glibc

/// Where a file ends in the midst of a piece, as after a power cut or a copy that was not finished. A value.
package struct FileEnd: Hashable, Sendable {
    /// Where the piece begins that is not whole.
    package var offset: Int
    /// How many of its bytes are missing at least.
    package var missing: Int

    /// More pieces than this are not looked at: only of live Matroska are there so many.
    private static let limit = 500_000

    /// Looks at the heads of a file's outermost pieces alone.
    ///
    /// - Returns: nil when the file is whole, as far as its container can say, or cannot be read.
    package static func look(at path: String) -> FileEnd? {
        withFile(path) { look($0, read: $1) } ?? nil
    }

    /// Whether a file is an MP4 that lost its index: that is written last, so the recording was not ended.
    static func lacksIndex(_ path: String) -> Bool {
        withFile(path) { length, read in
            var offset = 0
            while let box = MP4Boxes.box(read(offset, 16)) {
                if offset == 0, box.type != Array("ftyp".utf8) || box.size == 0 { return false }
                if box.type == Array("moov".utf8) { return false }
                offset += box.size
                if box.size == 0 || offset >= length { break }
            }
            return offset > 0
        } ?? false
    }

    private static func withFile<R>(_ path: String, _ body: (Int, (Int, Int) -> [UInt8]) -> R) -> R? {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return body(Int(facts.st_size)) { offset, count in
            unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = unsafe max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
            }
        }
    }

    /// - Parameters:
    ///   - length: How many bytes there are.
    ///   - read: The bytes from an offset on, so many or as many as there are.
    static func look(_ length: Int, read: (_ offset: Int, _ count: Int) -> [UInt8]) -> FileEnd? {
        let head = read(0, 189)
        guard head.count >= 12 else { return nil }
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return matroska(length, read) }
        if head.starts(with: Array("RIFF".utf8)) { return riff(length, read) }
        if head[0] == 0x47, head.count == 189, head[188] == 0x47 {
            let rest = length % 188
            return rest == 0 ? nil : FileEnd(offset: length - rest, missing: 188 - rest)
        }
        guard head.dropFirst(4).starts(with: Array("ftyp".utf8)) else { return nil }
        return boxes(length, read)
    }

    private static func cut(_ offset: Int, _ size: Int, _ length: Int) -> FileEnd? {
        size > length - offset ? FileEnd(offset: offset, missing: size - (length - offset)) : nil
    }

    /// The boxes of an MP4; one of no size goes to the end.
    private static func boxes(_ length: Int, _ read: (Int, Int) -> [UInt8]) -> FileEnd? {
        var offset = 0
        for _ in 0..<limit where offset < length {
            guard let box = MP4Boxes.box(read(offset, 16)) else { return cut(offset, 8, length) }
            // What is no name of a box was put behind the file.
            guard box.size > 0, box.type.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0xA9 }) else { return nil }
            if let cut = cut(offset, box.size, length) { return cut }
            offset += box.size
        }
        return nil
    }

    /// A segment whose size is known, or else the elements in it; what has no size of its own holds those that follow.
    private static func matroska(_ length: Int, _ read: (Int, Int) -> [UInt8]) -> FileEnd? {
        var offset = 0
        for _ in 0..<limit where offset < length {
            guard let element = MatroskaTail.element(offset, read) else { return cut(offset, 12, length) }
            guard let size = element.size else {
                offset = element.start
                continue
            }
            if let cut = cut(offset, element.start - offset + size, length) { return cut }
            offset = element.start + size
        }
        return nil
    }

    /// The lists of an AVI, which follow one another in large ones; one of no size was not ended.
    private static func riff(_ length: Int, _ read: (Int, Int) -> [UInt8]) -> FileEnd? {
        var offset = 0
        while offset < length {
            let head = read(offset, 8)
            guard head.count == 8, head.starts(with: Array("RIFF".utf8)) else { return nil }
            let size = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard size > 0 else { return nil }
            if let cut = cut(offset, 8 + size, length) { return cut }
            offset += 8 + size + size % 2
        }
        return nil
    }
}
