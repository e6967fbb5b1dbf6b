/// The container formats that are written.
package enum Container: String, Sendable, CaseIterable {
    /// Fragmented MP4: playable up to the last whole fragment, whatever happens.
    case mp4
    case mkv
    /// MPEG transport stream.
    case ts

    /// By a file name's extension; nil for one that is not written.
    package init?(path: String) {
        let name = path.lowercased()
        if [".mp4", ".m4v", ".mov"].contains(where: name.hasSuffix) {
            self = .mp4
        } else if name.hasSuffix(".mkv") {
            self = .mkv
        } else if name.hasSuffix(".ts") {
            self = .ts
        } else {
            return nil
        }
    }

    /// FFmpeg's name of it.
    var muxer: String {
        switch self {
        case .mp4: "mp4"
        case .mkv: "matroska"
        case .ts: "mpegts"
        }
    }
}
