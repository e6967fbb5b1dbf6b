internal import CampipeKit

/// Finds what a node's texts have where something was to be put in, and nothing is: `{ip}` that is no parameter or stands
/// in no template, `$HOST` without braces, `{{ url }}`.
///
/// In a template each is an error. Elsewhere only in the host of a URL, where it can be nothing else.
struct LeftOverCheck {
    private let draft: NodeDraft
    private let sources: [SourceText]
    /// The values that hold errors: what is found at them only follows from that.
    private(set) var marks: Set<Mark> = []
    private(set) var diagnostics: [Diagnostic] = []
    /// Those that what the node says of the value goes before.
    private(set) var warnings: [(path: FaultPath, diagnostic: Diagnostic)] = []
    /// What was found, as written: that is no secret, wherever it stands.
    private(set) var texts: Set<String> = []

    /// - Parameters:
    ///   - known: The keys of the node that are no options; those that nobody knows are told by themselves.
    ///   - sources: The texts that marks speak of.
    init(_ draft: NodeDraft, known: [String], sources: [SourceText]) {
        self.draft = draft
        self.sources = sources
        let options = draft.registrations.flatMap(\.descriptor.options)
        for entry in draft.value.entries ?? [] {
            let option = options.first { $0.key == entry.key }
            if option != nil || known.contains(entry.key) {
                look(at: entry.value, option, draft.path.key(entry.key), key: entry.key)
            }
        }
    }

    private mutating func look(at value: LocatedValue, _ option: OptionSchema?, _ path: FaultPath, key: String) {
        switch value.content {
        case .secret: return
        case .list(let elements):
            // The words of a program are its own, as a shell's are.
            if option?.hasFields == true { return }
            for (index, element) in elements.enumerated() { look(at: element, option, path.index(index), key: key) }
        case .map(let entries):
            if option?.hasFields == true { return }
            var inner: [OptionSchema] = []
            if case .group(let schemas)? = option?.type { inner = schemas }
            for entry in entries {
                look(at: entry.value, inner.first { $0.key == entry.key }, path.key(entry.key), key: entry.key)
            }
        case .scalar(let scalar):
            let isSecret = option?.type.isSecret == true || SecretText.isSecretName(key)
            let text = LeftOverText(scalar.text, isSecret: isSecret)
            for leftOver in value.leftOver where leftOver.kind != .sample || option?.hasFields != true {
                if option?.hasFields == true, leftOver.kind != .variable { continue }
                let isInTemplate = leftOver.isTemplates && camera(of: leftOver) != nil
                guard let isInHost = text.isMeant(leftOver, isInTemplate: isInTemplate) else { continue }
                if leftOver.kind == .doubled || !text.mayBeSecret(leftOver) { texts.insert(leftOver.text) }
                report(leftOver, in: value, isInHost: isInHost, path)
            }
        }
    }

    /// The camera for whose copy of a template it was read; nil where it does not stand in the template.
    private func camera(of leftOver: LeftOver) -> CameraUse? {
        draft.camera.flatMap { $0.gives(leftOver.mark) ? nil : $0 }
    }

    private mutating func report(_ leftOver: LeftOver, in value: LocatedValue, isInHost: Bool, _ path: FaultPath) {
        let camera = camera(of: leftOver)
        let isError = isInHost || camera != nil && leftOver.isTemplates
        var (sentence, fix) = leftOver.kind == .sample ? Self.sample(leftOver) : Self.unbraced(leftOver)
        if leftOver.isTemplates {
            (sentence, fix) =
                camera.map { Self.unknown(leftOver, $0.parameters) }
                ?? Self.outside(leftOver, isGiven: draft.camera != nil)
        }
        var related: [Diagnostic.Related] = []
        if let camera {
            related = [Diagnostic.Related(camera.mark, "for the camera \"\(camera.name)\"")]
        } else if draft.camera != nil, leftOver.mark != value.mark {
            related = [Diagnostic.Related(value.mark, "the template uses it here")]
        }
        let span = 0..<leftOver.text.unicodeScalars.count
        let diagnostic = Diagnostic(
            .unknownField, SpanInText(span, of: leftOver.text)?.mark(in: leftOver.mark, sources) ?? leftOver.mark,
            sentence, fix: fix, severity: isError ? .error : .warning, related: related)
        if isError {
            marks.insert(value.mark)
            diagnostics.append(diagnostic)
        } else {
            warnings.append((path, diagnostic))
        }
    }

    // MARK: - Words

    private static func unbraced(_ leftOver: LeftOver) -> (sentence: String, fix: String) {
        (
            "nothing is put in for \(leftOver.text): the name of a variable stands in braces",
            "write ${\(leftOver.name)}"
        )
    }

    private static func sample(_ leftOver: LeftOver) -> (sentence: String, fix: String) {
        (
            "nothing is put in for \(leftOver.text)",
            "write the value itself, or \(variable(leftOver.name)) for a variable of the environment"
        )
    }

    private static func variable(_ name: String) -> String {
        name.isEmpty ? "${NAME}" : "${\(name.uppercased().replacing("-", with: "_"))}"
    }

    /// In a template.
    private static func unknown(_ leftOver: LeftOver, _ parameters: [String]) -> (sentence: String, fix: String) {
        let known = "known: \(parameters.map { "{\($0)}" }.joined(separator: ", "))"
        let near = leftOver.name.isEmpty ? nil : Nearest.match(leftOver.name, in: parameters)
        if leftOver.kind == .doubled {
            return (
                "\(leftOver.text) is not filled in: a parameter stands in one pair of braces",
                near.map { "write {\($0)}" } ?? known
            )
        }
        return ("\(leftOver.text) is no parameter of the template", near.map { "did you mean {\($0)}?" } ?? known)
    }

    /// - Parameter isGiven: Whether a camera gives it.
    private static func outside(_ leftOver: LeftOver, isGiven: Bool) -> (sentence: String, fix: String) {
        let name = leftOver.name
        let variable = variable(name)
        if isGiven {
            return (
                "nothing is put in for \(leftOver.text): what a camera gives is taken as it stands",
                "write the value itself, or \(variable) for a variable of the environment"
            )
        }
        if name == "camera" {
            return (
                "nothing is put in for \(leftOver.text), which is known under \"templates\" only",
                "write the name itself, or put the node under \"templates\""
            )
        }
        let parameter = name.isEmpty || name == "use" ? "params" : "params: [\(name)]"
        return (
            "nothing is put in for \(leftOver.text), which stands in no template",
            "write the value itself, or \(variable) for a variable of the environment; "
                + "or put the node under \"templates\" with \(parameter)"
        )
    }
}

/// A text that may hold what nothing was put in for, with what of it may be a password.
private struct LeftOverText {
    private let text: String
    private let isSecret: Bool
    private let isURL: Bool
    private let host: String
    private let secrets: [String]

    init(_ text: String, isSecret: Bool) {
        self.text = text
        self.isSecret = isSecret
        var parts = text.split(separator: "://", maxSplits: 1)
        let rest = parts.popLast() ?? ""
        isURL = !parts.isEmpty
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        host = isURL ? String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "") : ""
        secrets = isURL ? SecretText.secrets(in: text) : []
    }

    private func isWhole(_ leftOver: LeftOver) -> Bool { text == leftOver.text || secrets.contains(leftOver.text) }

    /// Whether it may be a password by itself: `{Ab3x}`; of `{password}` and `$CAM_PASS` nobody would think so.
    func mayBeSecret(_ leftOver: LeftOver) -> Bool {
        guard isSecret && !isURL || secrets.contains(where: { $0.contains(leftOver.text) }) else { return false }
        let letters = leftOver.name.utf8.filter { $0 != UInt8(ascii: "_") }
        let isPlain =
            letters.allSatisfy { (97...122).contains($0) } || letters.allSatisfy { (65...90).contains($0) }
        return !isWhole(leftOver) || !isPlain || letters.isEmpty || letters.count > 24
    }

    /// Whether it stands in the host of a URL; nil where it may be meant as it stands, or is a part of a password.
    ///
    /// - Parameter isInTemplate: Whether all braces are to be a template's.
    func isMeant(_ leftOver: LeftOver, isInTemplate: Bool) -> Bool? {
        let isUpper = leftOver.name.utf8.allSatisfy { !(97...122).contains($0) }
        let isShort = leftOver.name.utf8.count < 2
        if host.contains(leftOver.text) { return true }
        if leftOver.kind == .doubled, isURL { return true }
        if leftOver.kind == .sample {
            return isWhole(leftOver) && isURL && !mayBeSecret(leftOver) ? false : nil
        }
        if !isInTemplate, mayBeSecret(leftOver) { return nil }
        let isWhole = isWhole(leftOver)
        let isPart = !isWhole && (isSecret && !isURL || secrets.contains { $0.contains(leftOver.text) })
        if isPart { return nil }
        // `pa$Word` and `/cgi?x=$y` may well be meant.
        if leftOver.kind == .variable, !isUpper || isShort || isSecret && !isWhole { return nil }
        return false
    }
}
