import CampipeKit
import CampipeMedia

/// Makes the sound of a stream such as browsers play, once for all who listen: plain AAC as it is, all else encoded.
struct WebSound {
    /// Frames of AAC, and one of silence in their place.
    struct Frames {
        var packets: [Packet]
        var silence: Bytes
    }

    private var coder: SoundCoder?
    private var silence: Bytes?
    private var subscription: Demand.ID = 0
    /// What was said to be left out.
    private var refused: PacketFormat?

    /// - Returns: nil of sound that cannot be had; that is said once.
    mutating func take(_ packet: Packet, log: Log) -> Frames? {
        guard packet.format != refused else { return nil }
        if coder?.input != packet.format || subscription != packet.subscription {
            subscription = packet.subscription
            do throws(CampipeError) {
                let made = try SoundCoder(packet.format) { SoundConfiguration($0) != nil }
                coder = made
                silence = try SoundConfiguration(made.format)?.silence()
            } catch {
                coder = nil
                refused = packet.format
                log.warning("shown without the sound", ["cause": error])
                return nil
            }
        }
        // What cannot be decoded is left out: silence stands for it.
        guard let silence, let packets = try? coder?.take(packet), !packets.isEmpty else { return nil }
        return Frames(packets: packets, silence: silence)
    }
}
