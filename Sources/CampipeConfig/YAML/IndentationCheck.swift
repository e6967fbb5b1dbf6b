internal import CampipeKit

/// Finds tabs before the first thing on a line: libyaml lets them pass inside `{}` and `[]`, and people cannot see
/// them.
struct IndentationCheck {
    private var line = -1
    private var reported = false

    /// Looks at the line where `event` begins, once a line; one report a text is enough.
    mutating func check(_ event: YAMLEvent, in text: SourceText, source: Int, into diagnostics: inout [Diagnostic]) {
        let line = text.lineIndex(of: event.start)
        guard line != self.line, !reported else { return }
        self.line = line
        let start = text.start(ofLine: line)
        var place = start
        for byte in text.lineBytes(line) {
            if place >= event.start { return }
            if byte == UInt8(ascii: "\t") {
                reported = true
                diagnostics.append(.tab(Mark(source: source, place, place + 1)))
                return
            }
            if byte != UInt8(ascii: " ") { return }
            place += 1
        }
    }
}

extension Diagnostic {
    static func tab(_ mark: Mark) -> Diagnostic {
        Diagnostic(.tab, mark, "a tab is used for indentation", fix: "use spaces")
    }
}
