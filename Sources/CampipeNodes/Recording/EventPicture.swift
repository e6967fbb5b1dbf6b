import CampipeKit
import CampipeMedia

/// The picture that shows best what a clip is about, out of the events that it is made for. A value but for what it takes
/// to make a JPEG.
struct EventPicture {
    /// How many keyframes of a clip are kept, and how many bytes of them.
    private static let mostKeyframes = 32
    private static let keyframeLimit = 8 << 20

    private var packet: Packet?
    private var frame: Frame?
    private var score = -1.0
    /// Of video whose packets do not decode alone: where its large pictures are.
    private var keyframes: [Packet] = []
    private var keyframeBytes = 0

    /// Whether there is one.
    var isThere: Bool { packet != nil || frame != nil }

    /// An event began or ended. Of two events the surer one counts, of one the later word.
    mutating func take(_ event: Event?) {
        guard let event, event.picture != nil || event.pictureFrame != nil else { return }
        let score = event.score ?? 0
        guard score >= self.score else { return }
        self.score = score
        (packet, frame) = (event.picture, event.pictureFrame)
    }

    /// A picture of the clip.
    mutating func look(at picture: Packet) {
        guard picture.isKeyframe, picture.format.coding != .jpeg, !picture.format.isAudio else { return }
        keyframes.append(picture)
        keyframeBytes += picture.data.count
        // Of a long clip each second one, and so on: which moment counts is known at its end only.
        while keyframes.count > 1, keyframes.count > Self.mostKeyframes || keyframeBytes > Self.keyframeLimit {
            keyframes = keyframes.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            keyframeBytes = keyframes.reduce(0) { $0 + $1.data.count }
        }
    }

    /// The clip is over: the next has pictures of its own.
    mutating func forget() { self = EventPicture() }

    /// The picture as a JPEG: the camera's own where there is one; of other video the keyframe nearest to it, else what
    /// the node that found the event looked at.
    ///
    /// - Throws: What decoder and encoder throw.
    func jpeg(pool: FramePool) throws -> Bytes? {
        if let packet, packet.format.coding == .jpeg { return packet.data }
        let time = frame?.captured ?? packet?.captured
        if let time, let nearest = keyframes.min(by: { Self.distance($0, time) < Self.distance($1, time) }),
            let decoded = try? Self.decode(nearest, pool)
        {
            return try JPEGEncoder().encode(decoded, quality: 85, pool: pool)
        }
        return try frame.map { try JPEGEncoder().encode($0, quality: 85, pool: pool) }
    }

    private static func distance(_ packet: Packet, _ time: Instant) -> Duration {
        packet.captured > time ? packet.captured - time : time - packet.captured
    }

    private static func decode(_ packet: Packet, _ pool: FramePool) throws -> Frame? {
        let decoder = try VideoDecoder(packet.format)
        return try (decoder.decode(packet, pool: pool) + decoder.drain(pool: pool)).first
    }
}
