package import CampipeKit

/// Puts the packets of one RTP stream back into their order and tells what is missing. A value without clock.
///
/// A packet that came too early waits until those before it are there, until 100 ms have passed, or until 512 wait:
/// then what is missing is given up. Twice the same packet, and what comes after it was given up, is left out. A source
/// that begins anew is followed: at another SSRC, and when packets come in a row from somewhere else (RFC 3550 appendix
/// A.1): two far away, four shortly before where we were, which late ones hardly are. Over TCP nothing comes late, so
/// one step back is enough.
package struct RTPOrder: Sendable {
    package static let patience = Duration.milliseconds(100)
    package static let capacity = 512
    /// A larger step is a restart.
    private static let largestStep = 3000

    /// A packet in its order.
    package struct Packet: Sendable {
        package var bytes: [UInt8]
        package var header: RTPHeader
        package var at: Instant
        /// How many are missing right before it; 1 where the stream began anew and nobody knows.
        package var missing: Int
    }
    private var expected: UInt16?
    private var source: UInt32?
    /// The packet that was handed out last.
    private var last: RTPHeader?
    private var waiting: [Packet] = []
    private var candidate: (next: UInt16, run: Int)?
    private let isReliable: Bool
    /// Packets that never came, since the start.
    package private(set) var lost = 0
    /// Packets that came twice or too late.
    package private(set) var late = 0
    /// The highest number so far, with the wraps counted (RFC 3550 section 6.4.1).
    package private(set) var highest: UInt32 = 0

    /// - Parameter isReliable: Whether packets come over TCP.
    package init(isReliable: Bool = false) { self.isReliable = isReliable }

    /// Takes a packet.
    ///
    /// - Returns: Those whose turn it is now.
    package mutating func add(_ bytes: [UInt8], at now: Instant) -> [Packet] {
        guard let header = RTPHeader(bytes) else { return [] }
        var packet = Packet(bytes: bytes, header: header, at: now, missing: 0)
        guard let expected, source == header.source else { return restart(packet) }
        let step = Int(Int16(bitPattern: header.sequence &- expected))
        if step == 0 {
            candidate = nil
            return deliver(packet) + drain(at: now)
        }
        guard step > 0, step < Self.largestStep else {
            // Some send the first packet before the answer to PLAY, and then again.
            if step == -1, header == last {
                late += 1
                return []
            }
            if step < 0, isReliable { return restart(packet) }
            let run = candidate?.next == header.sequence ? (candidate?.run ?? 0) + 1 : 1
            candidate = (header.sequence &+ 1, run)
            guard run >= (abs(step) < Self.largestStep ? 4 : 2) else {
                late += 1
                return []
            }
            packet.missing = 1
            return restart(packet)
        }
        let place =
            waiting.firstIndex { Int(Int16(bitPattern: $0.header.sequence &- expected)) >= step } ?? waiting.count
        if place < waiting.count, waiting[place].header.sequence == header.sequence {
            late += 1
            return []
        }
        waiting.insert(packet, at: place)
        return drain(at: now)
    }

    /// Gives up what has been missing for too long.
    package mutating func drain(at now: Instant) -> [Packet] {
        var ready: [Packet] = []
        while let first = waiting.first, let expected {
            if first.header.sequence != expected {
                let oldest = waiting.map(\.at).min() ?? now
                guard waiting.count > Self.capacity || now - oldest >= Self.patience else { break }
            }
            waiting.removeFirst()
            ready += deliver(first)
        }
        return ready
    }

    private mutating func deliver(_ packet: Packet) -> [Packet] {
        var packet = packet
        let missing = packet.header.sequence &- (expected ?? packet.header.sequence)
        packet.missing += Int(missing)
        lost += Int(missing)
        if packet.header.sequence < UInt16(truncatingIfNeeded: highest), expected != nil { highest &+= 0x1_0000 }
        highest = highest & 0xFFFF_0000 | UInt32(packet.header.sequence)
        expected = packet.header.sequence &+ 1
        last = packet.header
        return [packet]
    }

    private mutating func restart(_ packet: Packet) -> [Packet] {
        let rest = waiting
        waiting = []
        source = packet.header.source
        candidate = nil
        expected = packet.header.sequence
        highest = UInt32(packet.header.sequence)
        return rest + deliver(packet)
    }
}
