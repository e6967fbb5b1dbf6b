/// A number with its unit, as text: `5s`, `1.5GiB`, `10%`.
struct QuantityText {
    let number: Double
    let unit: String
    /// The number as it was written.
    let digits: String

    /// Digits, at most one point, then letters or a percent sign; nil for anything else.
    init?(_ text: String) {
        let digits = text.utf8.prefix { (48...57).contains($0) || $0 == 46 }
        guard !digits.isEmpty, let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite else {
            return nil
        }
        let rest = text.utf8.dropFirst(digits.count)
        guard rest.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) || $0 == 37 }) else { return nil }
        self.number = number
        self.digits = String(decoding: digits, as: UTF8.self)
        unit = String(decoding: rest, as: UTF8.self)
    }

    /// Reads a quantity of these units, smallest first; the sentences name the field's units.
    ///
    /// - Parameters:
    ///   - usual: The unit that a number without one most likely has.
    ///   - most: What `limit` is, as it would be written.
    static func read(
        _ value: Value, type: OptionType, units: [(name: String, factor: Double)], usual: String, limit: Double,
        most: String, at path: FaultPath, into faults: inout [Fault]
    ) -> Double? {
        guard case .scalar(let scalar) = value, !scalar.isNull else {
            faults.append(.wrongKind(value, expected: type, at: path))
            return nil
        }
        let known = units.map(\.name)
        let names = "units: \(known.joined(separator: ", "))"
        guard let quantity = QuantityText(scalar.text) else {
            // `10 s`, `10 days`, `-5s`
            let joined = QuantityText(scalar.text.filter { $0 != " " && $0 != "-" && $0 != "+" })
            let meant = joined.flatMap { joined in Self.unit(joined.unit, among: known).map { joined.digits + $0 } }
            faults.append(
                Fault(
                    .invalidValue, at: path, "\(value.kindText) is not \(type.text)",
                    suggestions: scalar.isSecret ? [] : meant.map { [$0] } ?? [],
                    accepted: meant == nil ? "write \(type.text); \(names)" : ""))
            return nil
        }
        if quantity.unit.isEmpty {
            var meant = [scalar.text + usual]
            // Of a share below 1 nobody knows whether it is one of 1 or of 100.
            if type == .percent, quantity.number > 0, quantity.number <= 1,
                let share = (quantity.number * 100).optionText
            {
                meant.append(share + usual)
            }
            faults.append(
                Fault(
                    .missingUnit, at: path, "\(scalar.isSecret ? "a secret" : scalar.text) has no unit",
                    suggestions: scalar.isSecret ? [] : meant, accepted: names))
            return nil
        }
        guard let unit = units.first(where: { $0.name == quantity.unit }) else {
            guard !scalar.isSecret else {
                faults.append(Fault(.invalidValue, at: path, "a secret has an unknown unit", fix: names))
                return nil
            }
            let meant = Self.unit(quantity.unit, among: known).map { quantity.digits + $0 }
            faults.append(
                Fault(
                    .invalidValue, at: path, "\(value.kindText) has the unknown unit \"\(quantity.unit)\"",
                    suggestions: meant.map { [$0] } ?? [], accepted: names))
            return nil
        }
        let product = quantity.number * unit.factor
        guard product <= limit else {
            faults.append(
                Fault(
                    .outOfRange, at: path, "\(value.kindText) is too large", suggestions: [],
                    accepted: "accepted: up to \(most)"))
            return nil
        }
        return product
    }

    /// What people write for a unit, in small letters.
    private static let spellings: [(unit: String, words: [String])] = [
        ("ms", ["msec", "msecs", "millis", "millisecond", "milliseconds"]),
        ("s", ["sec", "secs", "second", "seconds"]), ("m", ["min", "mins", "minute", "minutes"]),
        ("h", ["hr", "hrs", "hour", "hours"]), ("d", ["day", "days"]), ("w", ["wk", "wks", "week", "weeks"]),
        ("B", ["byte", "bytes"]), ("KiB", ["k", "ki", "kib"]), ("MiB", ["m", "mi"]), ("GiB", ["g", "gi"]),
        ("TiB", ["t", "ti"]), ("%", ["percent", "pct"]),
    ]

    /// The unit that was most likely meant by a word.
    private static func unit(_ word: String, among known: [String]) -> String? {
        if known.contains(word) { return word }
        let word = word.lowercased()
        return known.first { $0.lowercased() == word }
            ?? spellings.first { known.contains($0.unit) && $0.words.contains(word) }?.unit
    }

    /// The number in the largest unit that leaves it whole.
    static func text(_ number: Int64, units: [(name: String, factor: Int64)]) -> String {
        let unit = units.last { number != 0 && number % $0.factor == 0 } ?? units[0]
        return "\(number / unit.factor)\(unit.name)"
    }
}

extension Duration: OptionValue {
    public static var optionType: OptionType { .duration }
    public static var optionPlaceholder: Duration { .zero }

    private static let units: [(name: String, factor: Double)] = [
        ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9), ("d", 86_400e9), ("w", 604_800e9),
    ]

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Duration? {
        if case .scalar(let scalar) = value, let sum = sum(scalar.text) { return sum }
        return QuantityText.read(
            value, type: .duration, units: units, usual: "s", limit: 9e18, most: "100000d", at: path, into: &faults
        )
        .map { .nanoseconds(Int64($0.rounded())) }
    }

    /// `1h30m`: several quantities, each of a smaller unit than the one before; nil for anything else.
    private static func sum(_ text: String) -> Duration? {
        var rest = Array(text.utf8)[...]
        var unit = units.count
        var parts = 0
        var sum = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { (48...57).contains($0) }
            let letters = rest[digits.endIndex...].prefix { !(48...57).contains($0) }
            let name = String(decoding: letters, as: UTF8.self)
            guard let number = Double(String(decoding: digits, as: UTF8.self)),
                let place = units.firstIndex(where: { $0.name == name }), place < unit
            else { return nil }
            unit = place
            sum += number * units[place].factor
            parts += 1
            rest = rest[letters.endIndex...]
        }
        return parts > 1 && sum <= 9e18 ? .nanoseconds(Int64(sum.rounded())) : nil
    }

    public var optionText: String? {
        if self == .zero { return "0s" }
        return QuantityText.text(
            nanoseconds / 1_000_000,
            units: [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)])
    }
}

/// A number of bytes: `64MiB`, `500GB`.
public struct ByteCount: Hashable, Comparable, Sendable {
    /// The number of bytes.
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }
    /// So many times 1,024 bytes.
    public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 10) }
    /// So many times 1,048,576 bytes.
    public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 20) }
    /// So many times 1,073,741,824 bytes.
    public static func gibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 30) }
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}

extension ByteCount: OptionValue, CustomStringConvertible {
    public static var optionType: OptionType { .byteCount }
    public static var optionPlaceholder: ByteCount { ByteCount(bytes: 0) }

    private static let units: [(name: String, factor: Double)] = [
        ("B", 1), ("KB", 1e3), ("KiB", 1024), ("MB", 1e6), ("MiB", 1_048_576), ("GB", 1e9), ("GiB", 1_073_741_824),
        ("TB", 1e12), ("TiB", 1_099_511_627_776),
    ]

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> ByteCount? {
        QuantityText.read(
            value, type: .byteCount, units: units, usual: "MiB", limit: 9e18, most: "8000TiB", at: path, into: &faults
        )
        .map { ByteCount(bytes: Int($0.rounded())) }
    }

    public var optionText: String? { description }

    public var description: String {
        QuantityText.text(
            Int64(bytes),
            units: [("B", 1), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776)])
    }
}

/// A share of a whole: `10%`.
public struct Percent: Hashable, Comparable, Sendable {
    /// 0…1.
    public var fraction: Double

    public init(fraction: Double) { self.fraction = fraction }
    public static func < (left: Percent, right: Percent) -> Bool { left.fraction < right.fraction }
}

extension Percent: OptionValue {
    public static var optionType: OptionType { .percent }
    public static var optionPlaceholder: Percent { Percent(fraction: 0) }
    public var optionText: String? { ((fraction * 100).optionText ?? "") + "%" }

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Percent? {
        QuantityText.read(
            value, type: .percent, units: [("%", 0.01)], usual: "%", limit: 1, most: "100%", at: path, into: &faults
        )
        .map(Percent.init(fraction:))
    }
}

/// Text that is redacted wherever it would be shown: in logs, errors, `graph`, `/state`.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    public init(_ text: String) { self.text = text }

    /// The text itself; whoever calls this answers for where it goes.
    public var revealed: String { text }
    public var description: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: OptionValue {
    public static var optionType: OptionType { .secret }
    public static var optionPlaceholder: Secret { Secret("") }
    public var optionText: String? { nil }

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Secret? {
        if case .map = value {
            faults.append(.wrongKind(value, expected: .secret, at: path))
            return nil
        }
        return String.read(value, at: path, into: &faults).map(Secret.init)
    }
}
