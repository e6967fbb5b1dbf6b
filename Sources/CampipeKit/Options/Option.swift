/// Declares an option of a node, once: type, default, range and a line of documentation.
///
///     @Option(0...255, "Cut-off, in luma levels.") var level = 128
///     @Option("Address of the camera.") var url: String            // must be given
///     @Option("Text in the corner.") var text: String? = nil       // may be left out
///
/// In a pipeline file the name is in snake_case: `preRoll` is `pre_roll`. The SDK makes a node twice: once to learn the
/// names by reflection, once with the file's values; so `init()` must have no effects.
@propertyWrapper
public struct Option<T: OptionValue>: Sendable {
    public var wrappedValue: T
    /// Whether the file gives it.
    public let isGiven: Bool
    let number: Int
    let info: OptionInfo<T>

    /// An option with a default.
    ///
    /// - Parameter hasFields: Whether braces in its text are the node's to read: fields such as `{source}`, or a program.
    ///   In any other option of a template a `{name}` that is no parameter is a fault.
    public init(wrappedValue: T, _ summary: String, hasFields: Bool = false) {
        self.init(default: wrappedValue, OptionInfo(summary: summary, hasFields: hasFields))
    }

    /// An option with a default and a range; the ends belong to it.
    public init(wrappedValue: T, _ range: ClosedRange<T>, _ summary: String) where T: Comparable {
        self.init(default: wrappedValue, OptionInfo(summary: summary, range: range))
    }

    /// An option that must be given.
    ///
    /// - Parameters:
    ///   - example: A value that is right by itself, which who gave none is told of.
    ///   - hasFields: Whether braces in its text are the node's to read, as of an option with a default.
    public init(_ summary: String, example: String? = nil, hasFields: Bool = false) {
        self.init(
            default: nil, OptionInfo(summary: summary, isRequired: true, example: example, hasFields: hasFields))
    }

    /// An option that must be given, with a range.
    public init(_ range: ClosedRange<T>, _ summary: String) where T: Comparable {
        self.init(default: nil, OptionInfo(summary: summary, isRequired: true, range: range))
    }

    /// An option that may be left out, with a range for what is given.
    public init<Wrapped>(wrappedValue: T, _ range: ClosedRange<Wrapped>, _ summary: String)
    where T == Wrapped?, Wrapped: Comparable & OptionValue {
        self.init(default: wrappedValue, OptionInfo(summary: summary, wrappedRange: range))
    }

    private init(default value: T?, _ info: OptionInfo<T>) {
        let construction = OptionConstruction.current
        number = construction?.nextNumber() ?? -1
        self.info = info
        let given = construction?.value(number) as? T
        isGiven = given != nil
        // A placeholder is made only where no value is there, so its own options must not be counted.
        wrappedValue =
            given ?? value
            ?? OptionConstruction.$current.withValue(nil) { T.optionPlaceholder }
    }
}

/// What an option's declaration says, shared by all its copies.
final class OptionInfo<T: OptionValue>: Sendable {
    let summary: String
    let isRequired: Bool
    let example: String?
    let hasFields: Bool
    let range: OptionRange?
    let contains: (@Sendable (T) -> Bool)?

    init(summary: String, isRequired: Bool = false, example: String? = nil, hasFields: Bool = false) {
        self.summary = summary
        self.isRequired = isRequired
        self.example = example
        self.hasFields = hasFields
        range = nil
        contains = nil
    }

    init(summary: String, isRequired: Bool = false, range: ClosedRange<T>) where T: Comparable {
        self.summary = summary
        self.isRequired = isRequired
        example = nil
        hasFields = false
        self.range = OptionRange(range)
        contains = { range.contains($0) }
    }

    init<Wrapped: Comparable & OptionValue>(summary: String, wrappedRange range: ClosedRange<Wrapped>)
    where T == Wrapped? {
        self.summary = summary
        isRequired = false
        example = nil
        hasFields = false
        self.range = OptionRange(range)
        contains = { $0.map(range.contains) ?? true }
    }
}

struct OptionRange: Sendable {
    let text: String
    let minimum: Double?
    let maximum: Double?

    init<T: OptionValue & Comparable>(_ range: ClosedRange<T>) {
        let (lower, upper) = (range.lowerBound, range.upperBound)
        text = "\(lower.optionText ?? "\(lower)")…\(upper.optionText ?? "\(upper)")"
        minimum = Self.number(range.lowerBound)
        maximum = Self.number(range.upperBound)
    }

    private static func number(_ value: some OptionValue) -> Double? {
        switch value {
        case let value as Int: Double(value)
        case let value as Double: value
        default: nil
        }
    }
}

/// An option, whatever its type.
protocol AnyOption {
    var optionNumber: Int { get }
    func schema(key: String) -> OptionSchema
    /// Reads the file's value, checking the range too.
    func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> (any Sendable)?
}

extension Option: AnyOption {
    var optionNumber: Int { number }

    func schema(key: String) -> OptionSchema {
        OptionSchema(
            key: key, type: T.optionType, summary: info.summary,
            defaultText: info.isRequired ? nil : wrappedValue.optionText, isRequired: info.isRequired,
            range: info.range?.text, minimum: info.range?.minimum, maximum: info.range?.maximum, number: number,
            hasFields: info.hasFields)
    }

    func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> (any Sendable)? {
        let value = T.optionType.isSecret ? value.asSecret : value
        if info.isRequired, T.optionType == .text, case .scalar(let scalar) = value,
            scalar.isNull || scalar.text.isEmpty
        {
            faults.append(
                Fault(
                    scalar.isNull ? .wrongKind : .invalidValue, at: path, "nothing is written here: \(what)",
                    fix: (info.example.map { "write \($0), or your own" } ?? "write what is asked for")
                        + (scalar.isNull ? "; text that begins with # needs quotes" : "")))
            return nil
        }
        let before = faults.count
        guard let read = T.read(value, at: path, into: &faults) else {
            for index in before..<faults.count where faults[index].path == path {
                faults[index] = checked(faults[index], for: value)
            }
            return nil
        }
        if let contains = info.contains, !contains(read) {
            faults.append(
                Fault(
                    .outOfRange, at: path, "\(value.kindText) is out of range",
                    suggestions: share(of: read, value).map { [$0] } ?? [],
                    accepted: accepted(instead: value)))
            return nil
        }
        return read
    }
}

extension Option {
    /// What belongs here, as the end of a sentence: the summary's first part.
    private var what: String {
        let part = info.summary.prefix { $0 != ":" && $0 != ";" && $0 != "." }
        let isWord = part.dropFirst().first.map { $0.isLowercase || $0 == " " } ?? false
        return isWord ? part.prefix(1).lowercased() + part.dropFirst() : String(part)
    }

    /// What is taken, in words. A quantity that may be left out is none then, which 0 is not.
    private func accepted(instead value: Value) -> String {
        let range = "accepted: \(info.range?.text ?? T.optionType.text)"
        return isNothing(value) ? "\(range); for none leave the key out" : range
    }

    /// Whether it says that there is to be none, of an option that has none without its key.
    private func isNothing(_ value: Value) -> Bool {
        guard mayBeNone, case .scalar(let scalar) = value, !scalar.isSecret else { return false }
        let isZero =
            scalar.text.utf8.first == UInt8(ascii: "0") && !scalar.text.utf8.contains { (49...57).contains($0) }
        return isQuantity && isZero || Self.none.contains(scalar.text.lowercased())
    }

    private var isQuantity: Bool { [.duration, .byteCount, .percent].contains(T.optionType) }
    private var mayBeNone: Bool { !info.isRequired && wrappedValue.optionText == nil }

    /// Words by which people say that there is to be none.
    private static var none: [String] {
        ["never", "none", "off", "no", "false", "unlimited", "infinite", "inf", ".inf"]
    }

    /// The fault with a fix that works: of the values that it offers those that are taken here, else what is taken.
    private func checked(_ fault: Fault, for value: Value) -> Fault {
        guard var meant = fault.suggestions else { return fault }
        if fault.code == .missingUnit, case .scalar(let scalar) = value, !scalar.isSecret {
            meant = units(scalar.text, meant)
        }
        let taken = meant.filter { text in
            var faults: [Fault] = []
            guard let read = T.read(.plain(text), at: fault.path, into: &faults) else { return false }
            return info.contains?(read) ?? true
        }
        var fault = fault
        let isRange = taken.isEmpty && (info.range != nil || fault.accepted.isEmpty)
        fault.fix = Fault.fix(taken, isRange ? accepted(instead: value) : fault.accepted)
        if !isRange, taken.isEmpty, isNothing(value) { fault.fix += "; for none leave the key out" }
        return fault
    }

    /// A number without a unit most likely has that of the default. Without one nothing is guessed: 14 may be seconds
    /// or days, and only one of them keeps a recording.
    private func units(_ digits: String, _ meant: [String]) -> [String] {
        guard T.optionType == .duration || T.optionType == .byteCount else { return meant }
        if !info.isRequired, let unit = wrappedValue.optionText.flatMap(QuantityText.init)?.unit {
            return [digits + unit]
        }
        var usual = T.optionType == .duration ? ["s", "m", "h", "d"] : ["MiB", "GiB"]
        if T.optionType == .duration, let number = Double(digits), number >= 100 { usual.insert("ms", at: 0) }
        return usual.map { digits + $0 }
    }

    /// `0.65` for a 65 that a range of 0…1 does not hold.
    private func share(of read: T, _ value: Value) -> String? {
        guard info.range?.minimum == 0, info.range?.maximum == 1, case .scalar(let scalar) = value, !scalar.isSecret,
            let number = Double(scalar.text), number > 1, number <= 100
        else { return nil }
        return (number / 100).optionText
    }
}

/// The construction of a node or a group that is under way on this thread: counts its options and hands them values.
final class OptionConstruction: @unchecked Sendable {
    // Used by one thread during one synchronous call of `run`; a task-local only carries it down the stack.
    @TaskLocal static var current: OptionConstruction?

    private var count = 0
    private let values: [Int: any Sendable]

    init(values: [Int: any Sendable] = [:]) { self.values = values }

    func nextNumber() -> Int {
        defer { count += 1 }
        return count
    }

    func value(_ number: Int) -> (any Sendable)? { values[number] }

    func run<T>(_ make: () -> T) -> T { Self.$current.withValue(self) { make() } }
}
