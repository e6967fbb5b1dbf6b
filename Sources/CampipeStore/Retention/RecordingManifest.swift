import CampipeKit
import Glibc

/// The list of the files that one recording wrote, in a hidden file in the recordings' own folder: it goes where they go,
/// to another disk or user, and is there after a restart. Retention deletes nothing that is not on it.
///
/// Lines are only appended; now and then it is written anew without what is gone. Every call may block for as long as
/// the disk does.
struct RecordingManifest: Sendable {
    /// Where it is.
    let path: String
    private static let head = Array(
        "# What campipe recorded here: bytes, time of the last change in microseconds, name. Only these are deleted.\n"
            .utf8)

    /// - Parameters:
    ///   - pattern: What names the files.
    ///   - fields: What stands for its fields; each recording of a folder has a list of its own.
    init(_ pattern: FileNamePattern, fields: [String: String]) {
        path = "\(pattern.rootPrefix).campipe-\(Self.hexadecimal(pattern.fingerprint(fields: fields))).list"
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// What it says, and how many lines it takes for it; nothing when there is none.
    ///
    /// - Throws: What keeps it from being read.
    func read() throws(CampipeError) -> (entries: [RecordingEntry], lines: Int) {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor == -1 {
            guard errno != ENOENT, errno != ENOTDIR else { return ([], 0) }
            throw CampipeError.file("cannot read \(path)", errno: errno)
        }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try FileCall.checked("cannot read \(path)") {
                unsafe part.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            }
            if count == 0 { return RecordingEntry.read(text) }
            text += part[..<count]
        }
    }

    /// Adds a line.
    ///
    /// - Parameter isLasting: Whether it is on the disk when this returns.
    func append(_ entry: RecordingEntry, isLasting: Bool) throws(CampipeError) {
        let attempted = "cannot write \(path)"
        let descriptor = try FileCall.checked(attempted) {
            unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o666)
        }
        defer { close(descriptor) }
        let size = try FileCall.checked(attempted) { lseek(descriptor, 0, SEEK_END) }
        var line = entry.line
        if size == 0 {
            line = Self.head + line
        } else {
            // What was cut when the power went stays alone on its line.
            var last: UInt8 = 0
            let count = unsafe pread(descriptor, &last, 1, size - 1)
            if count == 1, last != UInt8(ascii: "\n") { line.insert(UInt8(ascii: "\n"), at: 0) }
        }
        let written = try FileCall.checked(attempted) { unsafe write(descriptor, line, line.count) }
        guard written == line.count else {
            ftruncate(descriptor, size)
            throw CampipeError.file(attempted, errno: ENOSPC)
        }
        if isLasting { try FileCall.checked(attempted) { fdatasync(descriptor) } }
    }

    /// Writes it anew.
    func replace(with entries: [RecordingEntry]) throws(CampipeError) {
        try WholeFile.replace(path, with: Self.head + entries.flatMap(\.line))
    }
}
