import CampipeKit

/// What waits between a session's thread and one reader of it; bounded in packets and bytes. A value.
///
/// When it is full all pictures in it go, counted, and of inter-coded video the next to come in is a keyframe: what
/// follows a hole could not be decoded. A reader that joins begins at a keyframe too. Sound has limits of its own, so that
/// it never costs a picture.
struct RTSPMailbox: Sendable {
    static let packetLimit = 512
    static let byteLimit = 32 << 20
    static let soundByteLimit = 4 << 20

    private struct Waiting {
        var packets = 0
        var bytes = 0
        /// Packets that were left out since the last one that came in.
        var left: (count: Int, through: Instant)?
    }

    private var events: [RTSPEvent] = []
    private var pictures = Waiting()
    private var sound = Waiting()
    private var waitsForKeyframe = true

    mutating func add(_ event: RTSPEvent) {
        guard case .packet(let stream, let packet) = event else {
            // Only the last word counts.
            if case .trouble = event, case .trouble? = events.last { events.removeLast() }
            events.append(event)
            return
        }
        let limit = stream == .video ? Self.byteLimit : Self.soundByteLimit
        var waiting = stream == .video ? pictures : sound
        if waiting.packets >= Self.packetLimit || waiting.bytes >= limit { evict(stream, &waiting) }
        defer { if stream == .video { pictures = waiting } else { sound = waiting } }
        if stream == .video, !packet.format.isIntraCoded, waitsForKeyframe {
            guard packet.isKeyframe else {
                waiting.left?.count += 1
                waiting.left?.through = packet.captured
                return
            }
            waitsForKeyframe = false
        }
        if let left = waiting.left {
            events.append(.overrun(stream, count: left.count, through: left.through))
            waiting.left = nil
        }
        waiting.packets += 1
        waiting.bytes += packet.data.count
        events.append(event)
    }

    mutating func takeAll() -> [RTSPEvent] {
        defer {
            events = []
            (pictures.packets, pictures.bytes, sound.packets, sound.bytes) = (0, 0, 0, 0)
        }
        return events
    }

    private mutating func evict(_ stream: RTSPEvent.Stream, _ waiting: inout Waiting) {
        var count = 0
        var through = Instant.zero
        events.removeAll { event in
            guard case .packet(stream, let packet) = event else { return false }
            count += 1
            through = max(through, packet.captured)
            return true
        }
        waiting = Waiting(left: (count + (waiting.left?.count ?? 0), through))
        if stream == .video { waitsForKeyframe = true }
    }
}
