import CampipeKit
import Foundation

/// Reads a number or a text out of JSON that a server gives, now and then, for a field of an overlay: `{sky.label}`.
///
/// Without options it is the temperature in Berlin, of Open-Meteo (https://open-meteo.com/en/docs), which wants no key.
struct Weather: Source {
    static let name = "weather"
    static let summary = "Reads a value out of JSON over HTTP, for a field of an overlay."
    static let execution = Execution.ownThread
    static let outputs: [any AnyPort] = [Out<Event>("out")]

    @Option("Where the JSON is.")
    var url = "https://api.open-meteo.com/v1/forecast?latitude=52.52&longitude=13.41&current=temperature_2m"
    @Option("The way to the value, with a point between keys, and positions in lists from 0.")
    var field = "current.temperature_2m"
    @Option("What is shown; {} stands for the value.") var text = "{} °C"
    @Option(.seconds(1)...(.seconds(86_400)), "How often it is asked for.") var every = Duration.seconds(600)

    private var client: (any WebClient)?
    private var clock: (any PipelineClock)?
    private var log = Log.silent
    private var id = ""
    private var due: Instant?
    private var number = 0

    var format: Format? { .events }

    mutating func open(_ context: borrowing Context) throws {
        client = try context.service((any WebClient).self)
        clock = context.clock
        log = context.log
        id = context.id
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let clock, let client else { return .ended }
        if let due, clock.now < due { return .waitUntil(due) }
        let body = try client.ask(WebRequest(url)).body
        guard let value = try? Self.value(in: body, at: field) else {
            // Another answer may have it; who does not answer at all is an error.
            log.warning("the answer has no such value", ["field": field])
            let next = clock.now + every
            due = next
            output.rest(until: next)
            return .waitUntil(next)
        }
        let shown = text.replacingOccurrences(of: "{}", with: value)
        number += 1
        output.emit(
            Event(
                "weather", id: "\(id)-\(number)", captured: clock.now, node: id,
                payload: ["label": .text(shown), "value": .text(value)]))
        let next = clock.now + every
        due = next
        // Nothing is amiss when nothing comes until then.
        output.rest(until: next)
        return .waitUntil(next)
    }

    /// The value at the end of a way through JSON, as text: numbers as they are written.
    ///
    /// - Throws: `CampipeError` with what was found instead.
    static func value(in json: [UInt8], at field: String) throws -> String {
        guard var place = try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed) else {
            throw CampipeError(.badData, "the answer is no JSON", fix: "check url")
        }
        for key in field.split(separator: ".").map(String.init) {
            let inner: Any?
            switch place {
            case let map as [String: Any]: inner = map[key]
            case let list as [Any]: inner = Int(key).flatMap { list.indices.contains($0) ? list[$0] : nil }
            default: inner = nil
            }
            guard let inner else {
                throw CampipeError(.badData, "the answer has no \"\(key)\" of \"\(field)\"", fix: "check field")
            }
            place = inner
        }
        if let text = place as? String { return text }
        if let number = place as? NSNumber { return "\(number)" }
        throw CampipeError(.badData, "\"\(field)\" of the answer is no value", fix: "check field")
    }
}
