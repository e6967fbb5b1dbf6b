import Glibc

/// The pictures that a path means: a folder of JPEGs, or a pattern with `*`, `?`, `[...]` for names; sorted as people
/// count, `2.jpg` before `10.jpg`.
enum PictureList {
    /// Whether the path means several files.
    static func isList(_ path: String) -> Bool {
        if path.utf8.contains(where: { "*?[".utf8.contains($0) }) { return true }
        return isFolder(path)
    }

    /// Whether a name is that of one JPEG.
    static func isPicture(_ path: String) -> Bool {
        let name = path.lowercased()
        return [".jpg", ".jpeg", ".jpe"].contains(where: name.hasSuffix)
    }

    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return unsafe stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Paths of pictures; of a folder those that end in .jpg, .jpeg or .jpe.
    static func files(_ path: String) -> [String] {
        if !isList(path) { return [path] }
        if !isFolder(path) { return matches(path).sorted(by: countsBefore) }
        let folder = path.hasSuffix("/") ? path : path + "/"
        // What is special in a pattern is taken as it is in the folder's name.
        let escaped = folder.reduce(into: "") { text, character in
            if "*?[\\".contains(character) { text.append("\\") }
            text.append(character)
        }
        return matches(escaped + "*").filter(isPicture).sorted(by: countsBefore)
    }

    private static func matches(_ pattern: String) -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(unsafe found.gl_pathc)).compactMap { index in
            unsafe found.gl_pathv[index].map { unsafe String(cString: $0) }
        }
    }

    /// By bytes, but runs of digits by their number.
    static func countsBefore(_ left: String, _ right: String) -> Bool {
        let (a, b) = (Array(left.utf8), Array(right.utf8))
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            let (first, second) = (digits(a, i), digits(b, j))
            if first > 0, second > 0 {
                let one = a[i..<i + first].drop { $0 == 48 }
                let other = b[j..<j + second].drop { $0 == 48 }
                if one.count != other.count { return one.count < other.count }
                if !one.elementsEqual(other) { return one.lexicographicallyPrecedes(other) }
                (i, j) = (i + first, j + second)
            } else {
                if a[i] != b[j] { return a[i] < b[j] }
                (i, j) = (i + 1, j + 1)
            }
        }
        return a.count - i != b.count - j ? a.count - i < b.count - j : left < right
    }

    private static func digits(_ bytes: [UInt8], _ start: Int) -> Int {
        bytes[start...].prefix { (48...57).contains($0) }.count
    }
}
