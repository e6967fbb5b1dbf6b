package import CampipeKit

/// Something wrong or odd in a pipeline file, at its place in the text.
package struct Diagnostic: Hashable, Sendable {
    /// Another place that belongs to it.
    package struct Related: Hashable, Sendable {
        package var mark: Mark
        /// What is there, as a sentence without a full stop.
        package var note: String

        package init(_ mark: Mark, _ note: String) {
            self.mark = mark
            self.note = note
        }
    }

    package var severity: Fault.Severity
    package var code: FaultCode
    /// Nil when the whole file is meant.
    package var mark: Mark?
    package var sentence: String
    /// What would be accepted, or what to write instead.
    package var fix: String
    package var related: [Related]
    /// The path that the fault was reported by; empty for faults of the text.
    package var path: FaultPath

    package init(
        _ code: FaultCode, _ mark: Mark?, _ sentence: String, fix: String, severity: Fault.Severity = .error,
        related: [Related] = [], path: FaultPath = .root
    ) {
        self.severity = severity
        self.code = code
        self.mark = mark
        self.sentence = sentence
        self.fix = fix
        self.related = related
        self.path = path
    }
}
