package import CampipeKit

/// An event, as the JSON of a message says it; when it happened stands in the header.
package enum EventText {
    package static func map(_ event: Event) -> [String: EventValue] {
        var map: [String: EventValue] = [
            "kind": .text(event.kind.rawValue), "id": .text(event.id), "phase": .text(event.phase.rawValue),
            "node": .text(event.node), "payload": .map(event.payload),
        ]
        if event.isRepeat { map["repeat"] = true }
        return map
    }

    /// - Parameter node: Who says so where the text does not.
    /// - Throws: `.badData` when it has no kind.
    package static func event(
        _ map: [String: EventValue], captured: Instant, node: String
    ) throws(CampipeError) -> Event {
        guard let kind = map.text("kind"), !kind.isEmpty, kind.utf8.count <= 200 else {
            throw CampipeError(
                .badData, "it sends an event without a kind", fix: "a kind is a word, such as person_seen")
        }
        var payload: [String: EventValue] = [:]
        if case .map(let given)? = map["payload"] { payload = given }
        if let boxes = payload.list("boxes") { payload["boxes"] = .list(boxes.map(withNumbers)) }
        let phase = map.text("phase").flatMap(Event.Phase.init(rawValue:)) ?? .happened
        let event = Event(
            EventKind(rawValue: kind), id: map.text("id") ?? "\(node)-\(captured.nanoseconds)", phase: phase,
            captured: captured, node: node, payload: payload)
        return map.flag("repeat") == true ? event.repeated(at: captured) : event
    }

    /// A box whose places are numbers, also where they were written without a point.
    private static func withNumbers(_ box: EventValue) -> EventValue {
        guard case .map(var map) = box else { return box }
        for (key, value) in map { if case .integer(let whole) = value { map[key] = .number(Double(whole)) } }
        return .map(map)
    }
}
