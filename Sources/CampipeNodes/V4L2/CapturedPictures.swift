import CampipeKit
import CampipeMedia

/// Decides what becomes of each picture that a local camera gives: when it was captured, whether it is one, and how many
/// the driver lost before it. A value without clock.
struct CapturedPictures: Sendable {
    enum Content: Sendable {
        case jpeg(Packet)
        /// Pixels, to be shown at this time.
        case raw(MediaTime)
        case refused(DropReason)
    }
    struct Answer: Sendable {
        var captured: Instant
        /// Pictures that the driver counted and nobody got.
        var lost: Int
        var content: Content
    }

    /// A driver's time that is older is not believed.
    private static let oldest = Duration.seconds(2)

    private let facts: CaptureFacts
    private var lastSequence: UInt32?
    private var lastCaptured = Instant.distantPast

    init(_ facts: CaptureFacts) { self.facts = facts }

    /// - Parameter now: When it was taken from the driver, on the line of `CLOCK_MONOTONIC` where that is the pipeline's.
    mutating func take(_ picture: CapturedPicture, at now: Instant) -> Answer {
        let captured = place(picture.time, now)
        let step = lastSequence.map { picture.sequence &- $0 } ?? 1
        lastSequence = picture.sequence
        // One that goes back, or jumps by more than any camera loses, counts something else.
        let lost = (2...10_000).contains(step) ? Int(step) - 1 : 0
        return Answer(captured: captured, lost: lost, content: content(picture, captured))
    }

    /// The driver's own time of the picture, where that is one of this clock; never before the last one's.
    private mutating func place(_ time: Int64?, _ now: Instant) -> Instant {
        var captured = now
        if let time {
            let said = Instant(nanoseconds: time)
            if said <= now, now - said < Self.oldest { captured = said }
        }
        captured = max(captured, lastCaptured)
        lastCaptured = captured
        return captured
    }

    private func content(_ picture: CapturedPicture, _ captured: Instant) -> Content {
        let pts = MediaTime(captured - .zero)
        guard facts.layout == .mjpeg else { return .raw(pts) }
        let (bytes, isWhole) = Self.trimmed(picture.bytes)
        // A device may be set to another size by somebody else; the picture knows.
        guard let header = try? JPEGHeader(bytes) else { return .refused(bytes.count < 4 ? .truncated : .notJPEG) }
        var packet = Packet(
            bytes, format: PacketFormat(.jpeg, size: header.size, rate: facts.rate), captured: captured, pts: pts)
        if picture.isDamaged || !isWhole { packet.isDamaged = true }
        return .jpeg(packet)
    }

    /// Without the zeros that USB cameras fill their buffers up with.
    ///
    /// - Returns: Whether it ends as a JPEG does, too.
    static func trimmed(_ bytes: Bytes) -> (bytes: Bytes, isWhole: Bool) {
        unsafe bytes.withBytes { all in
            var end = all.count
            while end > 0, unsafe all[end - 1] == 0 { end -= 1 }
            let isWhole = unsafe end >= 4 && all[end - 2] == 0xFF && all[end - 1] == 0xD9
            guard isWhole, end < all.count else { return (bytes, isWhole) }
            return unsafe (Bytes(UnsafeRawBufferPointer(rebasing: all[..<end])), true)
        }
    }
}
