import CampipeKit
import CampipeMedia

/// Paints text onto frames; letters are drawn anew only when the text or the picture's size changes.
///
/// One owner, in one node's turns.
final class OverlayPainter {
    struct Style {
        var position: Overlay.Corner
        /// The height of a line, as a share of the picture's.
        var share: Double
        var color: RGBColor
        var background: RGBColor?
        /// Of the letters; nil is none.
        var outline: RGBColor?
    }

    private struct Drawn {
        var text: String
        var size: Size
        var paintings: [Painting]
    }

    /// How often letters were drawn.
    private(set) var layouts = 0
    private let style: Style
    private let renderer: TextRenderer
    private var drawn: Drawn?

    /// What letters need so that they can be told apart.
    static let lowestLine = 10

    init(_ style: Style, renderer: TextRenderer) {
        self.style = style
        self.renderer = renderer
    }

    func paint(_ text: String, on frame: inout Frame) throws(CampipeError) {
        guard !text.isEmpty else { return }
        if drawn?.text != text || drawn?.size != frame.size {
            drawn = Drawn(text: text, size: frame.size, paintings: try layOut(text, in: frame.size))
        }
        for painting in drawn?.paintings ?? [] { painting.paint(on: &frame) }
    }

    private func layOut(_ text: String, in size: Size) throws(CampipeError) -> [Painting] {
        layouts += 1
        let height = max(Self.lowestLine, Int((style.share * Double(size.height)).rounded()))
        let outline = style.outline == nil ? 0 : max(1, height / 12)
        var masks: [TextMask] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            masks.append(try renderer.render(String(line), height: height, outline: outline))
        }
        let margin = max(2, height / 3)
        let total = masks.reduce(0) { $0 + $1.height }
        let widest = masks.map(\.width).max() ?? 0
        var y = style.position.y(of: total, in: size, margin)
        var paintings: [Painting] = []
        if let background = style.background {
            let pad = max(1, height / 6)
            let x = style.position.x(of: widest, in: size, margin)
            let rect = PixelRect(x: x - pad, y: y - pad / 2, width: widest + 2 * pad, height: total + pad)
            paintings.append(.fill(rect, background, opacity: 0.6))
        }
        for mask in masks {
            let x = style.position.x(of: mask.width, in: size, margin)
            paintings.append(.text(mask, x: x, y: y, style.color, outline: style.outline, opacity: 1))
            y += mask.height
        }
        return paintings
    }
}

extension Overlay.Corner {
    private var isTop: Bool { self == .topLeft || self == .top || self == .topRight }

    /// Columns to the left of something that stands here.
    func x(of width: Int, in size: Size, _ margin: Int) -> Int {
        switch self {
        case .topLeft, .bottomLeft: margin
        case .top, .bottom: (size.width - width) / 2
        case .topRight, .bottomRight: size.width - margin - width
        }
    }

    /// Rows above something that stands here.
    func y(of height: Int, in size: Size, _ margin: Int) -> Int { isTop ? margin : size.height - margin - height }
}
