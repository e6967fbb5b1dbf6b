import CampipeKit

/// What waits between a session's thread and one reader of it; bounded in packets and bytes. A value.
///
/// When it is full all packets in it go, counted, and of inter-coded video the next to come in is a keyframe: what
/// follows a hole could not be decoded. A reader that joins begins at a keyframe too.
struct RTSPMailbox: Sendable {
    static let packetLimit = 512
    static let byteLimit = 32 << 20

    private var events: [RTSPEvent] = []
    private var packets = 0
    private var bytes = 0
    private var waitsForKeyframe = true
    /// Packets that were left out since the last one that came in.
    private var left: (count: Int, through: Instant)?

    mutating func add(_ event: RTSPEvent) {
        guard case .packet(let stream, let packet) = event else {
            // Only the last word counts.
            if case .trouble = event, case .trouble? = events.last { events.removeLast() }
            events.append(event)
            return
        }
        if packets >= Self.packetLimit || bytes >= Self.byteLimit { evict() }
        if stream == .video, !packet.format.isIntraCoded, waitsForKeyframe {
            guard packet.isKeyframe else {
                left?.count += 1
                left?.through = packet.captured
                return
            }
            waitsForKeyframe = false
        }
        if let left {
            events.append(.overrun(count: left.count, through: left.through))
            self.left = nil
        }
        packets += 1
        bytes += packet.data.count
        events.append(event)
    }

    mutating func takeAll() -> [RTSPEvent] {
        defer { (events, packets, bytes) = ([], 0, 0) }
        return events
    }

    private mutating func evict() {
        var count = 0
        var through = Instant.zero
        events.removeAll { event in
            guard case .packet(_, let packet) = event else { return false }
            count += 1
            through = max(through, packet.captured)
            return true
        }
        left = (count + (left?.count ?? 0), through)
        (packets, bytes) = (0, 0)
        waitsForKeyframe = true
    }
}
