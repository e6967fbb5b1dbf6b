import CampipeHTTP

/// What is asked of a stream: by the name below its path, by an alias, or by mjpg-streamer's `?action=`.
struct StreamCall: Hashable {
    enum Kind: String, CaseIterable {
        case stream, snapshot, state
        /// H.264 or H.265 as it comes, as fragmented MP4.
        case video = "live.mp4"
        /// The path itself.
        case page = ""

        /// Whether it has a number behind it, and goes by mjpg-streamer's `?action=` too.
        var isAlias: Bool { self == .stream || self == .snapshot || self == .state }
    }

    var kind: Kind
    /// The N of `stream_N`: which camera, from 0, as mjpg-streamer counts.
    var number = 0

    /// - Returns: nil when there is nothing of that name.
    init?(_ request: HTTPRequest) {
        let action = request.query("action")
        let name = action ?? request.subpath
        let parts = name.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = Kind(rawValue: String(parts[0])) else { return nil }
        self.kind = kind
        guard action == nil || kind.isAlias || kind == .page else { return nil }
        if parts.count == 2 {
            guard kind.isAlias, parts[1].count < 6, let number = Int(parts[1]), number >= 0 else { return nil }
            self.number = number
        }
    }
}
