import CampipeConfig
import CampipeKit
import CampipeNodes
import Foundation

/// A pipeline file's text, checked against campipe's own types, and the text with a fix written into it.
struct MendedFile {
    let text: String
    let file: PipelineFile

    init(_ text: String) {
        self.text = text
        file = PipelineFile(
            Array(text.utf8), name: "home.yaml", registry: BuiltInNodes.registry,
            surroundings: Surroundings(
                variable: { _ in nil }, secret: { $0 == "x" ? .success("hunter22") : .failure(SecretProblem("none")) }))
    }

    var diagnostics: [Diagnostic] { file.report.diagnostics }
    var report: String { file.report.text() }

    /// The text after doing what a diagnostic's fix says: the value at its place is replaced by what the fix writes.
    func applying(_ diagnostic: Diagnostic) -> String? {
        guard let mark = diagnostic.mark else { return nil }
        let fix = diagnostic.fix
        let scalars = Array(text.unicodeScalars)
        var range = Int(mark.start)..<Int(mark.end)
        var written: Substring
        if let start = fix.range(of: "quote it: ") ?? fix.range(of: "value: ") {
            written = fix[start.upperBound...]
            range = range.lowerBound..<(range.lowerBound + written.unicodeScalars.count - 2)
        } else if let start = fix.range(of: "quotes away: ") {
            written = fix[start.upperBound...]
        } else if let start = fix.range(of: "write ") {
            // Up to what else could be written, or what is said about it.
            written = fix[start.upperBound...]
            for end in [", ", " or ", "; "] {
                written = written.range(of: end).map { written[..<$0.lowerBound] } ?? written
            }
        } else {
            return nil
        }
        if diagnostic.code == .invalidValue, mark.end - mark.start == 1, let url = text.range(of: "\"http") {
            // A blank inside a URL: the fix is of all of it.
            let start = text[..<url.lowerBound].unicodeScalars.count + 1
            guard let end = scalars[start...].firstIndex(of: "\"") else { return nil }
            range = start..<end
        }
        let before = String(String.UnicodeScalarView(scalars[..<range.lowerBound]))
        let after = String(String.UnicodeScalarView(scalars[range.upperBound...]))
        return before + written + after
    }
}
