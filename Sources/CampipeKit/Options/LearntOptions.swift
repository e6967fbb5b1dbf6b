/// The options of a type, learnt from one instance by reflection.
struct LearntOptions {
    let schemas: [OptionSchema]
    private let readers: [String: any AnyOption]

    init<T>(_ make: () -> T) {
        let instance = OptionConstruction().run(make)
        var schemas: [OptionSchema] = []
        var readers: [String: any AnyOption] = [:]
        for child in Mirror(reflecting: instance).children {
            guard let option = child.value as? any AnyOption, let label = child.label else { continue }
            let key = Self.snakeCase(label.hasPrefix("_") ? String(label.dropFirst()) : label)
            schemas.append(option.schema(key: key))
            readers[key] = option
        }
        self.schemas = schemas
        self.readers = readers
    }

    /// Reads a map of the file, reporting every fault in it; the values by number, for the second construction.
    ///
    /// - Parameter siblings: Keys that are accepted beside the options, for did-you-mean; they are not read here.
    func read(
        _ map: Value.ValueMap, at path: FaultPath, siblings: [String] = [], into faults: inout [Fault]
    ) -> [Int: any Sendable] {
        var values: [Int: any Sendable] = [:]
        for entry in map.entries {
            guard let option = readers[entry.key] else {
                if siblings.contains(entry.key) { continue }
                faults.append(unknownKey(entry.key, at: path, siblings: siblings))
                continue
            }
            if let value = option.read(entry.value, at: path.key(entry.key), into: &faults) {
                values[option.optionNumber] = value
            }
        }
        for schema in schemas where schema.isRequired && map[key: schema.key] == nil {
            faults.append(
                Fault(
                    .missingKey, at: path, "\"\(schema.key)\" is missing: \(schema.summary)",
                    fix: "add \(schema.key): with \(schema.type.text)", part: .key))
        }
        return values
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
            faults.append(.wrongKind(value, expected: optionType, at: path))
            return nil
        }
        let before = faults.count
        let values = LearntOptions(Self.init).read(map, at: path, into: &faults)
        guard faults[before...].allSatisfy({ $0.severity == .warning }) else { return nil }
        let group = OptionConstruction(values: values).run(Self.init)
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
        case (.scalar(let scalar), .list(let element)) where !scalar.isNull:
            let shown = scalar.isSecret ? "…" : scalar.text
            return Fault(
                .wrongKind, at: path, "found \(value.kindText), expected \(expected.text)",
                fix: "write [\(shown)] for a list of one \(element == .text ? "text" : "element")")
        default:
            return Fault(.wrongKind, at: path, "found \(value.kindText), expected \(expected.text)")
        }
    }
}
