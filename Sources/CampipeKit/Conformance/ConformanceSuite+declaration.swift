/// What can be seen without running the node.
extension ConformanceSuite {
    /// Keys that every node has (design, section 3); an option of that name could never be given.
    private static let reservedKeys: Set<String> = [
        "type", "when", "link", "links", "enabled", "on_error", "isolation", "on_demand", "stall_after", "reconnect",
        "privacy", "late_after",
    ]

    func describesItself() -> Outcome {
        var wrong: [String] = []
        if !Self.isSnakeCase(descriptor.name) { wrong.append("the name \"\(descriptor.name)\" is not in snake_case") }
        if !Self.isSentence(descriptor.summary) {
            wrong.append("the summary \"\(descriptor.summary)\" is not one sentence")
        }
        let ports = descriptor.inputs + descriptor.outputs
        for port in ports {
            if !Self.isSnakeCase(port.name) { wrong.append("the port \"\(port.name)\" is not in snake_case") }
            if port.formats.isEmpty || port.formats.contains(where: { $0.kind != port.kind }) {
                wrong.append("the port \"\(port.name)\" carries \(port.kind.plural), its formats say otherwise")
            }
        }
        if Set(descriptor.inputs.map(\.name)).count < descriptor.inputs.count
            || Set(descriptor.outputs.map(\.name)).count < descriptor.outputs.count
        {
            wrong.append("two ports have one name")
        }
        if let main = descriptor.mainInput, main.name != (main.takesMany ? "inputs" : "input") {
            wrong.append("the main input is called \"\(main.name)\", not \"input\"")
        }
        if descriptor.contract == .sink ? descriptor.inputs.isEmpty : descriptor.outputs.isEmpty {
            wrong.append("it has no port")
        }
        let taken = Self.reservedKeys.union(descriptor.inputs.map(\.name))
        for option in descriptor.options where taken.contains(option.key) {
            wrong.append("the option \"\(option.key)\" has the name of a key that every node has, or of a port")
        }
        wrong += Self.undescribed(descriptor.options)
        return wrong.first.map { .failed($0) } ?? .passed
    }

    private static func undescribed(_ options: [OptionSchema]) -> [String] {
        options.flatMap { option in
            var wrong: [String] = []
            if !isSnakeCase(option.key) { wrong.append("the option \"\(option.key)\" is not in snake_case") }
            if !isSentence(option.summary) { wrong.append("the option \"\(option.key)\" has no sentence about it") }
            if case .group(let inner) = option.type { wrong += undescribed(inner) }
            return wrong
        }
    }

    static func isSnakeCase(_ name: String) -> Bool {
        guard let first = name.utf8.first, (97...122).contains(first), name.utf8.last != 95 else { return false }
        return name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }

    /// Begins with a capital or a figure, ends with a full stop, and has none in between that a space follows.
    static func isSentence(_ text: String) -> Bool {
        guard let first = text.first, first.isUppercase || first.isNumber, text.last == ".", text.count > 2 else {
            return false
        }
        var last: Character = " "
        for letter in text {
            if letter.isNewline || (last == "." && letter == " ") { return false }
            last = letter
        }
        return true
    }

    func refusesBadOptions() -> Outcome {
        if !isRefused([], "no_such_option_of_any_node", "1") { return .failed("an unknown key is taken") }
        return taken(descriptor.options, in: []).map { .failed($0) } ?? .passed
    }

    /// Whether a fault speaks of what stands at a key, beneath those of groups.
    private func isRefused(_ groups: [String], _ key: String, _ value: Value) -> Bool {
        let keys = groups + [key]
        var options = options
        // What else the outermost group was given stays.
        var outermost = groups.isEmpty ? nil : options[keys[0]].flatMap(Self.map) ?? [:]
        let inner = keys.dropFirst(2).reversed().reduce(value) { inner, key in
            var map = Value.ValueMap()
            map[key] = inner
            return .map(map)
        }
        outermost?[keys.dropFirst().first ?? key] = inner
        options[keys[0]] = outermost.map(Value.map) ?? value
        return registration.inspect(options).faults.contains { fault in
            fault.severity == .error && fault.path.steps.starts(with: keys.map(FaultPath.Step.key))
        }
    }

    private static func map(_ value: Value) -> Value.ValueMap? { if case .map(let map) = value { map } else { nil } }

    /// What of these options takes a value that it should refuse, in words.
    private func taken(_ options: [OptionSchema], in groups: [String]) -> String? {
        for option in options {
            let name = (groups + [option.key]).joined(separator: ".")
            for wrong in Self.wrongValues(for: option.type) where !isRefused(groups, option.key, wrong) {
                return "\"\(name)\" takes \(wrong.kindText) for \(option.type.text)"
            }
            for bound in [option.minimum.map { $0 - 1 }, option.maximum.map { $0 + 1 }].compactMap(\.self) {
                guard let text = bound.optionText, abs(bound) < 1e15 else { continue }
                if !isRefused(groups, option.key, .plain(text)) {
                    return "\"\(name)\" takes \(text), beyond \(option.range ?? "")"
                }
            }
            guard case .group(let inner) = option.type else { continue }
            if !isRefused(groups + [option.key], "no_such_option_of_any_node", "1") {
                return "an unknown key is taken under \"\(name)\""
            }
            if let wrong = taken(inner, in: groups + [option.key]) { return wrong }
        }
        return nil
    }

    /// Values of another type than asked for.
    private static func wrongValues(for type: OptionType) -> [Value] {
        let map: Value = ["a": "1", "b": "2"]
        let list: Value = ["a", "b"]
        switch type {
        case .text, .secret, .resource: return [map]
        case .bool, .integer, .number, .duration, .byteCount, .percent, .choice: return ["no such value", map]
        case .list(let element): return [map] + wrongValues(for: element).map { .list([$0]) }
        case .map(let element): return [list] + wrongValues(for: element).map { .map(["a": $0]) }
        case .group: return [list]
        case .either(let types):
            let wrong = types.map(wrongValues)
            return wrong.first?.filter { value in wrong.dropFirst().allSatisfy { $0.contains(value) } } ?? []
        }
    }

    func isMadeWithoutEffects() -> Outcome {
        let again = registration.relearnt()
        if again != descriptor.options { return .failed("a second instance declares its options otherwise") }
        if leaksDescriptors({ _ = registration.make(options) }) { return .failed("it opens files") }
        return .passed
    }

    /// Whether each call leaves a file descriptor open. The rest of the process may open and close others meanwhile: only
    /// those count that were not there before a round of calls and are still there when all rounds are over. A round that
    /// leaves none acquits: where others open many just then, the next one decides.
    func leaksDescriptors(_ call: () -> Void) -> Bool {
        let calls = 32
        let rounds = 6
        var left: [Set<OpenDescriptor>] = []
        for _ in 0..<rounds {
            guard let before = openDescriptors() else { return false }
            for _ in 0..<calls { call() }
            guard let after = openDescriptors() else { return false }
            left.append(after.subtracting(before))
            // One or two may have got the number that another file of that name had.
            if left.contains(where: { $0.intersection(after).count < calls - 2 }) { return false }
        }
        return true
    }
}
