import CampipeKit
import Foundation
import Glibc

/// Goes through the files of a folder.
enum FolderWalk {
    /// Calls with every regular file that is so deep below a folder; links are not followed.
    ///
    /// - Parameters:
    ///   - folder: With its slash at the end; empty is the working folder.
    ///   - depth: How many folders deep.
    static func files(below folder: String, depth: Int, _ visit: (_ path: String, _ status: stat) -> Void) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? [] {
            let path = folder + name
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where depth > 0: files(below: path + "/", depth: depth - 1, visit)
            case S_IFREG where depth == 0: visit(path, status)
            default: continue
            }
        }
    }

    /// When a file was last changed.
    static func modified(_ status: stat) -> WallTime {
        WallTime(microseconds: Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000)
    }
}
