import CampipeKit

/// What a program is given under `options`: anything that YAML can say, which it gets as JSON.
struct ProgramOptions: OptionValue, Hashable {
    var values: Value.ValueMap

    static var optionType: OptionType { .map(.either([.text, .number, .bool, .list(.text), .map(.text)])) }
    static var optionPlaceholder: ProgramOptions { ProgramOptions(values: Value.ValueMap()) }
    var optionText: String? { values.entries.isEmpty ? "{}" : nil }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> ProgramOptions? {
        guard case .map(let map) = value else {
            faults.append(
                Fault(
                    .wrongKind, at: path, "found \(value.kindText), expected a map of what the program is given",
                    fix: "write {name: value}"))
            return nil
        }
        return ProgramOptions(values: map)
    }

    /// As the hello has them: what was written as a number or as true or false is one there too.
    var json: [String: EventValue] { Self.map(values) }

    private static func map(_ map: Value.ValueMap) -> [String: EventValue] {
        var result: [String: EventValue] = [:]
        for entry in map.entries { result[entry.key] = value(entry.value) }
        return result
    }

    private static func value(_ value: Value) -> EventValue? {
        switch value {
        case .list(let values): return .list(values.compactMap(Self.value))
        case .map(let map): return .map(Self.map(map))
        case .scalar(let scalar):
            if scalar.isQuoted { return .text(scalar.text) }
            if scalar.isNull { return nil }
            switch scalar.text {
            case "true": return true
            case "false": return false
            default: break
            }
            if let integer = Int(scalar.text) { return .integer(integer) }
            if let number = Double(scalar.text), number.isFinite { return .number(number) }
            return .text(scalar.text)
        }
    }
}

/// The variables of a program's environment.
struct ProgramEnvironment: OptionValue, Hashable {
    var variables: [String: String]

    static var optionType: OptionType { .map(.text) }
    static var optionPlaceholder: ProgramEnvironment { ProgramEnvironment(variables: [:]) }
    var optionText: String? { variables.isEmpty ? "{}" : nil }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> ProgramEnvironment? {
        guard case .map(let map) = value else {
            faults.append(
                Fault(
                    .wrongKind, at: path, "found \(value.kindText), expected a map of variables",
                    fix: "write {NAME: value}"))
            return nil
        }
        var variables: [String: String] = [:]
        for entry in map.entries {
            guard !entry.key.isEmpty, !entry.key.utf8.contains(0x3D), !entry.key.utf8.contains(0) else {
                faults.append(
                    Fault(
                        .invalidName, at: path.key(entry.key), "this is no name of a variable",
                        fix: "a name has no \"=\", such as HOME"))
                continue
            }
            guard let text = String.read(entry.value, at: path.key(entry.key), into: &faults) else { continue }
            variables[entry.key] = text
        }
        return variables.count == map.entries.count ? ProgramEnvironment(variables: variables) : nil
    }
}
