internal import CampipeKit

/// Finds names in braces that a template left over: none of its parameters, in an option that reads no fields.
struct LeftOverCheck {
    private let camera: CameraUse
    private let leftOver: [Mark: [String]]
    /// The values that hold some: what is found at them only follows from that.
    private(set) var marks: Set<Mark> = []
    private(set) var diagnostics: [Diagnostic] = []

    /// - Parameters:
    ///   - leftOver: What the substitution put nothing in for.
    ///   - known: The keys of the node that are no options; those that nobody knows are told by themselves.
    init?(_ draft: NodeDraft, _ leftOver: [Mark: [String]], known: [String]) {
        guard let camera = draft.camera, !leftOver.isEmpty else { return nil }
        self.camera = camera
        self.leftOver = leftOver
        let options = draft.registrations.flatMap(\.descriptor.options)
        for entry in draft.value.entries ?? [] {
            let option = options.first { $0.key == entry.key }
            if option != nil || known.contains(entry.key) { look(at: entry.value, option, key: entry.key) }
        }
    }

    private mutating func look(at value: LocatedValue, _ option: OptionSchema?, key: String) {
        if option?.hasFields == true { return }
        switch value.content {
        case .secret: return
        case .list(let elements):
            for element in elements { look(at: element, option, key: key) }
        case .map(let entries):
            var inner: [OptionSchema] = []
            if case .group(let schemas)? = option?.type { inner = schemas }
            for entry in entries { look(at: entry.value, inner.first { $0.key == entry.key }, key: entry.key) }
        case .scalar(let scalar):
            // Of aliases also another template's parameters may be among them.
            let names = (leftOver[value.mark] ?? []).filter { !camera.parameters.contains($0) }
            let isSecret = option?.type.isSecret == true || SecretText.isSecretName(key)
            for name in names where !isSecret || scalar.text == "{\(name)}" { report(name, value.mark) }
        }
    }

    private mutating func report(_ name: String, _ mark: Mark) {
        marks.insert(mark)
        let fix =
            Nearest.match(Substitution.trimmed(name), in: camera.parameters).map { "did you mean {\($0)}?" }
            ?? "known: \(camera.parameters.map { "{\($0)}" }.joined(separator: ", "))"
        diagnostics.append(
            Diagnostic(
                .unknownField, mark, "{\(name)} is no parameter of the template", fix: fix,
                related: [Diagnostic.Related(camera.mark, "for the camera \"\(camera.name)\"")]))
    }
}
