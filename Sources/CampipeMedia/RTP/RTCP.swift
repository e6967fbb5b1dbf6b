package import CampipeKit

/// What of RTCP is read and written (RFC 3550 section 6).
package enum RTCP {
    /// A sender's word on its clock: which of its RTP times was when, by the camera's own wall clock.
    package struct SenderReport: Hashable, Sendable {
        package var source: UInt32
        /// The middle of the NTP time, which receivers repeat.
        package var middle: UInt32
        package var time: WallTime
        package var timestamp: UInt32
    }

    /// The sender's report of a compound packet; nil when there is none.
    package static func senderReport(_ bytes: [UInt8]) -> SenderReport? {
        var at = 0
        while at + 4 <= bytes.count, bytes[at] >> 6 == 2 {
            let length = (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])) * 4 + 4
            guard at + length <= bytes.count else { return nil }
            if bytes[at + 1] == 200, length >= 28 {
                let seconds = bytes.bigEndian32(at: at + 8)
                let fraction = bytes.bigEndian32(at: at + 12)
                // NTP counts from 1900.
                let microseconds =
                    (Int64(seconds) - 2_208_988_800) * 1_000_000 + (Int64(fraction) * 1_000_000) >> 32
                return SenderReport(
                    source: bytes.bigEndian32(at: at + 4), middle: seconds << 16 | fraction >> 16,
                    time: WallTime(microseconds: microseconds), timestamp: bytes.bigEndian32(at: at + 16))
            }
            at += length
        }
        return nil
    }

    /// A receiver's report with its name: that we listen, and how it goes.
    ///
    /// - Parameters:
    ///   - own: Our own number.
    ///   - about: The sender's.
    ///   - lost: Packets that never came; 24 bits are sent.
    ///   - highest: The highest sequence number, wraps included.
    ///   - last: The middle of the last sender's report, and how long ago it came.
    package static func receiverReport(
        own: UInt32, about: UInt32, lost: Int, highest: UInt32, last: (middle: UInt32, ago: Duration)?
    ) -> [UInt8] {
        var bytes: [UInt8] = [0x81, 201, 0, 7]
        func add(_ value: UInt32) {
            for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        add(own)
        add(about)
        add(UInt32(min(lost, 0x7F_FFFF)))
        add(highest)
        add(0)
        add(last?.middle ?? 0)
        add(last.map { UInt32(clamping: $0.ago.nanoseconds / 15_259) } ?? 0)
        // SDES with CNAME, which each compound packet has.
        bytes += [0x81, 202, 0, 4]
        add(own)
        bytes += [1, 7] + Array("campipe".utf8) + [0, 0, 0]
        return bytes
    }
}
