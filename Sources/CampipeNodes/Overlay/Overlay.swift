import CampipeKit
import CampipeMedia

/// Writes text over pictures and draws what events found, in place.
struct Overlay: Join {
    static let name = "overlay"
    static let summary = "Writes text over pictures, and draws what events found."
    static let input = In<Frame>("input")
    static let events = In<Event>("events", optional: true, many: true)
    static let inputs: [any AnyPort] = [input, events]

    @Option("Text with strftime, {source}, {camera}, {fps}, {event.class}, {watch.score}; line ends make lines.")
    var text = ""
    @Option("Where the text stands.") var position = Corner.bottomLeft
    @Option(Percent(fraction: 0.01)...Percent(fraction: 0.5), "How high a line is, as a share of the picture.")
    var size = Percent(fraction: 0.04)
    @Option("Colour of the text: a name, #rgb or #rrggbb.") var color = Color(.white)
    @Option("Colour behind the text; without one the letters have a dark edge.") var background: Color? = nil
    @Option("What is drawn of the newest events.") var draw: [Drawing] = []
    @Option("Colour of boxes and labels.") var boxColor = Color(.yellow)

    enum Corner: String, OptionChoice {
        case topLeft = "top_left"
        case top
        case topRight = "top_right"
        case bottomLeft = "bottom_left"
        case bottom
        case bottomRight = "bottom_right"
    }

    enum Drawing: String, OptionChoice {
        /// A frame around each region.
        case boxes
        /// What is in it, and how sure the node is.
        case label
    }

    private var time: CaptureTime?
    private var content = OverlayContent()
    private var painter: OverlayPainter?

    func check(at path: FaultPath, into faults: inout [Fault]) {
        for problem in OverlayText.problems(in: text) {
            faults.append(
                Fault(
                    problem.isField ? .unknownField : .invalidValue, at: path.key("text"), problem.sentence,
                    fix: problem.fix, span: problem.span))
        }
        if text.isEmpty, draw.isEmpty {
            faults.append(
                Fault(
                    .missingKey, at: path, "this overlay neither writes nor draws anything",
                    fix: "set text, or events and draw: [boxes]", severity: .warning))
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        time = context.captureTime
        let parts: OverlayText
        do {
            parts = try OverlayText(text)
        } catch {
            throw CampipeError(.configuration, error.sentence, fix: error.fix)
        }
        let (source, camera) = (context.source, context.camera)
        content = OverlayContent(parts, source: source, camera: camera ?? source)
        painter = try OverlayPainter(
            OverlayPainter.Style(
                position: position, share: size.fraction, color: color.color, background: background?.color,
                boxColor: boxColor.color, drawsBoxes: draw.contains(.boxes), drawsLabels: draw.contains(.label)))
    }

    mutating func process(_ frame: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        guard let painter, let time else { return }
        let captured = frame.captured
        for event in side.events(Self.events) { content.happened(event) }
        content.came(captured)
        try painter.paint(
            text: content.text(at: captured, time: time.wallTime(at: captured)), events: content.current(at: captured),
            on: &frame)
        output.emit(frame)
    }

    mutating func finish() throws { painter = nil }
}

/// A colour as an option.
struct Color: Hashable, Sendable {
    var color: RGBColor
    init(_ color: RGBColor) { self.color = color }
}

extension RGBColor {
    static let yellow = RGBColor("yellow") ?? .white
}

extension Color: OptionValue {
    static var optionType: OptionType { .text }
    static var optionPlaceholder: Color { Color(.white) }
    var optionText: String? {
        if let name = RGBColor.names.first(where: { $0.color == color })?.name { return name }
        func hex(_ level: UInt8) -> String { (level < 16 ? "0" : "") + String(level, radix: 16) }
        return "\"#\(hex(color.red))\(hex(color.green))\(hex(color.blue))\""
    }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Color? {
        guard let text = String.read(value, at: path, into: &faults) else { return nil }
        if let color = RGBColor(text) { return Color(color) }
        let names = RGBColor.names.map(\.name)
        let nearest = Nearest.match(text, in: names).map { "did you mean \($0)? " } ?? ""
        faults.append(
            Fault(
                .invalidValue, at: path, "\"\(text.prefix(40))\" is no colour",
                fix: "\(nearest)accepted: \(names.joined(separator: ", ")), \"#rgb\", \"#rrggbb\""))
        return nil
    }
}
