/// The options of a type, learnt from one instance by reflection.
struct LearntOptions {
    let schemas: [OptionSchema]
    private let readers: [String: any AnyOption]

    init<T>(_ make: () -> T) {
        let instance = OptionConstruction().run(make)
        var schemas: [OptionSchema] = []
        var readers: [String: any AnyOption] = [:]
        func learn(_ value: Any) {
            for child in Mirror(reflecting: value).children {
                if child.value is any SharedOptions { learn(child.value) }
                guard let option = child.value as? any AnyOption, let label = child.label else { continue }
                let key = Self.snakeCase(label.hasPrefix("_") ? String(label.dropFirst()) : label)
                schemas.append(option.schema(key: key))
                readers[key] = option
            }
        }
        learn(instance)
        self.schemas = schemas
        self.readers = readers
    }

    /// What reading a map gave.
    struct Reading {
        /// The values by number, for the second construction.
        var values: [Int: any Sendable] = [:]
        /// The options whose value is not known.
        var failed: Set<String> = []
    }

    /// Reads a map of the file, reporting every fault in it.
    ///
    /// - Parameters:
    ///   - siblings: Keys that are accepted beside the options, for did-you-mean; they are not read here.
    ///   - unknown: Options whose value cannot be told.
    func read(
        _ map: Value.ValueMap, at path: FaultPath, siblings: [String] = [], unknown: Set<String> = [],
        into faults: inout [Fault]
    ) -> Reading {
        var reading = Reading(failed: unknown)
        for entry in map.entries {
            guard let option = readers[entry.key] else {
                if siblings.contains(entry.key) { continue }
                faults.append(unknownKey(entry.key, at: path, siblings: siblings))
                if let meant = Nearest.match(entry.key, in: schemas.map(\.key) + siblings), map[key: meant] == nil {
                    reading.failed.insert(meant)
                }
                continue
            }
            if let value = option.read(entry.value, at: path.key(entry.key), into: &faults),
                !unknown.contains(entry.key)
            {
                reading.values[option.optionNumber] = value
            } else {
                reading.failed.insert(entry.key)
            }
        }
        for schema in schemas where schema.isRequired && map[key: schema.key] == nil {
            guard reading.failed.insert(schema.key).inserted else { continue }
            faults.append(
                Fault(
                    .missingKey, at: path, "\"\(schema.key)\" is missing: \(schema.summary)",
                    fix: "add \(schema.key): with \(schema.type.text)", part: .key))
        }
        return reading
    }

    /// Whether a fault that a node's own check found can be believed while some options are not known: it stands at
    /// another option, and does not speak of them.
    func isIndependent(_ fault: Fault, of failed: Set<String>, at path: FaultPath) -> Bool {
        guard fault.path.steps.starts(with: path.steps), fault.path.steps.count > path.steps.count,
            case .key(let key) = fault.path.steps[path.steps.count], readers[key] != nil, !failed.contains(key)
        else { return false }
        let words = (fault.sentence + " " + fault.fix).split { !$0.isLetter && $0 != "_" }
        return !words.contains { failed.contains(String($0)) }
    }

    /// The one option that a value alone can be meant for, in a map that was written as that value.
    func option(for value: Value) -> String? {
        let fitting = schemas.filter { schema in
            var faults: [Fault] = []
            return readers[schema.key]?.read(value, at: .root, into: &faults) != nil
        }
        return fitting.count == 1 ? fitting[0].key : nil
    }

    private func unknownKey(_ key: String, at path: FaultPath, siblings: [String]) -> Fault {
        for schema in schemas {
            if case .group(let inner) = schema.type, inner.contains(where: { $0.key == key }) {
                return Fault(
                    .misplacedKey, at: path.key(key), "\"\(key)\" does not stand here",
                    fix: "it belongs under \"\(schema.key)\"", part: .key)
            }
        }
        return Fault(
            .unknownKey, at: path.key(key), "unknown key \"\(key)\"",
            fix: Nearest.fix(key, in: schemas.map(\.key) + siblings), part: .key)
    }

    static func snakeCase(_ name: String) -> String {
        var result = ""
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            let startsWord =
                letter.isUppercase && index > 0 && (!letters[index - 1].isUppercase || next?.isLowercase == true)
            if startsWord { result.append("_") }
            result.append(letter.lowercased())
        }
        return result
    }
}

extension Value.ValueMap {
    subscript(key key: String) -> Value? { self[key] }
}

/// A map of options inside an option: a struct of `@Option` properties.
///
///     struct Retention: OptionGroup {
///         @Option("Delete what is older.") var maxAge: Duration? = nil
///     }
public protocol OptionGroup: OptionValue {
    init()
    /// Checks what single options cannot: one needs another, two exclude each other.
    func check(at path: FaultPath, into faults: inout [Fault])
}

extension OptionGroup {
    public static var optionType: OptionType { .group(LearntOptions(Self.init).schemas) }
    public static var optionPlaceholder: Self { Self() }
    public var optionText: String? { nil }
    public func check(at path: FaultPath, into faults: inout [Fault]) {}

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Self? {
        let map: Value.ValueMap
        switch value {
        case .map(let given): map = given
        case .scalar(let scalar) where scalar.isNull: map = Value.ValueMap()
        default:
            var fault = Fault.wrongKind(value, expected: optionType, at: path)
            if case .scalar(let scalar) = value, !scalar.isSecret,
                let key = LearntOptions(Self.init).option(for: value)
            {
                fault.fix = "write {\(key): \(scalar.text)}"
            }
            faults.append(fault)
            return nil
        }
        let before = faults.count
        let reading = LearntOptions(Self.init).read(map, at: path, into: &faults)
        guard faults[before...].allSatisfy({ $0.severity == .warning }) else { return nil }
        let group = OptionConstruction(values: reading.values).run(Self.init)
        group.check(at: path, into: &faults)
        return group
    }
}

extension Fault {
    /// A value of the wrong kind, with the reason that most often lies behind it.
    static func wrongKind(_ value: Value, expected: OptionType, at path: FaultPath) -> Fault {
        switch (value, expected) {
        case (.map(let map), .text), (.map(let map), .secret):
            // `{field}` or `${VAR}` without quotes is a map to YAML.
            if expected != .secret, map.entries.count == 1, map.entries[0].value.isNull {
                return Fault(
                    .quoteIt, at: path, "YAML reads {\(map.entries[0].key)} as a map where text is expected",
                    fix: "quote it: \"{\(map.entries[0].key)}\"")
            }
            return Fault(.wrongKind, at: path, "found a map, expected \(expected.text)", fix: "quote it if it is text")
        case (.list(let elements), .text), (.list(let elements), .secret):
            let shown = expected == .text && elements.count == 1 ? elements[0].plainText : nil
            return Fault(
                .wrongKind, at: path, "found a list, expected \(expected.text)",
                fix: shown.map { "write \($0)" } ?? "write one text; quote it if it begins with [")
        case (.scalar(let scalar), .list(let element)) where !scalar.isNull:
            let shown = scalar.isSecret ? "…" : scalar.text
            return Fault(
                .wrongKind, at: path, "found \(value.kindText), expected \(expected.text)",
                fix: "write [\(shown)] for a list of one \(element == .text ? "text" : "element")")
        default:
            return Fault(
                .wrongKind, at: path, "found \(value.kindText), expected \(expected.text)",
                fix: "write \(expected.text)" + (value.isNull ? ", or leave the key out" : ""))
        }
    }
}
