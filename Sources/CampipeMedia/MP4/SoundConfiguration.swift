package import CampipeKit

/// What a player must know of a stream of AAC before its first frame: AudioSpecificConfig (ISO/IEC 14496-3 section
/// 1.6.2.1), and the name of the codec. A value.
package struct SoundConfiguration: Hashable, Sendable {
    package let sampleRate: Int
    package let channels: Int
    /// As in `codecs="..."` of a media type (RFC 6381 section 3.3): `mp4a.40.2`.
    package let codecs: String
    /// AudioSpecificConfig.
    let record: [UInt8]

    /// - Returns: nil of other codings, and of AAC that is not of the plainest kind (LC, 1024 samples a frame, all of it
    ///   said in two bytes): of that each frame lasts the same, and any silent frame fits.
    package init?(_ format: PacketFormat) {
        guard format.coding == .aac, let record = format.parameterSets?.array, record.count >= 2, record[0] >> 3 == 2
        else { return nil }
        let index = Int(record[0] & 7) << 1 | Int(record[1] >> 7)
        let channels = Int(record[1] >> 3 & 15)
        guard index < ADTS.rates.count, (1...6).contains(channels), record[1] & 7 == 0 else { return nil }
        sampleRate = ADTS.rates[index]
        self.channels = channels
        self.record = Array(record[..<2])
        codecs = "mp4a.40.2"
    }
}
