import CampipeKit

/// The tables of the index, and how those of older versions become the newest. `user_version` counts the steps.
enum IndexSchema {
    /// Each step once and in order; one that was ever released is never changed.
    static let steps: [String] = [
        """
        CREATE TABLE cameras (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE lists (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, camera INTEGER REFERENCES cameras,
            node TEXT, place INTEGER NOT NULL DEFAULT 0, tail INTEGER NOT NULL DEFAULT 0, inode INTEGER);
        CREATE TABLE clips (
            id INTEGER PRIMARY KEY, list INTEGER NOT NULL REFERENCES lists ON DELETE CASCADE, path TEXT NOT NULL,
            state INTEGER NOT NULL, start INTEGER, length INTEGER, bytes INTEGER, modified INTEGER,
            listed INTEGER NOT NULL DEFAULT 1, UNIQUE (list, path));
        CREATE TABLE events (
            id INTEGER PRIMARY KEY, clip INTEGER NOT NULL REFERENCES clips ON DELETE CASCADE, kind TEXT NOT NULL,
            node TEXT NOT NULL, begun INTEGER NOT NULL, ended INTEGER, UNIQUE (clip, kind, node, begun));
        """,
        """
        CREATE INDEX clips_by_start ON clips (start, list);
        CREATE INDEX clips_by_list ON clips (list, start);
        """,
    ]

    /// Brings a database to the newest version.
    ///
    /// - Throws: `.unsupported` for one of a newer campipe, which stays as it is; what the database says.
    static func migrate(_ database: SQLiteDatabase, through last: Int = steps.count) throws(CampipeError) {
        let version = Int(try database.number("PRAGMA user_version") ?? 0)
        guard version <= steps.count else {
            throw CampipeError(
                .unsupported, "the index is of a newer campipe (version \(version); this one knows \(steps.count))")
        }
        guard version < last else { return }
        try database.transaction { () throws(CampipeError) in
            // Another process may have done it meanwhile.
            let version = Int(try database.number("PRAGMA user_version") ?? 0)
            guard version < last else { return }
            for step in steps[version..<last] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(last)")
        }
    }
}
