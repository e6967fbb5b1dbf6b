import CampipeKit
import Dispatch
import Foundation
import Glibc

/// Remembers where recordings keep their lists: one path a line, in the state folder. Several processes may write it at
/// once.
///
/// Nobody who records waits for it: a thread of its own writes, and nothing comes of a failure but that a recording is
/// found by its folder only.
final class RecordingRegister: RecordingLists {
    private let folder: StateFolder
    private let queue = DispatchQueue(label: "campipe.recording-register")
    private static let name = "lists"

    /// - Parameter environment: Names the state folder.
    /// - Throws: `.configuration` without a home.
    init(environment: [String: String]) throws(CampipeError) {
        folder = try StateFolder("recordings", environment: environment)
    }

    /// Where the index is.
    var index: String { folder.file("index.sqlite") }

    /// The paths, in the order in which they came.
    var lists: [String] {
        var seen: Set<String> = []
        return (folder.read(Self.name) ?? "").split(separator: "\n").map(String.init).filter {
            seen.insert($0).inserted
        }
    }

    func add(_ path: String) {
        // From the folder that it works in now.
        let path = Self.absolute(path)
        queue.async { [self] in addNow(path) }
    }

    /// As `add`, before it returns.
    func addNow(_ path: String) {
        let path = Self.absolute(path)
        guard !path.contains("\n"), !lists.contains(path) else { return }
        guard (try? folder.makeFolder()) != nil else { return }
        let descriptor = open(folder.file(Self.name), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let line = Array((path + "\n").utf8)
        _ = unsafe write(descriptor, line, line.count)
    }

    /// Waits a second at most until what was added is written.
    func finish() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .seconds(1))
    }

    /// A path from the root on, without `.` and `..`; links stay.
    static func absolute(_ path: String) -> String {
        let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        var parts: [Substring] = []
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
