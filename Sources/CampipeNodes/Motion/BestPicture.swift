import CampipeKit

/// Keeps the picture that shows an event best: where the largest mover is large, and not cut off by the edge. A value.
///
/// Of a frame that was decoded from a packet alone it keeps the packet; of others a copy, since a frame that it held
/// could not be painted on in place any more.
struct BestPicture: Sendable {
    private var packet: Packet?
    private var frame: Frame?
    private var quality = 0.0

    /// A picture is better when it is so many times as good: copies are not made for nothing.
    private static let margin = 1.1

    /// Takes a picture in which something moves, if it is better than the one it has.
    mutating func saw(_ frame: borrowing Frame, _ regions: [Region], pool: FramePool?) {
        let quality = Self.quality(of: regions)
        guard quality > self.quality * Self.margin else { return }
        self.quality = quality
        packet = frame.origin
        self.frame = nil
        if packet == nil, let pool { self.frame = frame.replacing(frame.pixels.copied(in: pool)) }
    }

    /// Forgets it: the next event has another.
    mutating func forget() {
        (packet, frame) = (nil, nil)
        quality = 0
    }

    /// The event with the picture, where there is one.
    func show(_ event: Event) -> Event { packet.map(event.showing) ?? frame.map(event.showing) ?? event }

    /// The area of the largest region; one that touches the picture's edge is seen in part only, and counts half.
    static func quality(of regions: [Region]) -> Double {
        regions.map { region in
            let edge = 0.01
            let isCut =
                region.x < edge || region.y < edge || region.x + region.width > 1 - edge
                || region.y + region.height > 1 - edge
            return region.width * region.height * (isCut ? 0.5 : 1)
        }.max() ?? 0
    }
}
