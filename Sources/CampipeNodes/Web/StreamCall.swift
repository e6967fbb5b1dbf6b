import CampipeHTTP

/// What is asked of a stream: by the name below its path, by an alias, or by mjpg-streamer's `?action=`.
struct StreamCall: Hashable {
    enum Kind: String, CaseIterable {
        case stream, snapshot, state
        /// The path itself.
        case page = ""
    }

    var kind: Kind
    /// The N of `stream_N`: which camera, from 0, as mjpg-streamer counts.
    var number = 0

    /// - Returns: nil when there is nothing of that name.
    init?(_ request: HTTPRequest) {
        let name = request.query("action") ?? request.subpath
        let parts = name.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = Kind(rawValue: String(parts[0])) else { return nil }
        self.kind = kind
        if parts.count == 2 {
            guard kind != .page, parts[1].count < 6, let number = Int(parts[1]), number >= 0 else { return nil }
            self.number = number
        }
    }
}
