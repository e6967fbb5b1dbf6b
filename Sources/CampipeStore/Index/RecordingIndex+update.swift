package import CampipeKit
import Glibc

extension RecordingIndex {
    /// Takes in what the lists say that it does not know yet: of each what was added, or all of one that was written anew.
    ///
    /// Of a list that is new here, files that its pattern names and that are on no list come too. What says neither when it
    /// began nor how long it is, is looked at itself.
    ///
    /// - Parameters:
    ///   - lists: Their paths, absolute.
    ///   - progress: Told now and then how many files were looked at.
    /// - Returns: The lists that cannot be read just now; what is known of them stays.
    @discardableResult
    package func update(
        _ lists: [String], prober: (any ClipProber)? = nil, progress: (Int) -> Void = { _ in }
    ) throws(CampipeError) -> [String] {
        var missing: [String] = []
        for path in lists {
            let part: ListPart?
            do throws(CampipeError) {
                part = try ListPart.read(path, since: try mark(of: path))
            } catch {
                missing.append(path)
                continue
            }
            guard let part else { continue }
            try database.transaction { () throws(CampipeError) in try take(part, of: path) }
        }
        if let prober { try probe(prober, progress) }
        return missing
    }

    /// How far a list was read; nil when it is new here.
    private func mark(of path: String) throws(CampipeError) -> ListPart.Mark? {
        let statement = try database.statement("SELECT place, tail, inode FROM lists WHERE path = ?")
        statement.bind([.text(path)])
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return ListPart.Mark(place: statement.integer(0), tail: statement.integer(1), inode: statement.integer(2))
    }

    private func take(_ part: ListPart, of path: String) throws(CampipeError) {
        let folder = FileCall.split(path).folder
        let known = try database.number("SELECT id FROM lists WHERE path = ?", .text(path))
        if known == nil {
            try database.run("INSERT INTO lists (path, folder) VALUES (?, ?)", .text(path), .text(folder))
        }
        let list = known ?? database.lastRow
        if part.isWhole { try database.run("DELETE FROM clips WHERE list = ? AND listed = 1", .integer(list)) }
        var notes: [String: String] = [:]
        for line in part.text.split(separator: UInt8(ascii: "\n")) {
            switch RecordingList.Line(line) {
            case nil: continue
            case .note(let key, let value): notes[key] = value
            case .file(let entry): try take(entry, of: list)
            case .event(let event, let path): try take(event, of: path, list)
            }
        }
        if let camera = notes["camera"] {
            try database.run("INSERT OR IGNORE INTO cameras (name) VALUES (?)", .text(camera))
            try database.run(
                "UPDATE lists SET camera = (SELECT id FROM cameras WHERE name = ?), node = ? WHERE id = ?",
                .text(camera), SQLiteValue(notes["id"]), .integer(list))
        }
        let mark = part.mark
        try database.run(
            "UPDATE lists SET place = ?, tail = ?, inode = ? WHERE id = ?", .integer(mark.place), .integer(mark.tail),
            .integer(mark.inode), .integer(list))
        if known == nil { try takeUnlisted(notes, folder: folder, list) }
    }

    private func take(_ entry: RecordingEntry, of list: Int64) throws(CampipeError) {
        switch entry.state {
        case .removed:
            try database.run("DELETE FROM clips WHERE list = ? AND path = ?", .integer(list), .text(entry.path))
        case .open:
            // One that began at the same time is the same, and keeps its events.
            try database.run(
                "UPDATE clips SET state = 0 WHERE list = ? AND path = ? AND start = ?", .integer(list),
                .text(entry.path), SQLiteValue(entry.start))
            guard try database.number("SELECT changes()") == 0 else { return }
            try database.run(
                "INSERT OR REPLACE INTO clips (list, path, state, start) VALUES (?, ?, 0, ?)", .integer(list),
                .text(entry.path), SQLiteValue(entry.start))
        case .sealed(let bytes, let modified):
            try database.run(
                """
                UPDATE clips SET state = 1, start = coalesce(?, start), length = ?, bytes = ?, modified = ?
                WHERE list = ? AND path = ? AND (state = 0 OR start = ?)
                """, SQLiteValue(entry.start), SQLiteValue(entry.length), .integer(Int64(bytes)),
                SQLiteValue(modified), .integer(list), .text(entry.path), SQLiteValue(entry.start))
            guard try database.number("SELECT changes()") == 0 else { return }
            try database.run(
                """
                INSERT OR REPLACE INTO clips (list, path, state, start, length, bytes, modified)
                VALUES (?, ?, 1, ?, ?, ?, ?)
                """, .integer(list), .text(entry.path), SQLiteValue(entry.start), SQLiteValue(entry.length),
                .integer(Int64(bytes)), SQLiteValue(modified))
        }
    }

    private func take(_ event: ClipEvent, of path: String, _ list: Int64) throws(CampipeError) {
        try database.run(
            """
            INSERT INTO events (clip, kind, node, begun, ended)
            SELECT id, ?, ?, ?, ? FROM clips WHERE list = ? AND path = ?
            ON CONFLICT (clip, kind, node, begun) DO UPDATE SET ended = excluded.ended
            """, .text(event.kind), .text(event.node), SQLiteValue(event.begun), SQLiteValue(event.ended),
            .integer(list), .text(path))
    }

    /// Files that the pattern of a list names, and that are not on it: somebody copied them there, or the list was lost.
    private func takeUnlisted(_ notes: [String: String], folder: String, _ list: Int64) throws(CampipeError) {
        var faults: [Fault] = []
        guard let text = notes["pattern"],
            let pattern = FileNamePattern(text, fields: Array(notes.keys), at: .root, into: &faults)
        else { return }
        var found: [(path: String, status: stat)] = []
        FolderWalk.files(below: folder, depth: text.utf8.count { $0 == UInt8(ascii: "/") }) { path, status in
            let relative = String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
            if pattern.matches(relative, fields: notes) { found.append((relative, status)) }
        }
        for (path, status) in found {
            try database.run(
                "INSERT OR IGNORE INTO clips (list, path, state, bytes, modified, listed) VALUES (?, ?, 1, ?, ?, 0)",
                .integer(list), .text(path), .integer(Int64(status.st_size)), SQLiteValue(FolderWalk.modified(status)))
        }
    }

    /// How many files are looked at before what they said is kept.
    private static let probeCount = 100

    /// Asks the files themselves what the lists do not say.
    private func probe(_ prober: any ClipProber, _ progress: (Int) -> Void) throws(CampipeError) {
        var count = 0
        while true {
            let unknown = try unknownTimes()
            if unknown.isEmpty { return }
            var answers: [(id: Int64, start: WallTime?, length: Duration)] = []
            for clip in unknown {
                let answer = prober.probe(clip.path)
                let length = answer?.length ?? .zero
                // What was written last was so at its end.
                answers.append((clip.id, answer?.start ?? clip.modified.map { $0 + (.zero - length) }, length))
            }
            try database.transaction { () throws(CampipeError) in
                for answer in answers {
                    try database.run(
                        "UPDATE clips SET start = coalesce(start, ?), length = coalesce(length, ?) WHERE id = ?",
                        SQLiteValue(answer.start ?? WallTime(microseconds: 0)), SQLiteValue(answer.length),
                        .integer(answer.id))
                }
            }
            count += unknown.count
            progress(count)
        }
    }

    private func unknownTimes() throws(CampipeError) -> [(id: Int64, path: String, modified: WallTime?)] {
        let statement = try database.statement(
            """
            SELECT clips.id, lists.folder || clips.path, clips.modified FROM clips JOIN lists ON lists.id = clips.list
            WHERE clips.state = 1 AND (clips.start IS NULL OR clips.length IS NULL) LIMIT \(Self.probeCount)
            """)
        defer { statement.reset() }
        var clips: [(id: Int64, path: String, modified: WallTime?)] = []
        while try statement.step() { clips.append((statement.integer(0), statement.text(1), statement.time(2))) }
        return clips
    }
}
