package import CampipeKit
import Glibc

/// The recorded files of one sink: knows those that it wrote, by a list beside them, and deletes what its policy lets
/// go. What anybody else put there stays, whatever its name.
///
/// Every call may block for as long as the disk does: it is for nodes that have a thread of their own.
package struct RecordingFolder: Sendable {
    private let pattern: FileNamePattern
    private let fields: [String: String]
    private let manifest: RecordingManifest

    package init(_ pattern: FileNamePattern, fields: [String: String] = [:]) {
        self.pattern = pattern
        self.fields = fields
        manifest = RecordingManifest(pattern, fields: fields)
    }

    /// Where its list is.
    package var list: String { manifest.path }

    /// Whether there is one.
    package var hasList: Bool {
        var status = stat()
        return unsafe lstat(manifest.path, &status) == 0
    }

    /// A file was made that is going to be written.
    ///
    /// - Parameter start: When its first picture was.
    /// - Throws: What keeps the list from being written; the file is nobody's then, and stays.
    package func began(_ path: String, at start: WallTime? = nil) throws(CampipeError) {
        try manifest.append(RecordingEntry(path: relative(path), state: .open, start: start), isLasting: true)
    }

    /// A file is whole, or was removed since nothing was in it.
    ///
    /// - Parameters:
    ///   - start: When its first picture was.
    ///   - length: From there to the end of its last, about.
    ///   - now: What the clock says.
    ///   - isLasting: Whether that outlives a loss of power.
    /// - Throws: What keeps the list from being written; `takeStock` at the next start mends it.
    package func ended(
        _ path: String, start: WallTime? = nil, length: Duration? = nil, now: WallTime? = nil, isLasting: Bool = true
    ) throws(CampipeError) {
        var entry = RecordingEntry(path: relative(path), state: state(at: path), start: start, length: length)
        if let now, let modified = entry.ended, abs(now.microseconds - modified.microseconds) > Self.clockTolerance {
            entry.written = now
        }
        try manifest.append(entry, isLasting: isLasting)
    }

    /// So much, in microseconds, may lie between the end of a file and the word of it on the list.
    private static let clockTolerance: Int64 = 60_000_000

    /// Something happened in files that are on the list.
    package func mark(_ marks: [EventMarks.Mark]) throws(CampipeError) {
        guard !marks.isEmpty else { return }
        try manifest.append(marks.flatMap { $0.event.line(of: relative($0.path)) }, isLasting: true)
    }

    /// The files that processes that were killed, or are still writing them, have not ended.
    package func unfinished() throws(CampipeError) -> [String] {
        try manifest.read().entries.filter { $0.state == .open }.compactMap(ownPath)
    }

    /// For the start, before anything is written: what a process that was killed left unfinished is taken as it is, and
    /// what is gone leaves the list. What another process is writing stays open.
    package func takeStock() throws(CampipeError) {
        try manifest.rewrite { entries, lines in
            var kept: [RecordingEntry] = []
            for entry in entries {
                guard let path = ownPath(entry) else { continue }
                switch (entry.state, state(at: path)) {
                case (_, .removed), (_, .open), (.removed, _): continue
                case (.open, _) where FileLock.isHeld(path): kept.append(entry)
                case (.open, let now):
                    var whole = entry
                    whole.state = now
                    kept.append(whole)
                case (.sealed, .sealed(let bytes, let modified)):
                    if entry.matches(bytes: bytes, modified: modified) { kept.append(entry) }
                }
            }
            return kept != entries || lines > Self.lineLimit(kept) ? kept : nil
        }
        try manifest.begin()
    }

    /// So many lines may say these; then the list is written anew.
    private static func lineLimit(_ entries: [RecordingEntry]) -> Int {
        4 * entries.reduce(0) { $0 + $1.lineCount } + 64
    }

    /// What the list remembers of the clock.
    package func clockMemory() throws(CampipeError) -> ClockGuard.Memory { Self.clockMemory(try manifest.read()) }

    static func clockMemory(_ list: RecordingList) -> ClockGuard.Memory {
        func time(_ key: String) -> WallTime? {
            list.notes[key].flatMap { Int64($0) }.map(WallTime.init(microseconds:))
        }
        let ended = list.entries.compactMap(\.ended)
        // What was seen last, or written last, whatever the clock said before.
        return ClockGuard.Memory(seen: time("seen") ?? ended.last, jumped: time("jumped"), trusted: time("trusted"))
    }

    /// Remembers something of the clock: `seen`, `jumped` or `trusted`.
    package func remember(_ key: ClockNote, _ time: WallTime) throws(CampipeError) {
        try manifest.append(note: key.rawValue, "\(time.microseconds)")
    }

    package enum ClockNote: String, Sendable { case seen, jumped, trusted }

    /// Every file that this recording wrote and that is still as it wrote it, in the order of writing.
    ///
    /// - Parameter open: The paths of those that are being written.
    /// - Throws: What keeps the list from being read.
    package func recordings(open: Set<String> = []) throws(CampipeError) -> [RetentionPlan.Recording] {
        present(try manifest.read().entries, open: open).map(\.recording)
    }

    private func present(
        _ entries: [RecordingEntry], open: Set<String>
    ) -> [(entry: RecordingEntry, recording: RetentionPlan.Recording)] {
        entries.enumerated().compactMap { place, entry in
            guard let path = ownPath(entry), case .sealed(let bytes, let modified) = state(at: path) else { return nil }
            let isOpen = open.contains(path)
            guard isOpen || entry.matches(bytes: bytes, modified: modified) else { return nil }
            let recording = RetentionPlan.Recording(
                path: path, bytes: bytes, modified: isOpen ? modified : entry.ended ?? modified, isOpen: isOpen,
                hasEvent: !entry.events.isEmpty, place: place)
            return (entry, recording)
        }
    }

    /// How many files there are that the pattern could have named and that this recording did not write, and their
    /// bytes.
    package func strangers() throws(CampipeError) -> (count: Int, bytes: Int) {
        let entries = try manifest.read().entries
        // One that is open is another process's.
        let open = entries.filter { $0.state == .open }.compactMap(ownPath)
        let own = Set(present(entries, open: []).map(\.recording.path) + open)
        var (count, bytes) = (0, 0)
        walk { path, status in
            guard !own.contains(path), pattern.matches(path, fields: fields) else { return }
            count += 1
            bytes += Int(status.st_size)
        }
        return (count, bytes)
    }

    private func relative(_ path: String) -> String {
        String(decoding: path.utf8.dropFirst(pattern.rootPrefix.utf8.count), as: UTF8.self)
    }

    /// Where an entry's file is; nil for one that this pattern cannot have named, whoever wrote that down.
    private func ownPath(_ entry: RecordingEntry) -> String? {
        let path = pattern.rootPrefix + entry.path
        return pattern.matches(path, fields: fields) ? path : nil
    }

    /// What stands at a path, links not followed; all that is no file counts as removed.
    private func state(at path: String) -> RecordingEntry.State {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .removed }
        return .sealed(bytes: Int(status.st_size), modified: FolderWalk.modified(status))
    }

    /// The volume that the recordings are on, or will be.
    ///
    /// - Throws: When not even a folder above is there.
    package func volume() throws(CampipeError) -> RetentionPlan.Volume {
        var folder = pattern.rootFolder
        var status = statvfs()
        while unsafe statvfs(folder, &status) == -1 {
            let code = errno
            guard code == ENOENT, folder != ".", folder != "/" else {
                throw CampipeError.file("cannot tell the free space of \(folder)", errno: code)
            }
            folder = FileCall.folder(of: folder)
        }
        return RetentionPlan.Volume(
            capacity: Int(status.f_blocks) * Int(status.f_frsize), free: Int(status.f_bavail) * Int(status.f_frsize))
    }

    /// What a sweep did.
    package struct Sweep: Sendable {
        package var deleted: [RetentionPlan.Deletion]
        /// What of the policy does not hold now.
        package var shortfall: RetentionPlan.Shortfall?
        /// How many stayed though they are too old, since the clock is not believed.
        package var refused: Int
    }

    /// Deletes what the policy lets go, oldest first, and the folders that are empty then; says so in one line.
    ///
    /// What cannot be deleted is logged and stays; the others go on.
    ///
    /// - Parameters:
    ///   - open: The paths of those that are being written; they stay.
    ///   - isWary: Whether the clock is not believed, by what the list remembers of it.
    @discardableResult
    package func sweep(
        _ policy: RetentionPolicy, open: Set<String>, now: WallTime, log: Log,
        isWary: (ClockGuard.Memory) -> Bool = { _ in false }
    ) throws(CampipeError) -> Sweep {
        let list = try manifest.read()
        let present = present(list.entries, open: open)
        let plan = RetentionPlan(
            policy: policy, recordings: present.map(\.recording), volume: try volume(), now: now,
            isWary: isWary(Self.clockMemory(list)))
        var deleted: [RetentionPlan.Deletion] = []
        for deletion in plan.deletions {
            let path = deletion.recording.path
            let picture = SidePicture.own(of: path)
            if unsafe unlink(path) == -1 {
                let code = errno
                guard code == ENOENT else {
                    log.error("cannot delete a recording", ["path": path, "errno": code])
                    continue
                }
            }
            if let picture { unsafe unlink(picture) }
            deleted.append(deletion)
            removeEmptyFolders(above: path)
        }
        if !deleted.isEmpty { Self.tell(deleted, log) }
        let gone = Set(deleted.map(\.recording.path))
        let kept = present.filter { !gone.contains($0.recording.path) }.map(\.entry)
        do throws(CampipeError) {
            // Each file takes some lines while it is there; the list is written anew when most of it says nothing.
            if list.lines + gone.count > Self.lineLimit(kept) {
                try manifest.rewrite { entries, _ in
                    let here = Set(self.present(entries, open: open).map(\.entry))
                    return entries.filter { $0.state == .open || here.contains($0) }
                }
            } else if !gone.isEmpty {
                let lines = gone.sorted().flatMap { RecordingEntry(path: relative($0), state: .removed).line }
                try manifest.append(lines, isLasting: false)
            }
        } catch {
            log.debug("the list of recordings stays long", ["cause": error])
        }
        return Sweep(deleted: deleted, shortfall: plan.shortfall, refused: plan.refused)
    }

    private static func tell(_ deleted: [RetentionPlan.Deletion], _ log: Log) {
        let reasons = Set(deleted.map(\.reason.rawValue)).sorted().joined(separator: ", ")
        let bytes = ByteCount(bytes: deleted.reduce(0) { $0 + $1.recording.bytes })
        if deleted.count == 1, let only = deleted.first {
            log.info("deleted a recording", ["path": only.recording.path, "bytes": bytes, "reason": reasons])
        } else if let first = deleted.first, let last = deleted.last {
            log.info(
                "deleted recordings",
                [
                    "count": deleted.count, "bytes": bytes, "reason": reasons, "first": first.recording.path,
                    "last": last.recording.path,
                ])
        }
    }

    /// Deletes what a process that was killed left half written (`WholeFile`), and not what another is writing; for the
    /// start, before anything is written.
    ///
    /// - Returns: How many there were.
    @discardableResult
    package func removePartials() -> Int {
        var partials: [String] = []
        walk { path, _ in
            let wholes = WholeFile.wholePaths(ofPartial: path)
            if wholes.contains(where: { pattern.matches($0, fields: fields) }) { partials.append(path) }
        }
        return partials.filter { !FileLock.isHeld($0) }.count { unsafe unlink($0) == 0 }
    }

    /// Calls with every regular file that is as deep below the root folder as the pattern's files are.
    private func walk(_ visit: (_ path: String, _ status: stat) -> Void) {
        let depth = pattern.textBelowRoot.utf8.count { $0 == UInt8(ascii: "/") }
        FolderWalk.files(below: pattern.rootPrefix, depth: depth, visit)
    }

    /// Removes the folders above a file that have become empty, up to the pattern's own.
    private func removeEmptyFolders(above path: String) {
        let root = pattern.rootFolder
        var folder = FileCall.folder(of: path)
        while folder != root, folder != ".", folder != "/", unsafe rmdir(folder) == 0 {
            folder = FileCall.folder(of: folder)
        }
    }
}
