package import CampipeKit

/// AAC as transport streams have it: each frame with a head of its own (ADTS; ISO/IEC 13818-7 section 6.2). A value.
///
/// Everywhere else in campipe AAC is bare frames, with AudioSpecificConfig as the format's parameter sets.
package struct ADTS: Sendable {
    /// The format that was made last, and what it was made of.
    private var known: (given: PacketFormat, config: [UInt8], format: PacketFormat)?

    package init() {}

    /// The frame without its head.
    ///
    /// - Returns: The packet as it is where it is bare, or no AAC; nil where its head cannot be read.
    package mutating func bare(_ packet: Packet) -> Packet? {
        guard packet.format.coding == .aac, packet.format.parameterSets == nil else { return packet }
        let data = packet.data
        guard data.count > 7, data[0] == 0xFF, data[1] & 0xF6 == 0xF0 else { return nil }
        let size = data[1] & 1 == 1 ? 7 : 9
        // More than one frame behind a head does not occur in transport streams (number_of_raw_data_blocks).
        guard data.count > size, data[6] & 3 == 0 else { return nil }
        let object = data[2] >> 6 + 1
        let rate = data[2] >> 2 & 15
        let channels = (data[2] & 1) << 2 | data[3] >> 6
        guard rate < 13, channels > 0 else { return nil }
        // AudioSpecificConfig (ISO/IEC 14496-3 section 1.6.2.1): five bits, four, four, and three of zero.
        let config = [object << 3 | rate >> 1, (rate & 1) << 7 | channels << 3]
        if known?.given != packet.format || known?.config != config {
            var format = packet.format
            format.parameterSets = Bytes(config)
            format.sampleRate = Self.rates[Int(rate)]
            format.channels = channels == 7 ? 8 : Int(channels)
            known = (packet.format, config, format)
        }
        let body = unsafe data.withBytes { unsafe Bytes(UnsafeRawBufferPointer(rebasing: $0[size...])) }
        return known.map { packet.replacing(body, format: $0.format) }
    }

    /// By the index in the head (ISO/IEC 14496-3 table 1.18).
    static let rates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
}
