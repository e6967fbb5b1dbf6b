internal import CampipeKit

/// Turns what libyaml stumbled over into a sentence for the person who wrote the file.
///
/// libyaml names the token it missed; people want to know which of the well-known mistakes they made.
struct YAMLProblemText {
    let text: SourceText
    /// The number that marks carry.
    let source: Int

    init(_ text: SourceText, source: Int) {
        self.text = text
        self.source = source
    }

    func diagnostic(of problem: YAMLProblem) -> Diagnostic {
        let (characters, start, column) = location(of: problem)
        if let tab = tabColumn(characters, upTo: column) { return .tab(mark(start + tab)) }
        return wideColon(problem) ?? missingBlank(problem)?.diagnostic ?? missingColon(problem)?.diagnostic
            ?? trailing(problem)?.diagnostic ?? misquoted(problem)?.diagnostic
            ?? unclosed(problem)
            ?? structural(problem, characters: characters, column: column)
            ?? Diagnostic(
                .syntax, mark(problem.place), sentence(problem),
                fix: "quote the value if it is text; else write the line as those of docs/pipeline-file.md are",
                related: problem.context.isEmpty || problem.contextPlace == problem.place
                    ? [] : [Diagnostic.Related(mark(problem.contextPlace), problem.context)])
    }

    func mark(_ place: Int, length: Int = 1) -> Mark { Mark(source: source, place, place + length) }

    private func sentence(_ problem: YAMLProblem) -> String { "this is not YAML: \(problem.problem)" }

    private func tabColumn(_ characters: [Unicode.Scalar], upTo column: Int) -> Int? {
        let leading = characters.prefix { $0 == " " || $0 == "\t" }
        return leading.prefix(column + 1).firstIndex(of: "\t")
    }

    /// A value that is misread for want of quotes.
    struct Misquoted {
        var diagnostic: Diagnostic
        /// What the quotes belong around, in characters.
        var value: Range<Int>
        /// Whether quotes may not be what was meant, so that nothing is to be said of the value.
        var isGuess = false
    }

    /// `@home`, `%H:%M`, `{field} text`, `${VAR}` inside braces, `*`.
    func misquoted(_ problem: YAMLProblem) -> Misquoted? {
        let (characters, start, column) = location(of: problem)
        if tabColumn(characters, upTo: column) != nil { return nil }
        if let hash = hash(problem) { return hash }
        if let value = secondColon(problem, characters, column) {
            var found = misquoted(
                value, characters, lineStart: start, at: mark(problem.place),
                "a second \": \" stands where one value is expected")
            found.diagnostic.code = .syntax
            found.diagnostic.fix =
                "quote the value if the colon is text; else "
                + (problem.isInFlow
                    ? characters[value.start..<column].contains(";")
                        ? "write commas between keys, not ;" : "a comma is missing in front of the second key"
                    : "begin a new line, indented like its siblings")
            found.isGuess = true
            return found
        }
        if let variable = variableColumn(characters, around: column) {
            let value = ValueExtent(characters, around: variable)
            return misquoted(
                value, characters, lineStart: start, at: mark(start + variable, length: 2),
                "${...} inside { } or [ ] is a map to YAML")
        }
        if problem.context.contains("alias") {
            let line = text.lineIndex(of: problem.contextPlace)
            let (characters, start) = (text.line(line), text.start(ofLine: line))
            let value = ValueExtent(characters, from: problem.contextPlace - start, isInFlow: problem.isInFlow)
            return misquoted(
                value, characters, lineStart: start, at: mark(problem.contextPlace),
                "a word that begins with * is an alias to YAML")
        }
        if let brace = leadingBrace(characters, before: column) {
            let opening = String(characters[brace])
            let value = ValueExtent(characters, from: brace, isInFlow: problem.isInFlow)
            return misquoted(
                value, characters, lineStart: start, at: mark(start + brace),
                "a value that begins with \(opening) is a \(opening == "{" ? "map" : "list") to YAML, "
                    + "and more text follows it", what: "the whole value")
        }
        if let value = textBeforeBrace(problem, characters, column) {
            return misquoted(
                value, characters, lineStart: start, at: mark(problem.place),
                "inside { } or [ ] a \(characters[column]) ends the text before it in YAML", what: "the whole value")
        }
        if let behind = textBehindQuote(problem, characters, lineStart: start, column) { return behind }
        guard column < characters.count else { return nil }
        let before = characters[..<column].last { $0 != " " }
        let isStrange =
            ["@", "`", "%"].contains(characters[column])
            || characters[column] == "," && !problem.isInFlow && before == ":"
        let value = ValueExtent(characters, from: column, isInFlow: problem.isInFlow)
        if characters[column] == "-", before == ":",
            problem.problem == "block sequence entries are not allowed in this context"
        {
            var found = misquoted(
                value, characters, lineStart: start, at: mark(problem.place),
                "text may not begin with - and a blank in YAML, where a list begins so")
            let word = String(
                String.UnicodeScalarView(characters[value.start..<value.end].dropFirst().drop { $0 == " " }))
            if NameCheck.isName(word), found.diagnostic.fix.hasPrefix("quote it") {
                found.diagnostic.fix = "write [\(word)] for a list, or quote it if it is text"
                found.isGuess = true
            }
            return found
        }
        guard isStrange else { return nil }
        return misquoted(
            value, characters, lineStart: start, at: mark(problem.place),
            "text may not begin with \(characters[column]) in YAML")
    }

    func misquoted(
        _ value: ValueExtent, _ characters: [Unicode.Scalar], lineStart: Int, at mark: Mark, _ sentence: String,
        what: String = "it"
    ) -> Misquoted {
        let fix =
            shown(value, characters).map { "quote \(what): \"\(LeftOver.singled($0))\"" } ?? "quote the whole value"
        return Misquoted(
            diagnostic: Diagnostic(.quoteIt, mark, sentence, fix: fix),
            value: (lineStart + value.start)..<(lineStart + value.end))
    }

    /// The line that a problem is in, where it begins in the text, and the column.
    private func location(of problem: YAMLProblem) -> (characters: [Unicode.Scalar], start: Int, column: Int) {
        let line = text.lineIndex(of: problem.place)
        let (characters, start) = (text.line(line), text.start(ofLine: line))
        return (characters, start, min(problem.place - start, characters.count))
    }

    /// `at {field}` inside braces: text in front of a brace or a bracket that holds no map.
    private func textBeforeBrace(
        _ problem: YAMLProblem, _ characters: [Unicode.Scalar], _ column: Int
    ) -> ValueExtent? {
        guard problem.isInFlow, column < characters.count, characters[column] == "{" || characters[column] == "[",
            let close = characters[column...].firstIndex(of: characters[column] == "{" ? "}" : "]"),
            !characters[column..<close].contains(":")
        else { return nil }
        let value = ValueExtent(characters, around: column)
        guard value.start < column, characters[value.start] != "\"", characters[value.start] != "'" else { return nil }
        return value
    }

    private func variableColumn(_ characters: [Unicode.Scalar], around column: Int) -> Int? {
        for start in stride(from: min(column, characters.count - 2), through: max(0, column - 2), by: -1)
        where start >= 0 && characters[start] == "$" && characters[start + 1] == "{" {
            return start
        }
        return nil
    }

    /// The value as it stands there, where nothing in it could be a secret or needs care in quotes: a default of a
    /// variable may be one, and what stands before an @.
    private func shown(_ value: ValueExtent, _ characters: [Unicode.Scalar]) -> String? {
        guard isShown(value, characters) else { return nil }
        return String(String.UnicodeScalarView(characters[value.start..<value.end]))
    }

    /// - Parameter others: What it may hold beside letters, digits and a few signs.
    func isShown(_ value: ValueExtent, _ characters: [Unicode.Scalar], beside others: String = "") -> Bool {
        let key = String(
            String.UnicodeScalarView(
                characters[..<value.start].reversed().drop { $0 == " " || $0 == ":" }
                    .prefix { $0 != " " && $0 != "{" && $0 != "," }.reversed()))
        let text = characters[value.start..<value.end]
        guard !SecretText.isSecretName(key), text.count <= 120 else { return false }
        let isPlain = text.enumerated().allSatisfy { index, character in
            character.properties.isAlphabetic || ("0"..."9").contains(character)
                || " {}[]%:-_./$*,`!?=+#".unicodeScalars.contains(character) || (index == 0 && character == "@")
                || others.unicodeScalars.contains(character)
        }
        let string = String(String.UnicodeScalarView(text))
        return isPlain && !string.contains(":-")
    }

    /// The column of a `{` or `[` that begins a value and is closed just before `column`.
    func leadingBrace(_ characters: [Unicode.Scalar], before column: Int) -> Int? {
        guard let close = characters[..<min(column, characters.count)].lastIndex(where: { $0 != " " }),
            characters[close] == "}" || characters[close] == "]"
        else { return nil }
        var depth = 0
        for index in stride(from: close, through: 0, by: -1) {
            switch characters[index] {
            case "}", "]": depth += 1
            case "{", "[": depth -= 1
            default: break
            }
            if depth == 0 {
                let before = characters[..<index]
                guard let last = before.last(where: { $0 != " " }) else { return nil }
                return last == ":" || last == "-" ? index : nil
            }
        }
        return nil
    }

    private func unclosed(_ problem: YAMLProblem) -> Diagnostic? {
        let what: String
        switch (problem.context, problem.problem) {
        case ("while scanning a quoted scalar", "found unexpected end of stream"): what = "quote"
        case ("while scanning a quoted scalar", "found unexpected document indicator"): what = "quote"
        case ("while parsing a flow sequence", _): what = "["
        case ("while parsing a flow mapping", _): what = "{"
        default: return nil
        }
        let at = text.position(of: problem.place)
        return Diagnostic(
            .syntax, mark(problem.contextPlace),
            "the \(what) that begins here is not closed before line \(at.line), column \(at.column)",
            fix: what == "quote"
                ? "close it, and write \\\" for a quote inside" : "close it, or add the comma that is missing",
            related: [Diagnostic.Related(mark(problem.place), "the text stops fitting here")])
    }

    private func structural(_ problem: YAMLProblem, characters: [Unicode.Scalar], column: Int) -> Diagnostic? {
        switch problem.problem {
        case "did not find expected key" where column < characters.count && characters[column] == ":":
            return Diagnostic(
                .wrongKind, mark(problem.place), "a key is missing before the colon",
                fix: "write the key, or quote the value if the colon is text")
        case "did not find expected node content":
            return Diagnostic(
                .syntax, mark(problem.place), "a value is missing here", fix: "write it, or delete the comma before it")
        case "did not find expected <document start>":
            return Diagnostic(
                .syntax, mark(problem.place), "the file has ended before this",
                fix: "delete it, or the ... or the closing bracket that ends the file before it")
        case "mapping values are not allowed in this context":
            return Diagnostic(
                .syntax, mark(problem.place), "a second \": \" stands where one value is expected",
                fix: "quote the value if the colon is text; else begin a new line, indented like its siblings")
        case "could not find expected ':'":
            let first = text.lineIndex(of: problem.contextPlace)
            let hasColon = text.lineBytes(first).contains(UInt8(ascii: ":"))
            return Diagnostic(
                .syntax, mark(problem.contextPlace), "a key without \": \" behind it",
                fix: hasColon ? "write a blank after the colon" : "write it as key: value")
        case "found unknown escape character":
            return Diagnostic(
                .syntax, mark(problem.place), "YAML does not know this \\ sequence",
                fix: "write \\\\ for a backslash, or use single quotes")
        case "did not find expected key", "did not find expected '-' indicator",
            "block sequence entries are not allowed in this context":
            return Diagnostic(
                .syntax, mark(problem.place), "this does not line up with what stands above it",
                fix: "begin the keys of one map, and the dashes of one list, in the same column",
                related: problem.contextPlace == problem.place
                    ? [] : [Diagnostic.Related(mark(problem.contextPlace), "what it would belong to begins here")])
        default: return nil
        }
    }
}
