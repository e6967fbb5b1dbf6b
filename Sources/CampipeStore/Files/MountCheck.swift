import Foundation

/// Whether a folder is on a disk of its own: one that is mounted somewhere below the root folder.
///
/// A USB disk that is not there leaves an empty folder on the root disk, which recordings would fill.
package enum MountCheck {
    /// Whether something is mounted at the folder, or at one above it but the root.
    ///
    /// - Parameters:
    ///   - folder: It need not be there yet; links in what is there are followed.
    ///   - mounts: What /proc/self/mountinfo says.
    package static func isMounted(_ folder: String, mounts: [String] = MountCheck.mounts()) -> Bool {
        var folder = real(folder)
        while folder != "/", !folder.isEmpty {
            if mounts.contains(folder) { return true }
            folder = FileCall.folder(of: folder)
        }
        return false
    }

    /// The folders at which something is mounted.
    package static func mounts() -> [String] {
        guard let text = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return [] }
        return mounts(in: Array(text))
    }

    /// The mount points of a mountinfo (proc(5)): the fifth word of each line, where blanks are `\040`.
    static func mounts(in text: [UInt8]) -> [String] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            return words.count > 4 ? unescaped(words[4]) : nil
        }
    }

    private static func unescaped(_ word: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var index = word.startIndex
        while index < word.endIndex {
            if word[index] == UInt8(ascii: "\\"), index + 3 < word.endIndex {
                let digits = word[(index + 1)...(index + 3)].map { Int($0) - 48 }
                bytes.append(UInt8(truncatingIfNeeded: digits[0] * 64 + digits[1] * 8 + digits[2]))
                index += 4
            } else {
                bytes.append(word[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The absolute path without links of the part that is there, with what is not there yet behind it.
    private static func real(_ folder: String) -> String {
        var present = folder.hasPrefix("/") ? folder : FileManager.default.currentDirectoryPath + "/" + folder
        var rest = ""
        while present != "/" {
            if let path = unsafe realpath(present, nil) {
                defer { unsafe free(path) }
                let found = unsafe String(cString: path)
                return (found == "/" ? "" : found) + rest
            }
            let (above, name) = FileCall.split(present)
            if !name.isEmpty, name != "." { rest = "/" + name + rest }
            present = above.count > 1 ? String(above.dropLast()) : "/"
        }
        return rest.isEmpty ? "/" : rest
    }
}
