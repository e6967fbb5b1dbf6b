import CampipeKit

/// What an overlay says at a time: the fields of its text filled, and the events that are young enough. A value.
struct OverlayContent: Sendable {
    private var parts: [Part] = []
    private var source = ""
    private var camera = ""
    private var rate = StreamRate()
    private var fps = ""
    private var fpsSaid = Instant.distantPast
    /// The newest event of each node.
    private var newest: [String: Event] = [:]

    private enum Part: Sendable {
        case time(WallClockText)
        case field(OverlayText.Part)
    }

    /// An event is shown for so long: those that go on are said again each second.
    private static let shown = Duration.milliseconds(1250)

    init() {}

    init(_ text: OverlayText, source: String, camera: String) {
        parts = text.parts.map { part in
            if case .text(let pattern) = part { .time(WallClockText(pattern)) } else { .field(part) }
        }
        self.source = source
        self.camera = camera
    }

    /// Takes an event, in the order of `captured`.
    mutating func happened(_ event: Event) { newest[event.node] = event }

    /// A picture came; its time makes the rate.
    mutating func came(_ captured: Instant) {
        rate.came(captured)
        // Once a second, so that the text, and with it the letters, change no oftener.
        guard captured - fpsSaid >= .seconds(1) || fpsSaid > captured else { return }
        fpsSaid = captured
        let perSecond = rate.perSecond(now: captured)
        let tenths = Int((perSecond * 10).rounded())
        fps = perSecond >= 9.95 ? String(Int(perSecond.rounded())) : "\(tenths / 10).\(tenths % 10)"
    }

    /// The events that go on or happened just now, the oldest first.
    func current(at captured: Instant) -> [Event] {
        newest.values.filter { isCurrent($0, at: captured) }.sorted { ($0.captured, $0.node) < ($1.captured, $1.node) }
    }

    private func isCurrent(_ event: Event, at captured: Instant) -> Bool {
        event.phase != .ended && event.captured <= captured && captured - event.captured <= Self.shown
    }

    mutating func text(at captured: Instant, time: WallTime) -> String {
        var text = ""
        for index in parts.indices {
            switch parts[index] {
            case .time(var pattern):
                text += pattern.text(at: time)
                parts[index] = .time(pattern)
            case .field(let field): text += value(of: field, at: captured)
            }
        }
        return text
    }

    private func value(of field: OverlayText.Part, at captured: Instant) -> String {
        switch field {
        case .text(let text): return text
        case .source: return source
        case .camera: return camera
        case .fps: return fps
        case .event(let node, let asked):
            let event = current(at: captured).last {
                node == nil || $0.node == node || $0.node.hasSuffix("/\(node ?? "")")
            }
            return event.map { Self.value(of: asked, in: $0) } ?? ""
        }
    }

    private static func value(of asked: OverlayText.EventField, in event: Event) -> String {
        func percent(_ share: Double?) -> String { share.map { "\(Int(($0 * 100).rounded()))%" } ?? "" }
        switch asked {
        case .kind: return event.kind.rawValue
        case .class: return event.detectedClass ?? ""
        case .label: return event.detectedClass ?? event.boxes.first?.label ?? ""
        case .score: return percent(event.score)
        case .area:
            if case .number(let area)? = event.payload["area"] { return percent(area) }
            return ""
        }
    }
}
