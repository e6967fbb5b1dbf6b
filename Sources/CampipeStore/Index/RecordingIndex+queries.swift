package import CampipeKit

extension RecordingIndex {
    private static let columns = """
        SELECT clips.id, lists.path, clips.path, cameras.name, clips.state, clips.listed, clips.start, clips.length,
            clips.bytes, clips.list
        """
    private static let tables =
        " FROM clips JOIN lists ON lists.id = clips.list LEFT JOIN cameras ON cameras.id = lists.camera"

    /// The recordings that a query asks for, the newest first.
    package func clips(_ query: ClipQuery) throws(CampipeError) -> [IndexedClip] {
        let (condition, values) = Self.condition(query)
        let statement = try database.statement(
            Self.columns + Self.tables + condition + " ORDER BY clips.start DESC, clips.id DESC LIMIT ?")
        statement.bind(values + [.integer(Int64(query.limit ?? -1))])
        return try clips(of: statement)
    }

    /// The recording with this path; nil when there is none.
    package func clip(at path: String) throws(CampipeError) -> IndexedClip? {
        let (folder, _) = FileCall.split(path)
        // A list is in the folder of the recording, or above it.
        var above = folder
        while true {
            let statement = try database.statement(
                Self.columns + Self.tables
                    + " WHERE clips.path = ? AND lists.folder = ? ORDER BY clips.listed DESC LIMIT 1")
            let relative = String(decoding: path.utf8.dropFirst(above.utf8.count), as: UTF8.self)
            statement.bind([.text(relative), .text(above)])
            if let found = try clips(of: statement).first { return found }
            guard above.utf8.count > 1 else { return nil }
            above = FileCall.split(String(decoding: above.utf8.dropLast(), as: UTF8.self)).folder
        }
    }

    /// How many recordings a query matches, how large and how long they are; its limit does not count.
    package func totals(_ query: ClipQuery) throws(CampipeError) -> ClipTotals {
        let (condition, values) = Self.condition(query)
        let statement = try database.statement(
            "SELECT count(*), coalesce(sum(clips.bytes), 0), coalesce(sum(clips.length), 0)" + Self.tables + condition)
        statement.bind(values)
        defer { statement.reset() }
        guard try statement.step() else { return ClipTotals() }
        return ClipTotals(
            count: Int(statement.integer(0)), bytes: Int(statement.integer(1)),
            length: statement.duration(2) ?? .zero)
    }

    private func clips(of statement: SQLiteStatement) throws(CampipeError) -> [IndexedClip] {
        var clips: [IndexedClip] = []
        while try statement.step() {
            let folder = FileCall.split(statement.text(1)).folder
            let isListed = statement.integer(5) != 0
            clips.append(
                IndexedClip(
                    id: statement.integer(0), path: folder + statement.text(2), list: statement.integer(9),
                    camera: statement.text(3),
                    state: statement.integer(4) == 0 ? .open : isListed ? .complete : .unlisted,
                    start: statement.time(6), length: statement.duration(7),
                    bytes: statement.isNull(8) ? nil : Int(statement.integer(8))))
        }
        statement.reset()
        for index in clips.indices { clips[index].events = try events(of: clips[index].id) }
        return clips
    }

    private func events(of clip: Int64) throws(CampipeError) -> [ClipEvent] {
        let statement = try database.statement(
            "SELECT kind, node, begun, ended FROM events WHERE clip = ? ORDER BY begun, kind, node")
        statement.bind([.integer(clip)])
        defer { statement.reset() }
        var events: [ClipEvent] = []
        while try statement.step() {
            events.append(
                ClipEvent(
                    kind: statement.text(0), node: statement.text(1),
                    begun: WallTime(microseconds: statement.integer(2)), ended: statement.time(3)))
        }
        return events
    }

    private static func condition(_ query: ClipQuery) -> (sql: String, values: [SQLiteValue]) {
        var parts: [String] = []
        var values: [SQLiteValue] = []
        if let camera = query.camera {
            parts.append("lists.camera = (SELECT id FROM cameras WHERE name = ?)")
            values.append(.text(camera))
        }
        if let to = query.to {
            parts.append("clips.start < ?")
            values.append(SQLiteValue(to))
        }
        if let from = query.from {
            // One that is being written reaches on.
            parts.append("(clips.start + coalesce(clips.length, 0) > ? OR clips.start >= ? OR clips.state = 0)")
            values += [SQLiteValue(from), SQLiteValue(from)]
        }
        if query.withEvents { parts.append("EXISTS (SELECT 1 FROM events WHERE events.clip = clips.id)") }
        return (parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND "), values)
    }
}
