internal import CampipeKit

/// What checking has found so far: faults by path, and diagnostics that already know their place.
struct Findings {
    var faults: [Fault] = []
    var diagnostics: [Diagnostic] = []
    /// Values that could not be told: what is found at one of them only follows from that.
    var broken: Set<Mark> = []
    /// What nothing was put in for, as it is written: that is told, and is no secret wherever it stands.
    var placeholders: Set<String> = []
    /// The ids of nodes that could not be read: whoever names one is right.
    var unread: Set<String> = []
    /// Names that fixes offer, with what they stand for.
    private var suggested: [String: String] = [:]

    mutating func report(
        _ code: FaultCode, at path: FaultPath, _ sentence: String, fix: String, part: Fault.Part = .value,
        severity: Fault.Severity = .error, related: FaultPath? = nil
    ) {
        faults.append(
            Fault(code, at: path, sentence, fix: fix, part: part, severity: severity, related: related))
    }

    mutating func report(
        _ code: FaultCode, _ mark: Mark?, _ sentence: String, fix: String, severity: Fault.Severity = .error,
        related: [Diagnostic.Related] = []
    ) {
        if severity == .error, let mark, broken.contains(mark) { return }
        diagnostics.append(Diagnostic(code, mark, sentence, fix: fix, severity: severity, related: related))
    }

    var hasErrors: Bool {
        faults.contains { $0.severity == .error } || diagnostics.contains { $0.severity == .error }
    }

    /// Whether there is an error of another code than these.
    func hasErrors(except codes: Set<FaultCode>) -> Bool {
        faults.contains { $0.severity == .error && !codes.contains($0.code) }
            || diagnostics.contains { $0.severity == .error && !codes.contains($0.code) }
    }

    /// The faults that are worth a place in the text: errors first, and no more than anyone will read.
    var worstFaults: ArraySlice<Fault> {
        (faults.filter { $0.severity == .error } + faults.filter { $0.severity == .warning }).prefix(2000)
    }

    /// `Nearest.fix`, while few enough faults were found that anyone would read it.
    func nearest(_ word: String, in candidates: @autoclosure () -> [String]) -> String {
        faults.count + diagnostics.count < 500
            ? Nearest.fix(word, in: candidates()) : "docs/pipeline-file.md and docs/nodes.md say what is known"
    }

    /// The same, and what may be done where none of these was meant.
    func nearest(_ word: String, in candidates: [String], or other: String) -> String {
        let fix = nearest(word, in: candidates)
        return fix.hasSuffix("?") ? fix : "\(fix); \(other)"
    }

    /// Reports that a map was due; returns the entries when it is one.
    mutating func entries(of value: LocatedValue, what: String, fix: String? = nil) -> [LocatedValue.Entry]? {
        if let entries = value.entries { return entries }
        if case .scalar(let scalar) = value.content, !scalar.isQuoted, let slip = MissingBlank(scalar.text) {
            diagnostics.append(slip.diagnostic(value.mark))
            return nil
        }
        report(.wrongKind, value.mark, "found \(value.value.kindText), expected \(what)", fix: fix ?? "write \(what)")
        return nil
    }

    /// Whether this is a name for a node, a camera, a template or a parameter; reports when not, with a name that nothing
    /// else has.
    ///
    /// - Parameter others: The names beside it.
    mutating func checkName(
        _ name: String, _ mark: Mark, what: String, beside others: @autoclosure () -> [String] = []
    ) -> Bool {
        if NameCheck.isName(name) { return true }
        // Of a URL the password would be in the name.
        let base = name.isEmpty || SecretText.hidden(name) != name ? what : NameCheck.suggestion(name)
        var free = base
        let taken = suggested.count < 500 ? Set(others()) : []
        for number in 2..<1000 where taken.contains(free) || (suggested[free].map { $0 != name } ?? false) {
            free = "\(base.prefix(60))_\(number)"
        }
        suggested[free] = name
        report(
            .invalidName, mark, "\"\(name.prefix(80))\" is no name for a \(what): letters, digits, _ and -, at most 64",
            fix: "write \(free)")
        return false
    }
}
