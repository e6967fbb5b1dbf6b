import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation

/// The index as a command uses it: opened, brought up to date, and where that cannot be, made in memory.
struct RecordingsAtHand {
    let index: RecordingIndex
    /// The lists of the recordings, absolute.
    let lists: [String]

    /// - Parameters:
    ///   - folders: Where to look for lists beside those that are remembered; they are remembered then.
    ///   - isRebuilt: Whether the index is made anew.
    ///   - tell: Says what is wrong, for standard error.
    /// - Throws: When there is no index even in memory.
    init(
        environment: [String: String], folders: [String], isRebuilt: Bool, tell: (String) -> Void
    ) throws(CampipeError) {
        let register = try? RecordingRegister(environment: environment)
        for folder in folders {
            let found = Self.lists(in: RecordingRegister.absolute(folder))
            if found.isEmpty { tell("there is no list of recordings in \(folder)") }
            for list in found { register?.addNow(list) }
        }
        let known = register?.lists ?? []
        let named = folders.flatMap { Self.lists(in: RecordingRegister.absolute($0)) }
        lists = known + named.filter { !known.contains($0) }
        guard let register else {
            index = try RecordingIndex(path: nil)
            try Self.update(index, lists, tell)
            return
        }
        if isRebuilt { RecordingIndex.remove(register.index) }
        let (opened, note) = try RecordingIndex.opened(at: register.index)
        if let note { tell("\(note); it is made of the lists of the recordings") }
        var usable = opened
        do throws(CampipeError) {
            try Self.update(opened, lists, tell)
        } catch {
            // Damaged in its midst, read-only, or locked for long.
            if error.kind == .badData { RecordingIndex.remove(register.index) }
            tell("\(error); it is made of the lists of the recordings")
            usable = try RecordingIndex(path: nil)
            try Self.update(usable, lists, tell)
        }
        index = usable
    }

    private static func update(
        _ index: RecordingIndex, _ lists: [String], _ tell: (String) -> Void
    ) throws(CampipeError) {
        let missing = try index.update(lists, prober: FileProber()) { tell("\($0) files looked at") }
        for list in missing where FileManager.default.fileExists(atPath: folder(of: list)) {
            tell("cannot read \(list): what was known of its recordings stays")
        }
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// The lists that recordings keep in a folder.
    private static func lists(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(".campipe-") && $0.hasSuffix(".list") }.sorted().map { "\(folder)/\($0)" }
    }
}

/// Asks files themselves when they were recorded, and how long they are.
private struct FileProber: ClipProber {
    func probe(_ path: String) -> (start: WallTime?, length: Duration?)? {
        guard let reader = try? MediaReader(path: path) else { return nil }
        return (reader.creationTime, reader.duration)
    }
}
