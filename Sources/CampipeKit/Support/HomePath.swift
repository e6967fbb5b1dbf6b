internal import Glibc

/// A path that begins with `~`, which only a shell makes the home folder of: here it would be a folder of that name.
package enum HomePath {
    /// Of a path that a shell would change; the fix holds the whole path. Nil for all others.
    package static func fault(_ text: String, at path: FaultPath) -> Fault? {
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) }
        guard let whole = whole(text, home: home) else { return nil }
        return Fault(
            .invalidValue, at: path, "~ is no home folder here, but a folder of that name",
            fix: whole.isEmpty ? "write the whole path, from /" : "write \(whole)")
    }

    /// The path as a shell would have it; empty where that is not known, nil where it is the path itself.
    static func whole(_ text: String, home: String?) -> String? {
        guard text.hasPrefix("~") else { return nil }
        guard text == "~" || text.hasPrefix("~/") else { return text.contains("/") ? "" : nil }
        return home.map { $0 + text.dropFirst() } ?? ""
    }
}
