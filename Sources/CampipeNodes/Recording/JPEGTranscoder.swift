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
    private var encoder: VideoEncoder?

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
        return try encoder.encode(frame, pool: pool)
    }

    /// nil for what is no JPEG.
    private func decode(_ packet: Packet) throws -> Frame? {
        do {
            return try decoder.decode(packet, pool: pool)
        } catch {
            guard error.kind == .badData else { throw error }
            if let count = leftOut.happened(at: clock.now) {
                log.warning("pictures left out of the recording", ["count": count, "cause": error])
            }
            return nil
        }
    }

    func drain() throws -> [Packet] { try encoder?.drain() ?? [] }
}
