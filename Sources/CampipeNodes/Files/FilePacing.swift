import CampipeKit

/// Puts the packets of a file, played once or again and again, on the pipeline's line. A value without clock.
struct FilePacing: Sendable {
    /// Where the file begins on the line.
    private var start: Instant
    /// Stream time that earlier rounds took.
    private var played = Duration.zero
    /// Where the last packet of this round ends.
    private(set) var end = Duration.zero
    /// Whether any picture came of the file.
    private(set) var hasBegun = false

    init(start: Instant = .zero) { self.start = start }

    /// The packet with its times moved behind the rounds before.
    ///
    /// - Parameter isUsed: Whether it is a picture that goes on; what is refused, and sound, takes its time all the same.
    mutating func place(_ packet: Packet, isUsed: Bool = true) -> Packet {
        hasBegun = hasBegun || isUsed
        let own = packet.captured - Instant.zero
        end = max(end, own + (packet.duration ?? .milliseconds(40)))
        guard played > .zero || start != Instant.zero else { return packet }
        var packet = packet
        packet.captured = start + played + own
        if played > .zero {
            packet.pts = Self.later(packet.pts, by: played)
            packet.dts = Self.later(packet.dts, by: played)
        }
        return packet
    }

    /// The next packet is the first of another round.
    mutating func beginAgain() {
        played += end
        end = .zero
    }

    private static func later(_ time: MediaTime, by duration: Duration) -> MediaTime {
        let ticks = MediaTime(duration).rescaled(to: time.timebase)?.ticks ?? 0
        return MediaTime(ticks: time.ticks &+ ticks, timebase: time.timebase)
    }
}
