package import CampipeKit

extension Container {
    /// Whether sound can be put into it as it is, so that players know it there.
    package func holds(_ sound: PacketFormat) -> Bool {
        switch sound.coding {
        case .aac: return sound.parameterSets != nil
        // Its head (RFC 7845 section 5.1) has 19 bytes at least.
        case .opus: return self != .ts && sound.parameterSets?.count ?? 0 >= 19
        case .pcmu, .pcma: return self == .mkv
        case .other:
            let known: [String] =
                switch self {
                case .mp4: ["mp3", "ac3", "eac3"]
                case .mkv: ["mp2", "mp3", "ac3", "eac3", "pcm_s16le", "pcm_s16be", "flac", "vorbis"]
                case .ts: ["mp2", "mp3", "ac3"]
                }
            return sound.codecName.map(known.contains) ?? false
        default: return false
        }
    }
}
