import CampipeKit
import CampipeMedia

/// Writes names into cells; each is drawn once a size. Where the machine has no font nothing is written.
///
/// One owner, in one node's turns.
final class CellLabels {
    private struct Key: Hashable {
        var text: String
        var height: Int
    }
    private let renderer = try? TextRenderer()
    private var masks: [Key: TextMask] = [:]

    /// Writes into the bottom left corner; nothing of no text.
    func corner(_ text: String, on frame: consuming Frame) -> Frame {
        if text.isEmpty { return frame }
        let size = frame.size
        let height = max(10, size.height / 14)
        guard let mask = mask(text, height) else { return frame }
        let pad = max(2, height / 4)
        let y = size.height - mask.height - pad
        let rect = PixelRect(x: 0, y: y - pad / 2, width: mask.width + 2 * pad, height: mask.height + pad)
        Painting.fill(rect, .black, opacity: 0.5).paint(on: &frame)
        Painting.text(mask, x: pad, y: y, .white, outline: nil, opacity: 1).paint(on: &frame)
        return frame
    }

    /// Writes into the middle.
    func middle(_ text: String, on frame: consuming Frame) -> Frame {
        let size = frame.size
        guard let mask = mask(text, max(10, size.height / 8)) else { return frame }
        Painting.text(
            mask, x: (size.width - mask.width) / 2, y: (size.height - mask.height) / 2, RGBColor(160, 160, 160),
            outline: nil, opacity: 1
        ).paint(on: &frame)
        return frame
    }

    private func mask(_ text: String, _ height: Int) -> TextMask? {
        let key = Key(text: text, height: height)
        if let known = masks[key] { return known }
        let mask = try? renderer?.render(text, height: height)
        if let mask { masks[key] = mask }
        return mask
    }
}
