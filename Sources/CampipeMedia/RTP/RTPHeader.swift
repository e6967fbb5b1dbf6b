/// The fixed head of an RTP packet (RFC 3550 section 5.1).
package struct RTPHeader: Hashable, Sendable {
    /// Whether it is the last one of a picture.
    package let isMarked: Bool
    package let payloadType: UInt8
    package let sequence: UInt16
    package let timestamp: UInt32
    package let source: UInt32

    /// nil when it is no RTP packet of version 2, or has no payload.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 12, bytes[0] >> 6 == 2 else { return nil }
        var head = 12 + Int(bytes[0] & 15) * 4
        if bytes[0] & 0x10 != 0 {
            guard bytes.count >= head + 4 else { return nil }
            head += 4 + (Int(bytes[head + 2]) << 8 | Int(bytes[head + 3])) * 4
        }
        let padding = bytes[0] & 0x20 != 0 ? Int(bytes[bytes.count - 1]) : 0
        guard bytes.count - padding > head else { return nil }
        isMarked = bytes[1] & 0x80 != 0
        payloadType = bytes[1] & 0x7F
        sequence = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        timestamp = bytes.bigEndian32(at: 4)
        source = bytes.bigEndian32(at: 8)
    }
}

extension [UInt8] {
    func bigEndian32(at place: Int) -> UInt32 {
        UInt32(self[place]) << 24 | UInt32(self[place + 1]) << 16 | UInt32(self[place + 2]) << 8
            | UInt32(self[place + 3])
    }
}
