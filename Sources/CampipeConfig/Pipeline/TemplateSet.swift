internal import CampipeKit

/// The templates of a file, and their copies for cameras.
struct TemplateSet {
    private struct Template {
        var mark: Mark
        var parameters: [String]
        var parameterMarks: [Mark]
        /// The three maps of nodes, as written.
        var body: LocatedValue
    }

    /// A template's copy for one camera, with parameters and variables put in.
    struct Copy {
        var template: String
        var use: CameraUse
        var value: LocatedValue
    }

    private var names: [String] = []
    private var templates: [String: Template] = [:]

    init(_ value: LocatedValue?, findings: inout Findings) {
        guard let value, let entries = findings.entries(of: value, what: "a map of names to templates") else { return }
        for entry in entries {
            guard findings.checkName(entry.key, entry.keyMark, what: "template", beside: entries.map(\.key)),
                let keys = findings.entries(
                    of: entry.value, what: "a map of \(KnownKeys.template.joined(separator: ", "))")
            else { continue }
            var given = entry.value["params"]
            for key in keys where !KnownKeys.template.contains(key.key) {
                let foreign = ForeignWord.key(key.key, among: KnownKeys.template)
                findings.report(
                    .unknownKey, key.keyMark, "unknown key \"\(key.key.prefix(80))\" in a template",
                    fix: foreign.map { "did you mean \"\($0)\"?" } ?? findings.nearest(key.key, in: KnownKeys.template))
                if foreign == "params", given == nil { given = key.value }
            }
            names.append(entry.key)
            let parameters = Self.parameters(given, &findings)
            templates[entry.key] = Template(
                mark: entry.keyMark, parameters: parameters.map(\.name), parameterMarks: parameters.map(\.mark),
                body: entry.value)
            Self.warnUnused(parameters, in: entry, &findings)
        }
    }

    /// Warns of parameters that nothing in the template uses; where one may be meant by a name that is none, that is told.
    private static func warnUnused(
        _ parameters: [(name: String, mark: Mark)], in entry: LocatedValue.Entry, _ findings: inout Findings
    ) {
        if parameters.isEmpty || entry.value.contains(anyOf: findings.broken) { return }
        var used: Set<String> = []
        for key in entry.value.entries ?? [] where KnownKeys.sections.contains(key.key) {
            collectNames(in: key.value, into: &used)
        }
        let strange = used.filter { name in !parameters.contains { $0.name == name } }
        for (name, mark) in parameters where !used.contains(name) {
            if strange.contains(where: { Nearest.match($0, in: [name]) != nil }) { continue }
            findings.report(
                .unusedNode, mark, "nothing in the template \"\(entry.key)\" uses the parameter \"\(name)\"",
                fix: "write {\(name)} where it is due, or delete it here and from the cameras", severity: .warning)
        }
    }

    /// All names in braces of a value.
    private static func collectNames(in value: LocatedValue, into names: inout Set<String>) {
        switch value.content {
        case .scalar(let scalar): names.formUnion(Substitution.names(in: scalar.text))
        case .secret(let reference): names.formUnion(Substitution.names(in: reference))
        case .list(let elements): for element in elements { collectNames(in: element, into: &names) }
        case .map(let entries): for entry in entries { collectNames(in: entry.value, into: &names) }
        }
    }

    private static func parameters(_ value: LocatedValue?, _ findings: inout Findings) -> [(name: String, mark: Mark)] {
        guard let value, !value.isNull else { return [] }
        guard case .list(let elements) = value.content else {
            let entries = value.entries ?? []
            let names = entries.map(\.key).filter(NameCheck.isName)
            findings.report(
                .wrongKind, value.mark, "found \(value.value.kindText), expected a list of names",
                fix: "write params: [\(names.isEmpty ? "url" : names.prefix(8).joined(separator: ", "))]")
            return entries.filter { names.contains($0.key) }.map { ($0.key, $0.keyMark) }
        }
        var parameters: [(name: String, mark: Mark)] = []
        for element in elements {
            guard let name = element.text else {
                findings.report(
                    .wrongKind, element.mark, "found \(element.value.kindText), expected a name",
                    fix: "write names alone: params: [url]")
                continue
            }
            guard findings.checkName(name, element.mark, what: "parameter") else { continue }
            if ["camera", "use"].contains(name) {
                findings.report(
                    .invalidName, element.mark, "\"\(name)\" cannot be a parameter: it has a meaning of its own",
                    fix: name == "camera" ? "delete it; {camera} is always known" : "give it another name")
            } else if parameters.contains(where: { $0.name == name }) {
                findings.report(
                    .duplicateKey, element.mark, "the parameter \"\(name)\" stands twice", fix: "delete one")
            } else {
                parameters.append((name, element.mark))
            }
        }
        return parameters
    }

    /// The copy that a line of `cameras` asks for; nil when that line is faulty.
    func copy(
        for entry: LocatedValue.Entry, _ substitution: inout Substitution, _ findings: inout Findings
    ) -> Copy? {
        guard findings.checkName(entry.key, entry.keyMark, what: "camera"),
            let keys = findings.entries(
                of: entry.value, what: "a map with \"use\"",
                fix:
                    "write \(entry.key): {use: \(entry.value.text.flatMap { names.contains($0) ? $0 : nil } ?? "TEMPLATE")}"
            )
        else { return nil }
        guard let use = entry.value["use"] else {
            if let key = keys.first(where: { Nearest.match($0.key, in: ["use"]) != nil || isUse($0) }) {
                findings.report(
                    .unknownKey, key.keyMark, "unknown key \"\(key.key.prefix(80))\" of a camera",
                    fix: "did you mean \"use\"?")
                return nil
            }
            findings.report(
                .missingKey, entry.keyMark, "\"use\" is missing: the template of the camera",
                fix: names.isEmpty
                    ? "a single camera stands under \"sources\": \(entry.key): {type: camera, url: ...}; "
                        + "here stand copies of a template, which \"templates\" declares"
                    : "known: \(names.joined(separator: ", "))")
            return nil
        }
        guard let name = use.text, let template = templates[name] else {
            findings.report(
                .unknownTemplate, use.mark, "there is no template \(use.value.kindText)",
                fix: names.isEmpty ? "declare it under \"templates\"" : findings.nearest(use.text ?? "", in: names))
            return nil
        }
        var parameters: [String: LocatedValue] = [:]
        var misspelt: Set<String> = []
        var isOff = false
        for key in keys where key.key != "use" {
            if template.parameters.contains(key.key) {
                parameters[key.key] = key.value
            } else if key.key == "enabled" {
                let path = FaultPath([.key("cameras"), .key(entry.key), .key(key.key)])
                isOff = Bool.read(key.value.value, at: path, into: &findings.faults) == false
            } else {
                if let meant = Nearest.match(key.key, in: template.parameters) { misspelt.insert(meant) }
                findings.report(
                    .unknownParameter, key.keyMark,
                    "the template \"\(name)\" has no parameter \"\(key.key.prefix(80))\"",
                    fix: findings.nearest(
                        key.key, in: template.parameters + ["use", "enabled"],
                        or: "else add it to params of the template"),
                    related: [Diagnostic.Related(template.mark, "the template is here")])
            }
        }
        let missing = template.parameters.filter { parameters[$0] == nil }
        guard missing.isEmpty else {
            // Who misspelt a parameter did give it.
            let missing = missing.filter { !misspelt.contains($0) }
            if missing.isEmpty { return nil }
            findings.report(
                .missingKey, entry.keyMark,
                "the camera \"\(entry.key)\" lacks \(WordList.and(missing.map { "\"\($0)\"" }))",
                fix: "add \(missing.map { "\($0): ..." }.joined(separator: ", "))",
                related: [Diagnostic.Related(template.mark, "the template asks for it here")])
            return nil
        }
        return made(
            name, template, parameters,
            for: CameraUse(
                name: entry.key, mark: entry.keyMark, value: entry.value.mark,
                parameters: ["camera"] + template.parameters), isOff: isOff,
            &substitution)
    }

    /// Whether a key says the template by a word of other tools.
    private func isUse(_ entry: LocatedValue.Entry) -> Bool {
        ForeignWord.key(entry.key, among: ["use"]) != nil && entry.value.text.map(names.contains) == true
    }

    private func made(
        _ name: String, _ template: Template, _ given: [String: LocatedValue], for use: CameraUse,
        isOff: Bool = false, _ substitution: inout Substitution
    ) -> Copy {
        var parameters = given
        parameters["camera"] = LocatedValue(.scalar(Value.Scalar(use.name, isQuoted: true)), use.mark)
        var body = template.body
        if case .map(let entries) = body.content {
            body.content = .map(entries.filter { KnownKeys.sections.contains($0.key) })
        }
        var value = substitution.applied(to: body, parameters: parameters, isOff: isOff)
        if isOff { Self.switchOff(&value, depth: 2, at: use.mark) }
        return Copy(template: name, use: use, value: value)
    }

    /// Puts `enabled: false` into every node of the three maps.
    private static func switchOff(_ value: inout LocatedValue, depth: Int, at mark: Mark) {
        guard case .map(var entries) = value.content else { return }
        if depth > 0 {
            for index in entries.indices { switchOff(&entries[index].value, depth: depth - 1, at: mark) }
        } else {
            entries.removeAll { $0.key == "enabled" }
            let off = LocatedValue(.scalar(Value.Scalar("false", isQuoted: false)), mark)
            entries.append(LocatedValue.Entry(key: "enabled", keyMark: mark, value: off))
        }
        value.content = .map(entries)
    }

    /// Copies of the templates that no camera uses, for a look at what stands in them; the parameters' values are
    /// unknown.
    /// - Parameter cameras: The names of the cameras, which no copy takes.
    func samples(except used: Set<String>, cameras: [String], _ substitution: inout Substitution) -> [Copy] {
        names.compactMap { name in
            guard !used.contains(name), let template = templates[name] else { return nil }
            var parameters: [String: LocatedValue] = [:]
            for (parameter, mark) in zip(template.parameters, template.parameterMarks) {
                parameters[parameter] = LocatedValue(.scalar(Value.Scalar("", isQuoted: true)), mark)
                substitution.forget(mark)
            }
            return made(
                name, template, parameters,
                for: CameraUse(
                    name: cameras.contains(name) ? name + "~" : name, mark: template.mark,
                    value: Mark(source: Int(template.mark.source), 0, 0),
                    parameters: ["camera"] + template.parameters),
                &substitution)
        }
    }

    func warnUnused(except used: Set<String>, findings: inout Findings) {
        for name in names where !used.contains(name) {
            findings.report(
                .unusedNode, templates[name]?.mark, "no camera uses the template \"\(name)\"",
                fix: "add a line under \"cameras\": NAME: {use: \(name)}", severity: .warning)
        }
    }
}
