import CSQLite
package import CampipeKit
import Glibc

/// Answers which recordings there are: a database that is made of the lists that recordings keep (`RecordingManifest`).
///
/// The lists are the truth, and lie beside the recordings; this is made again when it is lost. Nobody who records writes
/// here, so that no recording ever waits for it, and nothing is ever deleted by what it says. Several processes may use one
/// file. One owner, one thread at a time; it blocks while the disk does.
package final class RecordingIndex {
    let database: SQLiteDatabase

    /// Opens a file, or makes it and the folder that it is in.
    ///
    /// - Parameter path: nil is one in memory, which goes with this.
    /// - Throws: `.badData` for a damaged file; `.unsupported` for one of a newer campipe, which stays as it is;
    ///   `.timedOut` when another process writes for long; what the disk says.
    package init(path: String?) throws(CampipeError) {
        if let path { try FileCall.makeFolder(FileCall.folder(of: path), permissions: 0o700) }
        database = try SQLiteDatabase(path: path)
        try database.execute("PRAGMA foreign_keys = ON")
        // With a log beside it readers and a writer do not wait for one another; that takes memory which processes share,
        // and so a disk of this machine.
        if let path, !Self.isRemote(path) {
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        }
        try IndexSchema.migrate(database)
    }

    /// Opens the file, or does without it.
    ///
    /// A damaged one is made anew. One that cannot be used (of a newer campipe, read-only, locked, on a full disk) stays as
    /// it is, and the index is made in memory.
    ///
    /// - Returns: With what was wrong.
    package static func opened(at path: String) throws(CampipeError) -> (index: RecordingIndex, note: CampipeError?) {
        do throws(CampipeError) {
            return (try RecordingIndex(path: path), nil)
        } catch {
            guard error.kind == .badData else { return (try RecordingIndex(path: nil), error) }
            remove(path)
            do throws(CampipeError) {
                return (try RecordingIndex(path: path), error)
            } catch {
                return (try RecordingIndex(path: nil), error)
            }
        }
    }

    /// Removes an index, that it is made again.
    package static func remove(_ path: String) {
        for file in [path, path + "-wal", path + "-shm", path + "-journal"] { unsafe unlink(file) }
    }

    /// Whether a file is on the disk of another machine, by the magic numbers of statfs(2). No harm is done by one that is not known here:
    /// a damaged index is made anew.
    private static func isRemote(_ path: String) -> Bool {
        // NFS, SMB, CIFS, SMB2, 9P, AFS, Ceph, and all that runs outside of the kernel, as SSHFS does.
        let remote: Set<UInt32> = [
            0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x5346_414F, 0x00C3_6400, 0x6573_5546,
        ]
        return remote.contains(unsafe campipe_file_system(FileCall.folder(of: path)))
    }

    /// The version of its tables.
    package var version: Int {
        get throws(CampipeError) { Int(try database.number("PRAGMA user_version") ?? 0) }
    }

    /// The cameras that have recordings, in order.
    package func cameras() throws(CampipeError) -> [String] {
        let statement = try database.statement(
            """
            SELECT DISTINCT cameras.name FROM cameras JOIN lists ON lists.camera = cameras.id
            WHERE EXISTS (SELECT 1 FROM clips WHERE clips.list = lists.id) ORDER BY cameras.name
            """)
        defer { statement.reset() }
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }
}
