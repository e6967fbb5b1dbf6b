import CampipeKit
import Glibc

/// A place that plugins are taken from without being named one by one. Never the working folder, unless it is given.
package struct PluginFolder: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Named on the command line.
        case given
        /// The user's own.
        case user
        /// The machine's: what lies there must be root's.
        case system
    }

    package let path: String
    package let kind: Kind

    package init(_ path: String, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// The machine's folder.
    package static let system = PluginFolder("/usr/lib/campipe/plugins", .system)

    /// The user's: `$XDG_DATA_HOME/campipe/plugins`, else `~/.local/share/campipe/plugins`; nil without a home.
    package static func user(environment: [String: String]) -> PluginFolder? {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return PluginFolder("\(data)/campipe/plugins", .user)
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return PluginFolder("\(home)/.local/share/campipe/plugins", .user)
    }

    /// The shared objects in it, by name; of one that was given and is a file, that file.
    package var files: [String] {
        var found = stat()
        if kind == .given, unsafe stat(path, &found) != 0 || found.st_mode & S_IFMT != S_IFDIR { return [path] }
        return FilePlace.names(in: path).filter { $0.hasSuffix(".so") && !$0.hasPrefix(".") }.map { "\(path)/\($0)" }
    }

    /// Why a file in it is not to be trusted; nil when it is. What was given is the caller's own affair.
    package func distrust(_ file: String) -> PluginRefusal? {
        switch kind {
        case .given: return nil
        case .system:
            return Self.places(of: file).first { !Self.isSafe($0, owners: [0], others: S_IWGRP | S_IWOTH) }
                .map { .writable(file, $0) }
        case .user:
            return [file, path].first { !Self.isSafe($0, owners: [0, getuid()], others: S_IWOTH) }
                .map { .notYours(file, $0) }
        }
    }

    /// A file and all folders above it, as they are, without links.
    private static func places(of file: String) -> [String] {
        guard var place = FilePlace.real(file) else { return [file] }
        var places = [place]
        while place != "/", place != "." {
            place = FilePlace.folder(of: place)
            places.append(place)
        }
        return places
    }

    /// Whether one of the owners has it, and nobody else may write it.
    private static func isSafe(_ place: String, owners: [uid_t], others: mode_t) -> Bool {
        var found = stat()
        guard unsafe stat(place, &found) == 0 else { return false }
        return owners.contains(found.st_uid) && found.st_mode & others == 0
    }
}
