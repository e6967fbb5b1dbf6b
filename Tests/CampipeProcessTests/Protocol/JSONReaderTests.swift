import CampipeKit
import Testing

@testable import CampipeProcess

@Suite("The JSON of a message")
struct JSONReaderTests {
    static let values: [(String, EventValue?)] = [
        ("1", 1), (" -2 ", -2), ("1.5e3", 1500.0), ("true", true), ("false", false), ("null", nil), ("\"\"", ""),
        ("\"a\\n\\u00e9\\\"\\\\\\/\"", "a\né\"\\/"), ("\"\\ud83d\\ude00\"", "😀"), ("[]", .list([])), ("{}", .map([:])),
        ("[1, [2], null]", .list([1, .list([2])])),
        ("{\"a\": {\"b\": [true]}}", .map(["a": .map(["b": .list([true])])])),
        ("99999999999999999999", 1e20),
    ]

    @Test("values are read", arguments: values)
    func reads(_ text: String, _ expected: EventValue?) throws {
        #expect(try JSONReader.value(Array(text.utf8)[...]) == expected)
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", " ", "{", "[", "[1", "[1,", "{\"a\"", "{\"a\":", "{\"a\":1,}", "{a:1}", "\"", "\"\\", "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud83d\"", "\"\\ud83d\\u0041\"", "1 2", "tru", "1e999", "--1", "nan", "\"\n\"", "'a'",
            String(repeating: "[", count: 100_000), String(repeating: "9", count: 100),
        ])
    func refuses(_ text: String) {
        #expect(throws: CampipeError.self) { try JSONReader.value(Array(text.utf8)[...]) }
    }

    @Test("text that is no UTF-8 is refused")
    func refusesBytes() {
        #expect(throws: CampipeError.self) { try JSONReader.value([0x22, 0xFF, 0x22]) }
    }

    @Test("what the Kit writes is read as the same")
    func roundTrip() throws {
        let value: EventValue = .map([
            "text": "a\u{7}\"\u{2028}", "list": .list([1, 2.5, true]), "map": .map(["x": .map([:])]),
        ])
        var text = ""
        value.appendJSON(to: &text)
        #expect(try JSONReader.value(Array(text.utf8)[...]) == value)
    }
}
