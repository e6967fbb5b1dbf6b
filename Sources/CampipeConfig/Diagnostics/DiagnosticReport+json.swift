internal import CampipeKit

extension DiagnosticReport {
    /// The report for programs, one JSON object: `file`, `ok`, `errors`, `warnings`, `diagnostics`.
    ///
    /// A diagnostic has `severity`, `code`, `sentence`, and where known `file`, `line`, `column`, `end_line`,
    /// `end_column` (from 1, in characters; all 1 when the whole file is meant), `path`, `fix`, `related`. Secrets are redacted as in the text.
    package func json() -> String { object.text(indent: 0) + "\n" }

    /// The reports on several files, one JSON object: `ok`, `errors` and `warnings` of all together, and under `files` the
    /// object of each.
    package static func json(_ reports: [DiagnosticReport]) -> String {
        JSONText.object([
            ("ok", .bool(!reports.contains(where: \.hasErrors))),
            ("errors", .number(Double(reports.reduce(0) { $0 + $1.errorCount }))),
            ("warnings", .number(Double(reports.reduce(0) { $0 + $1.warningCount }))),
            ("files", .array(reports.map(\.object))),
        ]).text(indent: 0) + "\n"
    }

    private var object: JSONText {
        .object([
            ("file", .string(sources.first?.shownName ?? "")),
            ("ok", .bool(!hasErrors)),
            ("errors", .number(Double(errorCount))),
            ("warnings", .number(Double(warningCount))),
            ("diagnostics", .array(diagnostics.prefix(1000).map(json))),
        ])
    }

    private func json(_ diagnostic: Diagnostic) -> JSONText {
        let quoted = redaction.quoted(by: diagnostic)
        var members: [(String, JSONText)] = [
            ("severity", .string(diagnostic.severity == .error ? "error" : "warning")),
            ("code", .string(diagnostic.code.text)),
        ]
        members += place(diagnostic.mark)
        if !diagnostic.path.steps.isEmpty {
            members.append(("path", .string(redaction.redacted(diagnostic.path, about: quoted))))
        }
        members.append(("sentence", .string(redaction.redacted(diagnostic.sentence, about: quoted))))
        members.append(("fix", .string(redaction.redacted(diagnostic.fix, about: quoted))))
        if !diagnostic.related.isEmpty {
            members.append(
                (
                    "related",
                    .array(
                        diagnostic.related.map {
                            .object(place($0.mark) + [("note", .string(redaction.redacted($0.note)))])
                        })
                ))
        }
        return .object(members)
    }

    private func place(_ mark: Mark?) -> [(String, JSONText)] {
        guard let mark, Int(mark.source) < sources.count else {
            return [("file", .string(sources.first?.shownName ?? ""))]
                + ["line", "column", "end_line", "end_column"].map { ($0, .number(1)) }
        }
        let source = sources[Int(mark.source)]
        let (start, end) = (source.position(of: Int(mark.start)), source.position(of: Int(mark.end)))
        return [
            ("file", .string(source.shownName)),
            ("line", .number(Double(start.line))),
            ("column", .number(Double(start.column))),
            ("end_line", .number(Double(end.line))),
            ("end_column", .number(Double(end.column))),
        ]
    }
}
