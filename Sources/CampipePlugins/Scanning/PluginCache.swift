import CampipeKit
import Foundation
import Glibc

/// What was found in plugins, kept between runs: one file a plugin, which holds only for the file as it was, and for
/// this build of campipe. What cannot be kept is found again.
package struct PluginCache: Sendable {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    /// `$XDG_CACHE_HOME/campipe/plugins`, else `~/.cache/campipe/plugins`; nil without a home.
    package init?(environment: [String: String]) {
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            folder = "\(cache)/campipe/plugins"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = "\(home)/.cache/campipe/plugins"
        } else {
            return nil
        }
    }

    /// What a finding holds for: the file's place, size and times, and the host.
    struct Key {
        var file: String
        var text: String
    }

    private struct Kept: Codable {
        var key: String
        var answer: PluginChild.Answer
    }

    static func key(of object: CheckedObject, host: HostIdentity) -> Key? {
        var found = stat()
        guard unsafe stat(object.path, &found) == 0 else { return nil }
        let facts: [Int] = [
            Int(found.st_size), Int(found.st_ino), found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_ctim.tv_sec,
            found.st_ctim.tv_nsec,
        ]
        return Key(
            file: String(SHA256.text(Array(object.path.utf8)).prefix(32)) + ".json",
            text: ([object.path, host.sdk] + facts.map(String.init)).joined(separator: " "))
    }

    func answer(for key: Key?) -> PluginChild.Answer? {
        guard let key, let bytes = FilePlace.bytes(of: "\(folder)/\(key.file)"),
            let kept = try? JSONDecoder().decode(Kept.self, from: Data(bytes)), kept.key == key.text
        else { return nil }
        return kept.answer
    }

    func keep(_ answer: PluginChild.Answer, for key: Key) {
        guard let data = try? JSONEncoder().encode(Kept(key: key.text, answer: answer)) else { return }
        let files = FileManager.default
        try? files.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? data.write(to: URL(filePath: "\(folder)/\(key.file)"), options: .atomic)
    }
}
