import CampipeKit
import CampipeMedia

/// Turns JPEGs of one size into H.264, for containers whose players do not know JPEG. One owner, one thread at a time.
final class JPEGTranscoder {
    private let decoder = JPEGDecoder()
    private let scaler = Scaler()
    private let quality: Int
    private let pool: FramePool
    private let clock: any PipelineClock
    private let log: Log
    private var leftOut = RecurringNote()
    private var damaged = RecurringNote()
    /// Why the last one was left out.
    private var cause: (any Error)?
    private var encoder: VideoEncoder?
    /// How many pictures the encoder was given, and what came of them.
    private var taken = 0
    private var made = (count: 0, bytes: 0)

    /// About as many bytes as the encoder's pictures will be that it has not given out yet.
    var heldBytes: Int { made.count == 0 ? 0 : max(0, taken - made.count) * made.bytes / made.count }

    init(quality: Int, pool: FramePool, clock: any PipelineClock, log: Log) {
        self.quality = quality
        self.pool = pool
        self.clock = clock
        self.log = log
    }

    /// - Throws: What decoder and encoder throw, as for a picture of another size than the first; a packet that is no JPEG is left out, and said in the log.
    func transcode(_ packet: Packet) throws -> [Packet] {
        guard var frame = try decode(packet) else { return [] }
        frame = try scaler.scale(frame, pixel: .yuv420, pool: pool)
        // Players expect the levels of broadcast video.
        frame = try scaler.scale(frame, range: .limited, pool: pool)
        let encoder = try encoder ?? VideoEncoder(frame.format, settings: EncoderSettings(quality: quality))
        self.encoder = encoder
        taken += 1
        let packets = try encoder.encode(frame, pool: pool)
        made.count += packets.count
        made.bytes += packets.reduce(0) { $0 + $1.data.count }
        return packets
    }

    /// nil for what is no JPEG.
    private func decode(_ packet: Packet) throws -> Frame? {
        do {
            let frame = try decoder.decode(packet, pool: pool)
            if frame.isDamaged, let count = damaged.happened(at: clock.now) { tellDamaged(count) }
            return frame
        } catch {
            guard error.kind == .badData else { throw error }
            cause = error
            if let count = leftOut.happened(at: clock.now) { tellLeftOut(count) }
            return nil
        }
    }

    private func tellDamaged(_ count: Int) { log.warning("damaged pictures were recorded", ["count": count]) }

    private func tellLeftOut(_ count: Int) {
        guard let cause else { return }
        log.warning("pictures left out of the recording", ["count": count, "cause": cause])
    }

    /// What the encoder still holds; the end of the recording.
    func drain() throws -> [Packet] {
        if damaged.untold > 0 { tellDamaged(damaged.untold) }
        if leftOut.untold > 0 { tellLeftOut(leftOut.untold) }
        return try encoder?.drain() ?? []
    }
}
