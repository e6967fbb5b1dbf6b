import CampipeKit
import Glibc

/// The list of the files that one recording wrote, in a hidden file in the recordings' own folder: it goes where they go,
/// to another disk or user, and is there after a restart. Retention deletes nothing that is not on it.
///
/// Lines are only appended; now and then it is written anew without what is gone. Several processes may do both at once.
/// Every call may block for as long as the disk does, and for no other process.
struct RecordingManifest: Sendable {
    /// Where it is.
    let path: String
    /// What is known of the recording itself, for whoever reads the list without its pipeline.
    private let about: [String: String]
    private static let title = Array(
        "# What campipe recorded here; docs/recording.md tells. Only these are deleted.\n".utf8)

    /// - Parameters:
    ///   - pattern: What names the files.
    ///   - fields: What stands for its fields; each recording of a folder has a list of its own.
    init(_ pattern: FileNamePattern, fields: [String: String]) {
        path = "\(pattern.rootPrefix).campipe-\(Self.hexadecimal(pattern.fingerprint(fields: fields))).list"
        about = fields.merging(["pattern": pattern.textBelowRoot]) { $1 }
    }

    /// What a list begins with.
    ///
    /// - Parameter notes: What it says beside what it is about.
    private func head(_ notes: [String: String] = [:]) -> [UInt8] {
        let all = notes.merging(about) { $1 }.sorted { $0.key < $1.key }
        return Self.title + all.flatMap { Self.note($0.key, $0.value) }
    }

    private static func note(_ key: String, _ value: String) -> [UInt8] {
        Array("= \(key) ".utf8) + EscapedText.bytes(value) + [UInt8(ascii: "\n")]
    }

    /// A list that is there, of whatever recording.
    init(path: String) {
        self.path = path
        about = [:]
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// What it says; nothing when there is none.
    ///
    /// - Throws: What keeps it from being read.
    func read() throws(CampipeError) -> RecordingList {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor == -1 {
            guard errno != ENOENT, errno != ENOTDIR else { return RecordingList() }
            throw CampipeError.file("cannot read \(path)", errno: errno)
        }
        defer { close(descriptor) }
        return RecordingList(try text(of: descriptor))
    }

    /// What a descriptor of it holds from where it stands on.
    private func text(of descriptor: Int32) throws(CampipeError) -> [UInt8] {
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try FileCall.checked("cannot read \(path)") {
                unsafe part.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            }
            if count == 0 { return text }
            text += part[..<count]
        }
    }

    /// Adds what is known of a file. Another process may write it anew meanwhile (`rewrite`): the line is in the new one then.
    ///
    /// - Parameter isLasting: Whether it is on the disk when this returns.
    func append(_ entry: RecordingEntry, isLasting: Bool) throws(CampipeError) {
        try append(entry.line, isLasting: isLasting)
    }

    /// Adds a note about the recording itself.
    func append(note key: String, _ value: String) throws(CampipeError) {
        try append(Self.note(key, value), isLasting: false)
    }

    /// Begins the list where there is none, in a folder that is there.
    func begin() throws(CampipeError) {
        var status = stat()
        guard unsafe stat(FileCall.folder(of: path), &status) == 0, unsafe lstat(path, &status) != 0 else { return }
        try append([], isLasting: false)
    }

    func append(_ lines: [UInt8], isLasting: Bool) throws(CampipeError) {
        // It is written anew now and then only: more than a few times in a row is a folder that lets nothing be seen.
        for _ in 0..<10 {
            if try write(lines, isLasting: isLasting) { return }
        }
    }

    /// - Returns: Whether what the lines were added to is still the list.
    private func write(_ lines: [UInt8], isLasting: Bool) throws(CampipeError) -> Bool {
        let attempted = "cannot write \(path)"
        let descriptor = try FileCall.checked(attempted) {
            unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o666)
        }
        defer { close(descriptor) }
        let size = try FileCall.checked(attempted) { lseek(descriptor, 0, SEEK_END) }
        var lines = lines
        if size == 0 {
            lines = head() + lines
        } else {
            // What was cut when the power went stays alone on its line.
            var last: UInt8 = 0
            let count = unsafe pread(descriptor, &last, 1, size - 1)
            if count == 1, last != UInt8(ascii: "\n") { lines.insert(UInt8(ascii: "\n"), at: 0) }
        }
        let written = try FileCall.checked(attempted) { unsafe Glibc.write(descriptor, lines, lines.count) }
        guard written == lines.count else {
            // Whatever another process wrote behind it stays.
            if lseek(descriptor, 0, SEEK_END) == size + off_t(written) { ftruncate(descriptor, size) }
            throw CampipeError.file(attempted, errno: ENOSPC)
        }
        if isLasting { try FileCall.checked(attempted) { fdatasync(descriptor) } }
        return isList(descriptor)
    }

    /// Whether a descriptor is of the file that has the list's name now.
    private func isList(_ descriptor: Int32) -> Bool {
        var (own, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0, unsafe lstat(path, &named) == 0 else { return false }
        return own.st_ino == named.st_ino && own.st_dev == named.st_dev
    }

    /// Writes it anew, unless another process does so just now: then that one has done it, and it stays as it is.
    ///
    /// Nobody waits: who writes it anew has a lock that the kernel takes back with the process, and who adds lines needs
    /// none. What is added to the old list while the new one is made is added to the new one afterwards; what is added to
    /// the old one later is seen there by who adds it (`append`).
    ///
    /// - Parameter change: Makes of the entries, and of how many lines say them, the new ones; nil leaves all as it is.
    func rewrite(
        _ change: (_ entries: [RecordingEntry], _ lines: Int) -> [RecordingEntry]?
    ) throws(CampipeError) {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT, errno != ENOTDIR else { return }
            throw CampipeError.file("cannot read \(path)", errno: errno)
        }
        defer { close(descriptor) }
        // Where there are no locks, as on some network file systems, it is as if there were one process.
        if flock(descriptor, LOCK_EX | LOCK_NB) == -1, errno == EWOULDBLOCK { return }
        guard isList(descriptor) else { return }
        WholeFile.removePartials(of: path)
        let list = RecordingList(try text(of: descriptor))
        let isTold = about.allSatisfy { list.notes[$0.key] == $0.value }
        guard let kept = change(list.entries, list.lines) ?? (isTold ? nil : list.entries) else { return }
        try WholeFile.replace(path, with: head(list.notes) + kept.flatMap(\.text))
        let added = try text(of: descriptor)
        if !added.isEmpty { try append(added, isLasting: true) }
    }
}
