import CampipeKit
import CampipeMedia

/// Draws what nodes found: boxes and their labels, and the zones in which a node looks. Labels are drawn anew only when
/// one says what none said before, or the picture's size changes.
///
/// One owner, in one node's turns.
final class FindingsPainter {
    private let drawings: Set<Overlay.Drawing>
    private let color: RGBColor
    private let renderer: TextRenderer?
    private var labels: [String: TextMask] = [:]
    private var labelHeight = 0

    /// - Throws: `.notFound` when labels are to be drawn and the machine has no font.
    init(_ drawings: Set<Overlay.Drawing>, color: RGBColor) throws(CampipeError) {
        self.drawings = drawings
        self.color = color
        renderer = drawings.contains(.label) ? try TextRenderer() : nil
    }

    /// Draws what the frame itself has noted, and what events say, but for boxes of a node that noted its own: those
    /// belong to this picture, an event's to one before it.
    func paint(_ events: [Event], on frame: inout Frame) throws(CampipeError) {
        let noted = frame.regions
        let nodes = Set(noted.compactMap(\.label))
        if drawings.contains(.zones) {
            for event in events { for zone in event.zones { outline(zone, on: &frame) } }
        }
        for event in events where !nodes.contains(event.node) {
            for region in event.boxes {
                try paint(
                    region, region.label ?? event.detectedClass ?? event.node, region.score ?? event.score, &frame)
            }
        }
        for region in noted {
            let event = events.last { $0.node == region.label }
            try paint(region, event?.detectedClass ?? region.label ?? "", region.score ?? event?.score, &frame)
        }
    }

    private func outline(_ zone: [Polygons.Point], on frame: inout Frame) {
        let (right, bottom) = (Double(frame.size.width - 1), Double(frame.size.height - 1))
        let corners = zone.map { PixelPoint(x: Int(($0.x * right).rounded()), y: Int(($0.y * bottom).rounded())) }
        for (start, end) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
            Painting.line(from: start, to: end, color, thickness: Self.thickness(frame.size), opacity: 0.7)
                .paint(on: &frame)
        }
    }

    private static func thickness(_ size: Size) -> Int { max(1, size.height / 240) }

    private func paint(_ region: Region, _ name: String, _ score: Double?, _ frame: inout Frame) throws(CampipeError) {
        let size = frame.size
        let rect = PixelRect(
            x: Int(region.x * Double(size.width)), y: Int(region.y * Double(size.height)),
            width: max(1, Int((region.width * Double(size.width)).rounded())),
            height: max(1, Int((region.height * Double(size.height)).rounded())))
        if drawings.contains(.boxes) {
            Painting.box(rect, color, thickness: Self.thickness(size), opacity: 1).paint(on: &frame)
        }
        let text = name + (score.map { " \(Int(($0 * 100).rounded()))%" } ?? "")
        guard let mask = try label(text, in: size) else { return }
        // Above the box, or inside where there is no room.
        let y = rect.y >= mask.height ? rect.y - mask.height : rect.y
        let x = max(0, min(rect.x, size.width - mask.width))
        Painting.text(mask, x: x, y: y, color, outline: .black, opacity: 1).paint(on: &frame)
    }

    private func label(_ text: String, in size: Size) throws(CampipeError) -> TextMask? {
        guard let renderer else { return nil }
        let height = max(OverlayPainter.lowestLine, size.height / 36)
        if height != labelHeight || labels.count > 64 {
            labels = [:]
            labelHeight = height
        }
        if let known = labels[text] { return known }
        let mask = try renderer.render(text, height: height, outline: max(1, height / 12))
        labels[text] = mask
        return mask
    }
}
