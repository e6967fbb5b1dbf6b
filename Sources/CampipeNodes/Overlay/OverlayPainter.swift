import CampipeKit
import CampipeMedia

/// Paints text and boxes onto frames; letters are drawn anew only when the text or the size changes.
///
/// One owner, in one node's turns.
final class OverlayPainter {
    struct Style {
        var position: Overlay.Corner
        /// The height of a line, as a share of the picture's.
        var share: Double
        var color: RGBColor
        var background: RGBColor?
        var boxColor: RGBColor
        var drawsBoxes: Bool
        var drawsLabels: Bool
    }

    private struct Drawn {
        var text: String
        var size: Size
        var paintings: [Painting]
    }

    private let style: Style
    private let renderer: TextRenderer
    private var drawn: Drawn?
    private var labels: [String: TextMask] = [:]
    private var labelHeight = 0

    /// - Throws: `.notFound` when the machine has no font.
    init(_ style: Style) throws(CampipeError) {
        self.style = style
        renderer = try TextRenderer()
    }

    func paint(text: String, events: [Event], on frame: inout Frame) throws(CampipeError) {
        if style.drawsBoxes || style.drawsLabels {
            for event in events { try paint(event, on: &frame) }
        }
        guard !text.isEmpty else { return }
        if drawn?.text != text || drawn?.size != frame.size {
            drawn = Drawn(text: text, size: frame.size, paintings: try layOut(text, in: frame.size))
        }
        for painting in drawn?.paintings ?? [] { painting.paint(on: &frame) }
    }

    private func layOut(_ text: String, in size: Size) throws(CampipeError) -> [Painting] {
        let height = max(8, Int((style.share * Double(size.height)).rounded()))
        let outline = style.background == nil ? max(1, height / 12) : 0
        var masks: [TextMask] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            masks.append(try renderer.render(String(line), height: height, outline: outline))
        }
        let margin = max(2, height / 3)
        let total = masks.reduce(0) { $0 + $1.height }
        let widest = masks.map(\.width).max() ?? 0
        let isTop = [.topLeft, .top, .topRight].contains(style.position)
        var y = isTop ? margin : size.height - margin - total
        var paintings: [Painting] = []
        if let background = style.background {
            let pad = max(1, height / 6)
            let rect = PixelRect(
                x: x(of: widest, in: size, margin) - pad, y: y - pad / 2, width: widest + 2 * pad, height: total + pad)
            paintings.append(.fill(rect, background, opacity: 0.6))
        }
        for mask in masks {
            paintings.append(
                .text(mask, x: x(of: mask.width, in: size, margin), y: y, style.color, outline: .black, opacity: 1))
            y += mask.height
        }
        return paintings
    }

    private func x(of width: Int, in size: Size, _ margin: Int) -> Int {
        switch style.position {
        case .topLeft, .bottomLeft: margin
        case .top, .bottom: (size.width - width) / 2
        case .topRight, .bottomRight: size.width - margin - width
        }
    }

    private func paint(_ event: Event, on frame: inout Frame) throws(CampipeError) {
        let size = frame.size
        let thickness = max(1, size.height / 240)
        for region in event.boxes {
            let left = Int(region.x * Double(size.width))
            let top = Int(region.y * Double(size.height))
            let rect = PixelRect(
                x: left, y: top, width: max(1, Int((region.width * Double(size.width)).rounded())),
                height: max(1, Int((region.height * Double(size.height)).rounded())))
            if style.drawsBoxes {
                Painting.box(rect, style.boxColor, thickness: thickness, opacity: 1).paint(on: &frame)
            }
            if style.drawsLabels { try label(region, of: event, at: rect, on: &frame) }
        }
    }

    private func label(_ region: Region, of event: Event, at rect: PixelRect, on frame: inout Frame)
        throws(CampipeError)
    {
        let name = region.label ?? event.detectedClass ?? event.node
        let score = (region.score ?? event.score).map { " \(Int(($0 * 100).rounded()))%" } ?? ""
        let height = max(8, frame.size.height / 36)
        if height != labelHeight || labels.count > 64 {
            labels = [:]
            labelHeight = height
        }
        let text = name + score
        let mask: TextMask
        if let known = labels[text] {
            mask = known
        } else {
            mask = try renderer.render(text, height: height, outline: max(1, height / 12))
            labels[text] = mask
        }
        // Above the box, or inside where there is no room.
        let y = rect.y >= mask.height ? rect.y - mask.height : rect.y
        let x = max(0, min(rect.x, frame.size.width - mask.width))
        Painting.text(mask, x: x, y: y, style.boxColor, outline: .black, opacity: 1).paint(on: &frame)
    }
}
