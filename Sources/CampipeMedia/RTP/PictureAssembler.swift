import CampipeKit

/// Puts the pieces that RTP packets held together to pictures. A value without clock.
///
/// A picture ends with RTP's mark, with a new time, or with the first slice of the next one: cameras set the mark on each
/// slice, or on none. Where a packet is missing, what remains of its unit is left out, and the picture is damaged; the
/// next ones are what they are.
struct PictureAssembler: Sendable {
    /// More than any picture.
    static let limit = 32 << 20

    /// A picture as it was sent.
    struct Picture: Sendable {
        var bytes: [UInt8]
        var timestamp: UInt32
        /// When the last of it arrived.
        var arrival: Instant
        var isDamaged: Bool
    }
    /// Of H.264 and H.265; nil where each piece is a whole picture.
    private let coding: VideoCoding?
    private var bytes: [UInt8] = []
    private var timestamp: UInt32?
    private var arrival = Instant.zero
    private var isDamaged = false
    private var hasPicture = false
    /// Whether the rest of a unit is left out, since its beginning is missing.
    private var skips = false
    /// Whether RTP's mark says that a picture is whole.
    private var trustsMark = true
    /// The time of the picture that was handed out last.
    private var lastOut: UInt32?
    /// Pictures that were too large.
    private(set) var tooLarge = 0

    init(_ coding: VideoCoding?) { self.coding = coding }

    /// Takes the pieces of one packet.
    ///
    /// - Parameters:
    ///   - pieces: What the packet held; empty when nothing of it could be read.
    ///   - header: The packet's head.
    ///   - missing: How many packets are missing right before it.
    /// - Returns: The pictures that are whole now.
    mutating func add(_ pieces: [[UInt8]], _ header: RTPHeader, missing: Int, at now: Instant) -> [Picture] {
        var whole: [Picture] = []
        guard let coding else {
            for piece in pieces {
                whole.append(Picture(bytes: piece, timestamp: header.timestamp, arrival: now, isDamaged: false))
            }
            return whole
        }
        if missing > 0 {
            isDamaged = true
            skips = true
        }
        // Parameter sets that were sent alone stay for the picture behind them.
        if let timestamp, timestamp != header.timestamp, let picture = take() {
            whole.append(picture)
            // What is missing may be the end of that one or the beginning of this one.
            isDamaged = missing > 0
        }
        timestamp = header.timestamp
        for piece in pieces {
            let begins = unsafe piece.withUnsafeBytes { unsafe NALUnits.begins($0) }
            if skips, !begins { continue }
            skips = false
            if begins { isNext(piece, coding, header, &whole) }
            guard bytes.count + piece.count <= Self.limit else {
                tooLarge += 1
                reset()
                skips = true
                continue
            }
            bytes += piece
        }
        arrival = now
        if header.isMarked, trustsMark, hasPicture, let picture = take() { whole.append(picture) }
        return whole
    }

    /// Notes what begins in a piece, and ends the picture at hand before the next one's first slice.
    private mutating func isNext(
        _ piece: [UInt8], _ coding: VideoCoding, _ header: RTPHeader, _ whole: inout [Picture]
    ) {
        for unit in NALUnits.find(in: piece) where coding.unit(piece[unit.lowerBound]) == .slice {
            let isFirst = coding.beginsPicture(piece[unit])
            if isFirst, hasPicture, let picture = take() { whole.append(picture) }
            // A further slice of a picture that the mark had ended.
            if !isFirst, !hasPicture, lastOut == header.timestamp, !isDamaged { trustsMark = false }
            hasPicture = true
        }
    }

    private mutating func take() -> Picture? {
        guard let timestamp, hasPicture else { return nil }
        defer { reset() }
        lastOut = timestamp
        return Picture(bytes: bytes, timestamp: timestamp, arrival: arrival, isDamaged: isDamaged)
    }

    private mutating func reset() {
        bytes = []
        isDamaged = false
        hasPicture = false
    }
}
