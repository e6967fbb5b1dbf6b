package import CampipeKit

/// All that was found in a pipeline file, ready to be shown.
package struct DiagnosticReport: Sendable {
    /// The most diagnostics that are shown; the rest is a count.
    package static let maximumShown = 100

    /// In the order of the file; the same finding in several copies of one template stands once.
    package let diagnostics: [Diagnostic]
    let sources: [SourceText]
    let redaction: Redaction

    package init(_ diagnostics: [Diagnostic], sources: [SourceText], redaction: Redaction) {
        self.sources = sources
        self.redaction = redaction
        self.diagnostics = Self.merged(diagnostics)
    }

    package var errorCount: Int { diagnostics.count { $0.severity == .error } }
    package var warningCount: Int { diagnostics.count { $0.severity == .warning } }
    /// The warnings, each as one sentence with its code and fix: for who has no file in which a place could be shown.
    ///
    /// - Parameter code: Of those that are told in another way.
    package func warningLines(except code: FaultCode) -> [String] {
        diagnostics.filter { $0.severity == .warning && $0.code != code }.map { diagnostic in
            redaction.redacted("\(diagnostic.sentence); \(diagnostic.fix)").printable + " [\(diagnostic.code.text)]"
        }
    }
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    private struct Key: Hashable {
        var code: FaultCode
        var mark: Mark?
        var sentence: String
    }

    private static func merged(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        var places: [Key: Int] = [:]
        var copies: [Int: Int] = [:]
        var result: [Diagnostic] = []
        for diagnostic in diagnostics {
            let key = Key(code: diagnostic.code, mark: diagnostic.mark, sentence: diagnostic.sentence)
            if let place = places[key] {
                copies[place, default: 0] += 1
            } else {
                places[key] = result.count
                result.append(diagnostic)
            }
        }
        for (place, count) in copies {
            guard let note = result[place].related.lastIndex(where: { $0.note.hasPrefix("for the camera") }) else {
                continue
            }
            result[place].related[note].note += " and \(count) more"
        }
        let order = result.indices.sorted { left, right in
            let (a, b) = (result[left].mark, result[right].mark)
            guard let a, let b else { return a == nil && b == nil ? left < right : a == nil }
            return (a.source, a.start, left) < (b.source, b.start, right)
        }
        return order.map { result[$0] }
    }
}
