import CampipeKit
import CampipeMedia
import CampipeStore

/// Mends at the start what processes that were killed left of their recordings, before these are taken as they are.
///
/// Only files that the recording's own list says were being written; one that a process still writes is left alone.
enum RecordingRepair {
    static func mend(_ folder: RecordingFolder, _ kind: RecordingFormat, log: Log) {
        guard kind != .jpg else { return }
        do {
            for path in try folder.unfinished() { try mend(path, kind, log) }
        } catch {
            log.warning("cannot mend a recording that was not ended", ["cause": error])
        }
    }

    private static func mend(_ path: String, _ kind: RecordingFormat, _ log: Log) throws {
        guard let file = LeftFile(path) else { return }
        guard file.size > 0 else { return file.remove() }
        let outcome = try FileMending.look(kind.container, length: file.size) { try file.read($0, $1) }
        switch outcome {
        case .foreign: return
        case .empty:
            log.info("removed a recording that was not ended, and holds no picture", ["path": path])
            file.remove()
        case .whole(let mending):
            for patch in mending.patches { try file.rewrite(patch.bytes, at: patch.offset) }
            if mending.length < file.size { try file.cut(to: mending.length) }
            try file.sync()
            log.info(
                "mended a recording that was not ended",
                ["path": path, "cut_off": ByteCount(bytes: file.size - mending.length)])
        }
    }
}
