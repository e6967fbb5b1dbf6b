/// What looks like a camera's host and not like a file's path, where no scheme stands in front. A value.
///
/// Nothing is looked up: `192.168.1.20`, `cam.local/video`, `cam:8080/x` and `user:pw@cam/x` are hosts; what begins
/// with a slash or a dot, or ends as a file of pictures does, is a path, unless it begins with an IPv4 address.
struct HostShape: Hashable, Sendable {
    /// The host with its port, without user-info.
    let host: String
    /// What follows it, without the query, which may hold a password.
    let path: String

    private static let fileEndings = [
        "jpg", "jpeg", "jpe", "mjpeg", "mjpg", "png", "gif", "bmp", "webp", "mp4", "m4v", "mov", "mkv", "webm", "ts",
        "mts", "m2ts", "mpg", "mpeg", "avi", "flv", "wmv", "3gp", "ogv", "y4m", "h264", "264", "h265", "265", "hevc",
    ]

    /// - Returns: nil when it is a path.
    init?(_ text: String) {
        let head = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let first = head.first, first != ".", !text.lowercased().hasPrefix("file:") else { return nil }
        let authority = head.lastIndex(of: "@").map { head[head.index(after: $0)...] } ?? head
        let name = authority.prefix { $0 != ":" }
        let port = authority.dropFirst(name.count + 1)
        let hasPort = !port.isEmpty && port.utf8.allSatisfy { (48...57).contains($0) }
        guard !name.isEmpty, name.count == authority.count || hasPort else { return nil }
        let rest = text[head.endIndex...].prefix { $0 != "?" && $0 != "#" }
        let isHost =
            Self.isIPv4(name) || hasPort
            || (name.contains(".") || head.contains("@")) && !Self.isFile(rest.isEmpty ? name : rest)
        guard isHost else { return nil }
        host = String(authority)
        path = rest.isEmpty ? "/" : String(rest)
    }

    private static func isIPv4(_ name: Substring) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isFile(_ path: Substring) -> Bool {
        guard let dot = path.lastIndex(of: ".") else { return false }
        return fileEndings.contains(path[path.index(after: dot)...].lowercased())
    }
}
