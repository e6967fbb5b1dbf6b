import CampipeKit
import CampipeMedia

/// Writes text over pictures, draws what nodes found in them, and lays a picture over them, in place.
struct Overlay: Join {
    static let name = "overlay"
    static let summary = "Writes text over pictures, draws what nodes found, and lays a logo over them."
    static let input = In<Frame>("input")
    static let events = In<Event>("events", optional: true, many: true)
    static let inputs: [any AnyPort] = [input, events]

    @Option(
        "Text with strftime, {source}, {camera}, {fps}, {event.class}, {watch.score}; line ends make lines.",
        hasFields: true)
    var text = ""
    @Option("Where the text stands.") var position = Corner.bottomLeft
    @Option(
        Percent(fraction: 0.01)...Percent(fraction: 0.5),
        "How high a line is, as a share of the picture; 10 pixels at least.")
    var size = Percent(fraction: 0.04)
    @Option("Colour of the text: a name, #rgb or #rrggbb.") var color = Color(.white)
    @Option("Colour behind the text; without one the letters have a dark edge.") var background: Color? = nil
    @Option("Colour of the letters' edge, or none; left out, black where there is no background.")
    var outline: Edge? = nil
    @Option("What is drawn of the newest events, and of what nodes noted on the frame itself.")
    var draw: [Drawing] = []
    @Option("Colour of boxes, zones and labels.") var boxColor = Color(.yellow)
    @Option("A PNG that is laid over the picture; its transparency counts.") var image: ResourcePath? = nil
    @Option("Where the image stands.") var imagePosition = Corner.topRight
    @Option(Percent(fraction: 0.01)...Percent(fraction: 1), "How high the image is, as a share of the picture.")
    var imageSize = Percent(fraction: 0.1)
    @Option(Percent(fraction: 0.01)...Percent(fraction: 1), "How much of the image is seen.")
    var imageOpacity = Percent(fraction: 1)

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
        /// The polygons in which the node looks.
        case zones
        /// What is in a region, and how sure the node is.
        case label
    }

    private var time: CaptureTime?
    private var content = OverlayContent()
    private var painter: OverlayPainter?
    private var findings: FindingsPainter?
    private var stamp: ImagePainter?

    func check(at path: FaultPath, into faults: inout [Fault]) {
        for problem in OverlayText.problems(in: text) {
            faults.append(
                Fault(
                    problem.isField ? .unknownField : .invalidValue, at: path.key("text"), problem.sentence,
                    fix: problem.fix, span: problem.span))
        }
        if text.isEmpty, draw.isEmpty, image == nil {
            faults.append(
                Fault(
                    .idleNode, at: path, "this overlay neither writes nor draws anything",
                    fix: "set text, image, or events and draw: [boxes]", severity: .warning))
        }
    }

    func check(inputs: [String: [String]], at path: FaultPath, into faults: inout [Fault]) {
        let events = inputs["events"] ?? []
        // What a pattern names is not known here.
        if events.contains(where: { $0.utf8.contains(UInt8(ascii: "*")) }) { return }
        for problem in OverlayText.unheard(in: text, of: events) {
            faults.append(
                Fault(.unknownField, at: path.key("text"), problem.sentence, fix: problem.fix, span: problem.span))
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
        let edge = outline.map(\.color) ?? (background == nil ? .black : nil)
        if !text.isEmpty {
            painter = OverlayPainter(
                OverlayPainter.Style(
                    position: position, share: size.fraction, color: color.color, background: background?.color,
                    outline: edge), renderer: try TextRenderer())
        }
        if !draw.isEmpty { findings = try FindingsPainter(Set(draw), color: boxColor.color) }
        if let image {
            stamp = ImagePainter(
                try ImagePainter.read(image.text), position: imagePosition, share: imageSize.fraction,
                opacity: imageOpacity.fraction)
        }
    }

    mutating func process(_ frame: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        guard let time else { return }
        let captured = frame.captured
        for event in side.events(Self.events) { content.happened(event) }
        content.came(captured)
        stamp?.paint(on: &frame)
        try findings?.paint(content.current(at: captured), on: &frame)
        try painter?.paint(content.text(at: captured, time: time.wallTime(at: captured)), on: &frame)
        output.emit(frame)
    }

    mutating func finish() throws {
        painter = nil
        findings = nil
        stamp = nil
    }
}
