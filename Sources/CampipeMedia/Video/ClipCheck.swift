package import CampipeKit

/// Reads a recording from its beginning to its end, to see whether it plays. It blocks while the disk does.
package struct ClipCheck: Hashable, Sendable {
    package private(set) var pictures = 0
    /// Pictures that came damaged, or could not be decoded where that was tried.
    package private(set) var damaged = 0
    /// Whether the first picture decodes alone.
    package private(set) var beginsWithKeyframe = false
    /// From the first picture to the end of the last.
    package private(set) var length = Duration.zero

    /// - Parameter decodes: Whether all pictures are decoded too, which takes as long as it takes.
    /// - Throws: What keeps the file from being read to its end.
    package init(_ path: String, decodes: Bool = false, interrupt: StopFlag = StopFlag()) throws(CampipeError) {
        let reader = try MediaReader(path: path, interrupt: interrupt)
        let decoder = decodes ? try PictureDecoding(reader.video.format) : nil
        var (last, step) = (Duration.zero, Duration.zero)
        while let packet = try reader.next() {
            if pictures == 0 { beginsWithKeyframe = packet.isKeyframe }
            pictures += 1
            let time = packet.captured - Instant.zero
            if time >= last { (last, step) = (time, packet.duration ?? (time - last)) }
            if packet.isDamaged {
                damaged += 1
            } else if let decoder {
                damaged += decoder.damage(in: packet)
            }
        }
        if let decoder { damaged += decoder.damageAtEnd }
        length = last + step
    }
}

/// Decodes whatever a recording holds.
private final class PictureDecoding {
    private let pool = FramePool()
    private let video: VideoDecoder?
    private let pictures = JPEGDecoder()

    init(_ format: PacketFormat) throws(CampipeError) {
        video = format.coding == .jpeg ? nil : try VideoDecoder(format)
    }

    /// How many pictures are not as they should be.
    func damage(in packet: Packet) -> Int {
        do {
            guard let video else { return try pictures.decode(packet, pool: pool).isDamaged ? 1 : 0 }
            return try video.decode(packet, pool: pool).count(where: \.isDamaged)
        } catch {
            return 1
        }
    }

    var damageAtEnd: Int { (try? video?.drain(pool: pool).count(where: \.isDamaged)) ?? 0 }
}
