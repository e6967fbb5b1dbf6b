package import CampipeKit
import Foundation
import Glibc

/// The recorded files of one sink: finds them by the pattern that named them, and deletes what its policy lets go.
///
/// Every call may block for as long as the disk does: it is for nodes that have a thread of their own.
package struct RecordingFolder: Sendable {
    private let pattern: FileNamePattern
    private let fields: [String: String]

    package init(_ pattern: FileNamePattern, fields: [String: String] = [:]) {
        self.pattern = pattern
        self.fields = fields
    }

    /// Every file that the pattern could have made; links and what else stands there are left out.
    ///
    /// - Parameter open: The paths of those that are being written.
    package func recordings(open: Set<String> = []) -> [RetentionPlan.Recording] {
        var found: [RetentionPlan.Recording] = []
        walk { path, status in
            guard pattern.matches(path, fields: fields) else { return }
            let modified = Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000
            found.append(
                RetentionPlan.Recording(
                    path: path, bytes: Int(status.st_size), modified: WallTime(microseconds: modified),
                    isOpen: open.contains(path)))
        }
        return found
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

    /// Deletes what the policy lets go, oldest first, and the folders that are empty then.
    ///
    /// What cannot be deleted is logged and stays; the others go on.
    ///
    /// - Parameter open: The paths of those that are being written; they stay.
    /// - Returns: What was deleted, and whether the policy holds now.
    @discardableResult
    package func sweep(
        _ policy: RetentionPolicy, open: Set<String>, now: WallTime, log: Log
    ) throws(CampipeError) -> (deleted: [RetentionPlan.Deletion], isEnough: Bool) {
        let plan = RetentionPlan(policy: policy, recordings: recordings(open: open), volume: try volume(), now: now)
        var deleted: [RetentionPlan.Deletion] = []
        for deletion in plan.deletions {
            let path = deletion.recording.path
            if unsafe unlink(path) == -1 {
                let code = errno
                guard code == ENOENT else {
                    log.error("cannot delete a recording", ["path": path, "errno": code])
                    continue
                }
            }
            deleted.append(deletion)
            removeEmptyFolders(above: path)
        }
        if let last = deleted.last {
            let bytes = deleted.reduce(0) { $0 + $1.recording.bytes }
            log.info(
                "deleted recordings",
                ["count": deleted.count, "bytes": bytes, "reason": last.reason.rawValue, "last": last.recording.path])
        }
        return (deleted, plan.isEnough && deleted.count == plan.deletions.count)
    }

    /// Deletes what a process that was killed left half written (`WholeFile`); for the start, before anything is
    /// written.
    ///
    /// - Returns: How many there were.
    @discardableResult
    package func removePartials() -> Int {
        var partials: [String] = []
        walk { path, _ in
            if let whole = WholeFile.wholePath(ofPartial: path), pattern.matches(whole, fields: fields) {
                partials.append(path)
            }
        }
        return partials.count { unsafe unlink($0) == 0 }
    }

    /// Calls with every regular file that is as deep below the root folder as the pattern's files can be.
    private func walk(_ visit: (_ path: String, _ status: stat) -> Void) {
        let root = pattern.rootFolder
        // A pattern without a folder makes names without one.
        let prefix = root == "." && !pattern.text.hasPrefix("./") ? "" : root
        walk(root, prefix: prefix, depth: pattern.text.utf8.count { $0 == UInt8(ascii: "/") }, visit)
    }

    private func walk(_ folder: String, prefix: String, depth: Int, _ visit: (String, stat) -> Void) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = prefix.isEmpty || prefix == "/" ? prefix + name : "\(prefix)/\(name)"
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where depth > 0: walk(path, prefix: path, depth: depth - 1, visit)
            case S_IFREG: visit(path, status)
            default: continue
            }
        }
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
