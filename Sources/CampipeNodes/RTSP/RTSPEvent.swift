import CampipeHTTP
import CampipeKit
import CampipeMedia

/// What a session with a camera tells its readers.
enum RTSPEvent: Sendable {
    enum Stream: Sendable { case video, audio }

    /// The camera plays.
    case opened(RTSPFacts)
    case packet(Stream, Packet)
    /// It plays, and sends nothing; it is tried by another transport.
    case trying(RTSPRequest.Transport, after: RTSPRequest.Transport)
    /// It sends no keyframes: this is what was begun at.
    case began(StartPoints.Kind)
    /// Pictures that were missing or refused before they were packets.
    case missing(DropReason, count: Int, at: Instant)
    /// What made room for newer ones, the last of it captured then.
    case overrun(Stream, count: Int, through: Instant)
    /// How much was lost on the way, and how many times were mended, since the session began.
    case trouble(lost: Int, mended: TimestampMender.Counts)
    /// The last event. Nil: the reader left.
    case ended(CampipeError?)
}

/// What was agreed with a camera.
struct RTSPFacts: Sendable {
    var transport: String
    var video: PacketFormat
    var audio: PacketFormat?
    /// What else the camera offers, and nobody takes: `audio MP4A-LATM`.
    var ignored: [String]
}
