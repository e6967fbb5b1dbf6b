import Testing

@testable import CampipeKit

@Suite("Option values")
struct OptionValueTests {
    enum Fit: String, OptionChoice { case contain, cover, stretch }

    /// A value of the file, and what is said of it: the value as an option shows it, or code, sentence and fix.
    struct Case: CustomTestStringConvertible, Sendable {
        var type: any OptionValue.Type
        var value: Value
        var shown: String?
        var code: FaultCode?
        var sentence = ""
        var fix: String?

        init(_ type: any OptionValue.Type, _ value: Value, is shown: String) {
            (self.type, self.value, self.shown) = (type, value, shown)
        }
        init(_ type: any OptionValue.Type, _ value: Value, _ code: FaultCode, _ sentence: String, fix: String? = nil) {
            (self.type, self.value, self.code, self.sentence, self.fix) = (type, value, code, sentence, fix)
        }
        var testDescription: String { "\(type) of \(value)" }
    }

    static let durations = "units: ms, s, m, h, d, w"
    static let sizes = "units: B, KB, KiB, MB, MiB, GB, GiB, TB, TiB"
    static let long = String(repeating: "9", count: 30)

    static let bools: [Case] = [
        .init(Bool.self, "true", is: "true"), .init(Bool.self, "false", is: "false"),
        .init(Bool.self, "yes", .invalidValue, "\"yes\" is not true or false", fix: "write true"),
        .init(Bool.self, "on", .invalidValue, "\"on\" is not true or false", fix: "write true"),
        .init(Bool.self, "1", .invalidValue, "\"1\" is not true or false", fix: "write true"),
        .init(Bool.self, "True", .invalidValue, "\"True\" is not true or false", fix: "write true"),
        .init(Bool.self, "off", .invalidValue, "\"off\" is not true or false", fix: "write false"),
        .init(Bool.self, "No", .invalidValue, "\"No\" is not true or false", fix: "write false"),
        .init(Bool.self, "maybe", .invalidValue, "\"maybe\" is not true or false", fix: "accepted: true, false"),
        .init(
            Bool.self, "null", .wrongKind, "found nothing, expected true or false",
            fix: "write true or false, or leave the key out"),
        .init(Bool.self, ["true"], .wrongKind, "found a list, expected true or false"),
    ]
    static let numbers: [Case] = [
        .init(Int.self, "128", is: "128"), .init(Int.self, "-3", is: "-3"), .init(Int.self, "+3", is: "3"),
        .init(Int.self, .plain("\(Int.max)"), is: "9223372036854775807"),
        .init(
            Int.self, .plain(long), .outOfRange, "\"\(long)\" is too large",
            fix: "accepted: whole numbers up to \(Int.max)"),
        .init(
            Int.self, .plain("-" + long), .outOfRange, "\"-\(long)\" is too large",
            fix: "accepted: whole numbers up to \(Int.max)"),
        .init(Int.self, "5s", .invalidValue, "\"5s\" is not a whole number", fix: "write 5"),
        .init(
            Int.self, "1.5", .invalidValue, "\"1.5\" is not a whole number",
            fix: "accepted: a whole number in digits, such as 12"),
        .init(Int.self, "1:30", .invalidValue, "\"1:30\" is not a whole number"),
        .init(Int.self, "on", .invalidValue, "\"on\" is not a whole number"),
        .init(Int.self, "0x10", .invalidValue, "\"0x10\" is not a whole number", fix: "write 16"),
        .init(Int.self, "1e3", .invalidValue, "\"1e3\" is not a whole number", fix: "write 1000"),
        .init(Int.self, "640.0", .invalidValue, "\"640.0\" is not a whole number", fix: "write 640"),
        .init(Int.self, "1_000", .invalidValue, "\"1_000\" is not a whole number", fix: "write 1000"),
        .init(
            Int.self, ".inf", .invalidValue, "\".inf\" is not a whole number",
            fix: "accepted: a whole number in digits, such as 12"),
        .init(Int.self, "~", .wrongKind, "found nothing, expected a whole number"),
        .init(Int.self, [:], .wrongKind, "found a map, expected a whole number"),
        .init(Double.self, "0.65", is: "0.65"), .init(Double.self, "1e3", is: "1000"),
        .init(Double.self, "-2", is: "-2"),
        .init(Double.self, "1e999", .outOfRange, "\"1e999\" is too large", fix: "accepted: numbers up to 1e308"),
        .init(
            Double.self, "nan", .invalidValue, "\"nan\" is not a number",
            fix: "accepted: a number in digits, such as 12.5"),
        .init(Double.self, "5fps", .invalidValue, "\"5fps\" is not a number", fix: "write 5"),
        .init(Double.self, "inf", .invalidValue, "\"inf\" is not a number"),
        .init(Double.self, "0x1p3", .invalidValue, "\"0x1p3\" is not a number"),
        .init(Double.self, "1,5", .invalidValue, "\"1,5\" is not a number", fix: "write 1.5"),
        .init(Double.self, "", .wrongKind, "found nothing, expected a number"),
    ]
    static let texts: [Case] = [
        .init(String.self, "no", is: "\"no\""), .init(String.self, "02142", is: "\"02142\""),
        .init(String.self, .text(""), is: "\"\""), .init(String.self, .text("null"), is: "\"null\""),
        .init(
            String.self, "", .wrongKind, "found nothing, expected text",
            fix: "write \"\" for an empty text, or leave the key out; text that begins with # needs quotes"),
        .init(
            String.self, ["source": ""], .quoteIt, "YAML reads {source} as a map where text is expected",
            fix: "quote it: \"{source}\""),
        .init(
            String.self, ["a": "b"], .wrongKind, "found a map, expected text", fix: "quote it if it is text"),
        .init(String.self, ["a"], .wrongKind, "found a list, expected text", fix: "write a"),
        .init(Fit.self, "cover", is: "cover"),
        .init(
            Fit.self, "covr", .unknownEnumValue, "\"covr\" is not known here",
            fix: "did you mean \"cover\"? accepted: contain, cover, stretch"),
        .init(
            Fit.self, "wide", .unknownEnumValue, "\"wide\" is not known here",
            fix: "accepted: contain, cover, stretch"),
        .init(Fit.self, [], .wrongKind, "found a list, expected one of contain, cover, stretch"),
    ]
    static let quantities: [Case] = [
        .init(Duration.self, "5s", is: "5s"), .init(Duration.self, "200ms", is: "200ms"),
        .init(Duration.self, "1.5s", is: "1500ms"), .init(Duration.self, "14d", is: "14d"),
        .init(Duration.self, "0s", is: "0s"), .init(Duration.self, "90m", is: "90m"),
        .init(Duration.self, "1h30m", is: "90m"), .init(Duration.self, "1m5s200ms", is: "65200ms"),
        .init(Duration.self, "30m1h", .invalidValue, "\"30m1h\" is not a duration such as 5s or 200ms"),
        .init(Duration.self, "1h30", .invalidValue, "\"1h30\" is not a duration such as 5s or 200ms"),
        .init(Duration.self, "5", .missingUnit, "5 has no unit", fix: "write 5s; \(durations)"),
        .init(
            Duration.self, "5S", .invalidValue, "\"5S\" has the unknown unit \"S\"", fix: "write 5s; \(durations)"),
        .init(
            Duration.self, "5sec", .invalidValue, "\"5sec\" has the unknown unit \"sec\"", fix: "write 5s; \(durations)"
        ),
        .init(
            Duration.self, "-5s", .invalidValue, "\"-5s\" is not a duration such as 5s or 200ms", fix: "write 5s"),
        .init(
            Duration.self, "never", .invalidValue, "\"never\" is not a duration such as 5s or 200ms",
            fix: "write a duration such as 5s or 200ms; \(durations)"),
        .init(Duration.self, "1:30", .invalidValue, "\"1:30\" is not a duration such as 5s or 200ms"),
        .init(Duration.self, "1.2.3s", .invalidValue, "\"1.2.3s\" is not a duration such as 5s or 200ms"),
        .init(Duration.self, "999999w", .outOfRange, "\"999999w\" is too large", fix: "accepted: up to 100000d"),
        .init(Duration.self, "", .wrongKind, "found nothing, expected a duration such as 5s or 200ms"),
        .init(ByteCount.self, "500GiB", is: "500GiB"), .init(ByteCount.self, "1KB", is: "1000B"),
        .init(ByteCount.self, "1.5KiB", is: "1536B"), .init(ByteCount.self, "1024MiB", is: "1GiB"),
        .init(ByteCount.self, "64", .missingUnit, "64 has no unit", fix: "write 64MiB; \(sizes)"),
        .init(
            ByteCount.self, "64mib", .invalidValue, "\"64mib\" has the unknown unit \"mib\"",
            fix: "write 64MiB; \(sizes)"),
        .init(ByteCount.self, "9999999TiB", .outOfRange, "\"9999999TiB\" is too large", fix: "accepted: up to 8000TiB"),
        .init(ByteCount.self, "big", .invalidValue, "\"big\" is not a size such as 64MiB"),
        .init(Percent.self, "10%", is: "10%"), .init(Percent.self, "0.5%", is: "0.5%"),
        .init(Percent.self, "10", .missingUnit, "10 has no unit", fix: "write 10%; units: %"),
        .init(Percent.self, "101%", .outOfRange, "\"101%\" is too large", fix: "accepted: up to 100%"),
        .init(
            Percent.self, "0.01", .missingUnit, "0.01 has no unit",
            fix: "write 0.01% or 1%, as is meant; units: %"),
        .init(Percent.self, "half", .invalidValue, "\"half\" is not a share such as 10%"),
    ]
    static let compounds: [Case] = [
        .init([Int].self, ["1", "2"], is: "[1, 2]"), .init([String].self, [], is: "[]"),
        .init([Int].self, ["1", "x"], .invalidValue, "\"x\" is not a whole number"),
        .init(
            [Int].self, "5", .wrongKind, "found \"5\", expected a list of a whole number",
            fix: "write [5] for a list of one element"),
        .init(
            [String].self, "person", .wrongKind, "found \"person\", expected a list of text",
            fix: "write [person] for a list of one text"),
        .init([Int].self, "null", .wrongKind, "found nothing, expected a list of a whole number"),
        .init(Duration?.self, "5s", is: "5s"),
        .init(Duration?.self, "null", .wrongKind, "found nothing, expected a duration such as 5s or 200ms"),
    ]

    @Test("a value is read, or refused in these words", arguments: bools + numbers + texts + quantities + compounds)
    func reads(_ example: Case) {
        var faults: [Fault] = []
        let path: FaultPath = ["sinks", "web", "option"]
        let read = example.type.read(example.value, at: path, into: &faults)
        #expect(read?.optionText == example.shown)
        if let code = example.code {
            #expect(faults.map(\.code) == [code])
            #expect(faults.first?.sentence == example.sentence)
            #expect(example.fix.map { faults.first?.fix == $0 } ?? (faults.first?.fix.isEmpty == false), "\(faults)")
            #expect(faults.first?.path.description.hasPrefix("sinks.web.option") == true)
        } else {
            #expect(faults.isEmpty)
        }
    }

    @Test("a fault in a list points at the element")
    func elements() {
        var faults: [Fault] = []
        #expect([Int].read(["1", "x", "3", "y"], at: ["a"], into: &faults) == nil)
        #expect(faults.map(\.path.description) == ["a[1]", "a[3]"])
    }

    @Test(
        "types are named in words",
        arguments: [
            (OptionType.either([.choice(["all"]), .integer]), "all, or a whole number"),
            (.map(.duration), "a map of names to a duration such as 5s or 200ms"),
            (.secret, "text (secret)"), (.list(.percent), "a list of a share such as 10%"),
        ] as [(OptionType, String)])
    func types(type: OptionType, text: String) { #expect(type.text == text) }
}
