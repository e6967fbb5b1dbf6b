/// One fact of a log line: a number stays a number, so that a program need not take text apart.
public struct LogFact: Hashable, Sendable {
    public var key: String
    /// The value as people read it: `5s`, `64MiB`.
    public var value: String
    /// The value as programs read it: numbers as numbers, durations in seconds, sizes in bytes.
    public var content: EventValue
    /// The key as programs read it: it has the unit of a bare number, `retry_in_seconds`.
    public var programKey: String

    public init(_ key: String, _ value: Any) {
        self.key = key
        programKey = key
        switch value {
        case let duration as Duration:
            // To the millisecond, which is what people read, unless it is less than one.
            let isLess = duration != .zero && duration.nanoseconds.magnitude < 1_000_000
            self.value = isLess ? "\(duration)" : duration.optionText ?? "\(duration)"
            content = .number(Double(duration.nanoseconds) / 1e9)
            programKey = Self.key(key, in: "seconds")
        case let size as ByteCount:
            self.value = size.description
            content = .integer(size.bytes)
            programKey = Self.key(key, in: "bytes")
        case let flag as Bool:
            self.value = flag ? "true" : "false"
            content = .bool(flag)
        case let number as any BinaryInteger:
            self.value = "\(number)"
            content = Int(exactly: number).map(EventValue.integer) ?? .text(self.value)
        case let number as any BinaryFloatingPoint:
            self.value = "\(number)"
            content = .number(Double(number))
        default:
            self.value = "\(value)"
            content = .text(self.value)
        }
    }

    private static func key(_ key: String, in unit: String) -> String {
        key.hasSuffix(unit) ? key : "\(key)_\(unit)"
    }
}
