import CampipeKit
import Testing

/// Answers the same always.
private struct Answering: WebClient {
    var text: String
    func ask(_ request: WebRequest) throws -> WebAnswer { WebAnswer(body: Array(text.utf8)) }
}

@Suite("weather")
struct WeatherTests {
    private let json = #"{"current": {"temperature_2m": 12.3}, "days": [{"sky": "clear"}, {"sky": "rain"}]}"#

    private func harness(_ text: String, _ options: Value.ValueMap = [:]) throws -> NodeHarness {
        var services = Services()
        services.add(Answering(text: text), as: (any WebClient).self)
        return try NodeHarness(
            Registration(source: Weather.self), options: options, id: "sky", isLive: true, services: services)
    }

    @Test("it says the value at the start, and then as often as it is told to")
    func paced() throws {
        let harness = try harness(json, ["every": "10s"])
        try harness.run(until: harness.clock.now + .seconds(25))
        #expect(harness.events.map(\.payload["label"]) == [.text("12.3 °C"), .text("12.3 °C"), .text("12.3 °C")])
        #expect(harness.events.map(\.node) == ["sky", "sky", "sky"])
    }

    @Test(
        "a way leads through maps and lists", arguments: [("days.1.sky", "rain"), ("current.temperature_2m", "12.3")])
    func ways(field: String, value: String) throws {
        #expect(try Weather.value(in: Array(json.utf8), at: field) == value)
    }

    @Test(
        "what is not there is named",
        arguments: [
            ("days.2.sky", "the answer has no \"2\" of \"days.2.sky\""),
            ("current", "\"current\" of the answer is no value"),
        ])
    func missing(field: String, message: String) {
        let error = #expect(throws: CampipeError.self) { try Weather.value(in: Array(json.utf8), at: field) }
        #expect(error?.message == message)
    }

    @Test("an answer that is no JSON is said in the log, and asked for again")
    func noJSON() throws {
        let harness = try harness("<html>")
        try harness.run(turns: 1)
        #expect(harness.events.isEmpty && harness.logged.count == 1)
    }
}
