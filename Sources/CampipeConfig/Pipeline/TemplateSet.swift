internal import CampipeKit

/// The templates of a file, and their copies for cameras.
struct TemplateSet {
    private struct Template {
        var mark: Mark
        var parameters: [String]
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
            guard findings.checkName(entry.key, entry.keyMark, what: "template"),
                let keys = findings.entries(
                    of: entry.value, what: "a map of \(KnownKeys.template.joined(separator: ", "))")
            else { continue }
            for key in keys where !KnownKeys.template.contains(key.key) {
                findings.report(
                    .unknownKey, key.keyMark, "unknown key \"\(key.key.prefix(80))\" in a template",
                    fix: findings.nearest(key.key, in: KnownKeys.template))
            }
            names.append(entry.key)
            templates[entry.key] = Template(
                mark: entry.keyMark, parameters: Self.parameters(entry.value["params"], &findings), body: entry.value)
        }
    }

    private static func parameters(_ value: LocatedValue?, _ findings: inout Findings) -> [String] {
        guard let value, !value.isNull else { return [] }
        guard case .list(let elements) = value.content else {
            findings.report(
                .wrongKind, value.mark, "found \(value.value.kindText), expected a list of names",
                fix: "write params: [url]")
            return []
        }
        var names: [String] = []
        for element in elements {
            guard let name = element.text else {
                findings.report(.wrongKind, element.mark, "found \(element.value.kindText), expected a name")
                continue
            }
            guard findings.checkName(name, element.mark, what: "parameter") else { continue }
            if ["camera", "use"].contains(name) {
                findings.report(
                    .invalidName, element.mark, "\"\(name)\" cannot be a parameter: it has a meaning of its own",
                    fix: name == "camera" ? "delete it; {camera} is always known" : "give it another name")
            } else if names.contains(name) {
                findings.report(
                    .duplicateKey, element.mark, "the parameter \"\(name)\" stands twice", fix: "delete one")
            } else {
                names.append(name)
            }
        }
        return names
    }

    /// The copy that a line of `cameras` asks for; nil when that line is faulty.
    func copy(
        for entry: LocatedValue.Entry, _ substitution: inout Substitution, _ findings: inout Findings
    ) -> Copy? {
        guard findings.checkName(entry.key, entry.keyMark, what: "camera"),
            let keys = findings.entries(
                of: entry.value, what: "a map with \"use\"", fix: "write \(entry.key): {use: TEMPLATE}")
        else { return nil }
        guard let use = entry.value["use"] else {
            findings.report(
                .missingKey, entry.keyMark, "\"use\" is missing: the template of the camera",
                fix: names.isEmpty ? "declare one under \"templates\"" : "known: \(names.joined(separator: ", "))")
            return nil
        }
        guard let name = use.text, let template = templates[name] else {
            findings.report(
                .unknownTemplate, use.mark, "there is no template \(use.value.kindText)",
                fix: findings.nearest(use.text ?? "", in: names) ?? "declare it under \"templates\"")
            return nil
        }
        var parameters: [String: LocatedValue] = [:]
        for key in keys where key.key != "use" {
            if template.parameters.contains(key.key) {
                parameters[key.key] = key.value
            } else {
                findings.report(
                    .unknownParameter, key.keyMark,
                    "the template \"\(name)\" has no parameter \"\(key.key.prefix(80))\"",
                    fix: findings.nearest(key.key, in: template.parameters + ["use"])
                        ?? "add it to params of the template, or delete it",
                    related: [Diagnostic.Related(template.mark, "the template is here")])
            }
        }
        let missing = template.parameters.filter { parameters[$0] == nil }
        guard missing.isEmpty else {
            findings.report(
                .missingKey, entry.keyMark,
                "the camera \"\(entry.key)\" lacks \(missing.map { "\"\($0)\"" }.joined(separator: ", "))",
                fix: "add \(missing.map { "\($0): ..." }.joined(separator: ", "))",
                related: [Diagnostic.Related(template.mark, "the template asks for it here")])
            return nil
        }
        parameters["camera"] = LocatedValue(.scalar(Value.Scalar(entry.key, isQuoted: true)), entry.keyMark)
        var body = template.body
        if case .map(let entries) = body.content {
            body.content = .map(entries.filter { KnownKeys.sections.contains($0.key) })
        }
        let known = ["camera"] + template.parameters
        return Copy(
            template: name, use: CameraUse(name: entry.key, mark: entry.keyMark, parameters: known),
            value: substitution.applied(to: body, parameters: parameters))
    }

    func warnUnused(except used: Set<String>, findings: inout Findings) {
        for name in names where !used.contains(name) {
            findings.report(
                .unusedNode, templates[name]?.mark, "no camera uses the template \"\(name)\"",
                fix: "add a line under \"cameras\": NAME: {use: \(name)}", severity: .warning)
        }
    }
}
