import CampipeKit
import CampipeStore
import Foundation
import Glibc

/// Where campipe keeps what it made for itself: `$XDG_STATE_HOME/campipe`, else `~/.local/state/campipe`.
///
/// Folders are for their owner alone (0700), and so are files (0600).
struct StateFolder: Sendable {
    let path: String

    /// - Parameter name: The folder in it.
    /// - Throws: `.configuration` without a home.
    init(_ name: String, environment: [String: String] = ProcessInfo.processInfo.environment) throws(CampipeError) {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            path = "\(state)/campipe/\(name)"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = "\(home)/.local/state/campipe/\(name)"
        } else {
            throw CampipeError(
                .configuration, "there is no place to keep things: neither XDG_STATE_HOME nor HOME is set",
                fix: "set XDG_STATE_HOME to a folder")
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// A file's text; nil when there is none, or others may read it.
    func read(_ name: String) -> String? {
        var found = stat()
        guard unsafe stat(file(name), &found) == 0, found.st_mode & 0o077 == 0 else { return nil }
        return try? String(contentsOfFile: file(name), encoding: .utf8)
    }

    /// Makes the folder, where it is missing.
    ///
    /// - Throws: What the system says.
    func makeFolder() throws(CampipeError) { try WholeFile.makeFolder(path, permissions: 0o700) }

    /// Writes a file whole or not at all.
    ///
    /// - Throws: What the system says.
    func write(_ bytes: [UInt8], to name: String) throws(CampipeError) {
        try WholeFile.makeFolder(path, permissions: 0o700)
        try WholeFile.replace(file(name), with: bytes, permissions: 0o600)
    }
}
