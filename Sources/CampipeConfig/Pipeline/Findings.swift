internal import CampipeKit

/// What checking has found so far: faults by path, and diagnostics that already know their place.
struct Findings {
    var faults: [Fault] = []
    var diagnostics: [Diagnostic] = []
    /// Values that could not be told: what is found at one of them only follows from that.
    var broken: Set<Mark> = []

    mutating func report(
        _ code: FaultCode, at path: FaultPath, _ sentence: String, fix: String? = nil, part: Fault.Part = .value,
        severity: Fault.Severity = .error, related: FaultPath? = nil
    ) {
        faults.append(
            Fault(code, at: path, sentence, fix: fix, part: part, severity: severity, related: related))
    }

    mutating func report(
        _ code: FaultCode, _ mark: Mark?, _ sentence: String, fix: String? = nil, severity: Fault.Severity = .error,
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
    func nearest(_ word: String, in candidates: @autoclosure () -> [String]) -> String? {
        faults.count + diagnostics.count < 500 ? Nearest.fix(word, in: candidates()) : nil
    }

    /// Reports that a map was due; returns the entries when it is one.
    mutating func entries(of value: LocatedValue, what: String, fix: String? = nil) -> [LocatedValue.Entry]? {
        if let entries = value.entries { return entries }
        report(.wrongKind, value.mark, "found \(value.value.kindText), expected \(what)", fix: fix)
        return nil
    }

    /// Whether this is a name for a node, a camera, a template or a parameter; reports when not.
    mutating func checkName(_ name: String, _ mark: Mark, what: String) -> Bool {
        if NameCheck.isName(name) { return true }
        report(
            .invalidName, mark, "\"\(name.prefix(80))\" is no name for a \(what): letters, digits, _ and -, at most 64",
            fix: "write \(NameCheck.suggestion(name))")
        return false
    }
}
