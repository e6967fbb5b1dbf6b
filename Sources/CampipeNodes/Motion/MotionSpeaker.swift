import CampipeKit

/// Puts what an episode says into events. A value.
struct MotionSpeaker: Sendable {
    let node: String
    private let time: CaptureTime
    private let isLive: Bool
    /// Where motion counts, where that was said.
    private let zones: EventValue?
    /// Of the event that goes on.
    private var id = ""

    init(node: String, time: CaptureTime, isLive: Bool, zones: Polygons? = nil) {
        self.node = node
        self.time = time
        self.isLive = isLive
        self.zones = zones?.eventValue
    }

    mutating func event(_ step: MotionEpisode.Step, at captured: Instant) -> Event {
        switch step {
        case .began(let facts):
            // Two episodes do not begin at one time, so that this is an id for good.
            id = "\(node)-\(milliseconds(facts.start))"
            return event(.motionStarted, .began, at: captured, payload(facts))
        case .goesOn(let facts):
            return event(.motionStarted, .began, at: captured, payload(facts)).repeated(at: captured)
        case .ended(let facts, let last):
            var payload = payload(facts)
            payload["end"] = .number(Double(milliseconds(last)) / 1000)
            return event(.motionEnded, .ended, at: captured, payload)
        }
    }

    private func event(
        _ kind: EventKind, _ phase: Event.Phase, at captured: Instant, _ payload: [String: EventValue]
    ) -> Event {
        let event = Event(kind, id: id, phase: phase, captured: captured, node: node, payload: payload)
        return isLive ? event.at(time.wallTime(at: captured)) : event
    }

    private func payload(_ facts: MotionEpisode.Facts) -> [String: EventValue] {
        var payload: [String: EventValue] = [
            "score": .number((facts.score * 100).rounded() / 100),
            "area": .number((facts.area * 10_000).rounded() / 10_000),
            "boxes": .list(facts.boxes.prefix(16).map(\.value)),
            "start": .number(Double(milliseconds(facts.start)) / 1000),
        ]
        payload["zones"] = zones
        return payload
    }

    /// Since 1970 of what is live, of a file since the stream's start.
    private func milliseconds(_ instant: Instant) -> Int64 { time.wallTime(at: instant).microseconds / 1000 }
}
