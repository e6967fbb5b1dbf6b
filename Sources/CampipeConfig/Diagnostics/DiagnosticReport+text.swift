internal import CampipeKit

extension DiagnosticReport {
    /// The report for people: place, sentence, source line, caret, fix.
    ///
    ///     home.yaml:12:5: error: unknown key "inptu" [CAM0020]
    ///       12 |     inptu: front
    ///          |     ^~~~~
    ///       fix: did you mean "input"?
    ///
    /// - Parameter colour: Whether to use ANSI colours; only for a terminal.
    package func text(colour: Bool = false) -> String {
        let paint = Paint(isOn: colour)
        var result = ""
        for diagnostic in diagnostics.prefix(Self.maximumShown) { append(diagnostic, paint, to: &result) }
        if diagnostics.count > Self.maximumShown {
            result += "and \(diagnostics.count - Self.maximumShown) more\n"
        }
        return result
    }

    /// More characters of a line are not looked at.
    private static let longestLine = 4096

    private func append(_ diagnostic: Diagnostic, _ paint: Paint, to result: inout String) {
        let quoted = redaction.quoted(by: diagnostic)
        let label = diagnostic.severity == .error ? paint.error("error:") : paint.warning("warning:")
        let sentence = redaction.redacted(diagnostic.sentence, about: quoted).printable
        result +=
            paint.bold(place(of: diagnostic.mark)) + " \(label) \(paint.bold(sentence)) [\(diagnostic.code.text)]\n"
        if let mark = diagnostic.mark { result += excerpt(mark, paint) }
        result += "  \(paint.fix("fix:")) \(redaction.redacted(diagnostic.fix, about: quoted).printable)\n"
        for related in diagnostic.related {
            let note = redaction.redacted(related.note).printable
            result += paint.bold(place(of: related.mark)) + " \(paint.note("note:")) \(note)\n"
            result += excerpt(related.mark, paint)
        }
    }

    /// `file:line:column:`; `file:1:1:` when the whole file is meant, `--set path:` for what stands on the command line.
    private func place(of mark: Mark?) -> String {
        let file = sources.first?.shownName ?? "pipeline"
        guard let mark, Int(mark.source) < sources.count else { return "\(file.isEmpty ? "\"\"" : file):1:1:" }
        let source = sources[Int(mark.source)]
        if mark.source > 0 { return "\(source.shownName):" }
        let position = source.position(of: Int(mark.start))
        return "\(source.shownName):\(position.line):\(position.column):"
    }

    private func excerpt(_ mark: Mark, _ paint: Paint) -> String {
        guard Int(mark.source) < sources.count else { return "" }
        let source = sources[Int(mark.source)]
        let line = source.lineIndex(of: Int(mark.start))
        guard line < source.lineCount, !source.lineBytes(line).isEmpty else { return "" }
        let (text, start) = window(around: mark, of: source, line)
        let (characters, columns) = redaction.redacted(line: text, start: start, source: mark.source)
        let first = column(Int(mark.start) - start, columns, characters.count)
        let last = max(first + 1, column(Int(mark.end) - start, columns, characters.count))
        let excerpt = Excerpt(characters, first..<last)
        let number = String(line + 1)
        let gutter = String(repeating: " ", count: max(0, 4 - number.count)) + number
        let blank = String(repeating: " ", count: gutter.count)
        return "\(gutter) | \(excerpt.line)\n\(blank) | \(excerpt.padding)\(paint.caret(excerpt.caret))\n"
    }

    /// A line, and of one that nobody wrote by hand what stands around the mark; with the offset of its first character.
    private func window(around mark: Mark, of source: SourceText, _ line: Int) -> ([Unicode.Scalar], Int) {
        let (text, start) = (source.line(line), source.start(ofLine: line))
        guard text.count > Self.longestLine else { return (text, start) }
        // As much before as a password in a URL may be long.
        let first = max(0, min(Int(mark.start) - start - Self.longestLine / 2, text.count - Self.longestLine))
        return (Array(text[first..<(first + Self.longestLine)]), start + first)
    }

    private func column(_ offset: Int, _ columns: [Int], _ count: Int) -> Int {
        offset < columns.count ? columns[max(0, offset)] : count
    }
}

/// A source line cut to what fits, with the caret below it: tabs stay tabs, wide characters count twice.
struct Excerpt {
    /// The most characters of a line that are shown.
    static let maximumWidth = 120

    let line: String
    let padding: String
    let caret: String

    init(_ characters: [Unicode.Scalar], _ range: Range<Int>) {
        var window = 0..<characters.count
        if characters.count > Self.maximumWidth {
            let start = max(0, min(range.lowerBound - 40, characters.count - Self.maximumWidth))
            window = start..<min(characters.count, start + Self.maximumWidth)
        }
        var line = String.UnicodeScalarView()
        var padding = String.UnicodeScalarView()
        var width = 0
        if window.lowerBound > 0 {
            line.append("…")
            padding.append(" ")
        }
        for index in window {
            let isControl = PrintableText.isControl(characters[index]) && characters[index] != "\t"
            let shown: Unicode.Scalar = isControl ? "\u{FFFD}" : characters[index]
            line.append(shown)
            if index < range.lowerBound {
                if shown == "\t" {
                    padding.append("\t")
                } else {
                    for _ in 0..<DisplayWidth.columns(shown) { padding.append(" ") }
                }
            } else if index < range.upperBound {
                width += shown == "\t" ? 1 : DisplayWidth.columns(shown)
            }
        }
        if window.upperBound < characters.count { line.append("…") }
        self.line = String(line)
        self.padding = String(padding)
        caret = "^" + String(repeating: "~", count: max(0, width - 1))
    }
}

/// ANSI colours, or none.
struct Paint {
    let isOn: Bool

    func error(_ text: String) -> String { code("1;31", text) }
    func warning(_ text: String) -> String { code("1;33", text) }
    func note(_ text: String) -> String { code("1;36", text) }
    func fix(_ text: String) -> String { code("32", text) }
    func caret(_ text: String) -> String { code("1;32", text) }
    func bold(_ text: String) -> String { code("1", text) }

    private func code(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
