internal import CampipeKit

/// Values whose second colon or whose hash YAML reads as its own.
extension YAMLProblemText {
    /// `type:camera`, which YAML takes for the beginning of a longer key, so that it stumbles over the next line's colon.
    ///
    /// - Returns: Also where the blank belongs.
    func missingBlank(_ problem: YAMLProblem) -> (diagnostic: Diagnostic, place: Int)? {
        guard
            ["mapping values are not allowed in this context", "could not find expected ':'"].contains(problem.problem)
        else { return nil }
        let last = text.lineIndex(of: problem.place)
        var found: (diagnostic: Diagnostic, place: Int)?
        for line in stride(from: last, through: max(0, last - 20), by: -1) {
            let characters = text.line(line)
            let indent = characters.prefix { $0 == " " || $0 == "-" }.count
            let isEmpty = indent == characters.count || characters[indent] == "#"
            let words = String(String.UnicodeScalarView(characters[indent...]))
            let start = text.start(ofLine: line) + indent
            if let slip = MissingBlank(words), line != last || start + slip.key.unicodeScalars.count < problem.place {
                let mark = Mark(source: source, start, start + words.unicodeScalars.count)
                found = (slip.diagnostic(mark), start + slip.key.unicodeScalars.count + 1)
            } else if line != last, !isEmpty {
                break
            }
        }
        return found
    }

    /// A key of more than 1,024 characters, in which libyaml looks for a colon no further.
    func longKey(_ problem: YAMLProblem) -> Diagnostic? {
        let line = text.lineIndex(of: problem.place)
        let first = text.lineIndex(of: problem.contextPlace)
        var key: Range<Int>?
        if problem.problem == "could not find expected ':'" {
            key = self.key(in: text.line(first), from: problem.contextPlace - text.start(ofLine: first))
                .map { ($0.lowerBound + text.start(ofLine: first))..<($0.upperBound + text.start(ofLine: first)) }
        } else {
            let characters = text.line(line)
            let start = text.start(ofLine: line)
            if problem.place - start < characters.count, characters[problem.place - start] == ":" {
                key = self.key(in: characters, before: problem.place - start)
                    .map { ($0.lowerBound + start)..<($0.upperBound + start) }
            }
        }
        guard let key, key.count > Self.longestKey else { return nil }
        return Diagnostic(
            .tooLarge, Mark(source: source, key.lowerBound, key.upperBound),
            "a key has \(key.count) characters, and YAML takes \(Self.longestKey) at most",
            fix: "shorten it: the names of nodes have 64 at most; quote the whole value if the colon is text")
    }

    private static let longestKey = 1024

    /// The key that begins at a column, up to the colon behind it.
    private func key(in characters: [Unicode.Scalar], from start: Int) -> Range<Int>? {
        guard start < characters.count else { return nil }
        let quote = characters[start] == "\"" || characters[start] == "'" ? characters[start] : nil
        var index = start + 1
        if let quote {
            while index < characters.count, characters[index] != quote { index += 1 }
            index += 1
        }
        while index < characters.count {
            let isLast = index + 1 == characters.count
            if characters[index] == ":", isLast || characters[index + 1] == " " { return start..<index }
            index += 1
        }
        return nil
    }

    /// The key that ends before a column.
    private func key(in characters: [Unicode.Scalar], before column: Int) -> Range<Int>? {
        var end = column
        while end > 0, characters[end - 1] == " " { end -= 1 }
        guard end > 0 else { return nil }
        let last = characters[end - 1]
        if last == "\"" || last == "'" {
            return characters[..<(end - 1)].lastIndex(of: last).map { $0..<end }
        }
        var start = end
        while start > 0, !"{[,\"'".unicodeScalars.contains(characters[start - 1]) { start -= 1 }
        while start < end, characters[start] == " " || characters[start] == "-" || characters[start] == "?" {
            start += 1
        }
        return start..<end
    }

    /// A key with a colon of another keyboard, which YAML takes for a letter, on the line at hand or the one before.
    func wideColon(_ problem: YAMLProblem) -> Diagnostic? {
        let last = text.lineIndex(of: problem.place)
        for line in [text.lineIndex(of: problem.contextPlace), last, max(0, last - 1)] {
            let characters = text.line(line)
            guard let colon = characters.firstIndex(of: "\u{FF1A}"),
                !characters[..<colon].contains(where: { ":\"'#".unicodeScalars.contains($0) })
            else { continue }
            return .wideColon(mark(text.start(ofLine: line) + colon))
        }
        return nil
    }

    /// `front` and `type = http` in a line of their own, which YAML reads on into the next, and stumbles over its colon.
    ///
    /// - Returns: Also where the colon belongs, and what stands behind it where its value cannot be told.
    func missingColon(_ problem: YAMLProblem) -> (diagnostic: Diagnostic, place: Int, rest: Range<Int>?)? {
        guard !problem.isInFlow,
            ["mapping values are not allowed in this context", "could not find expected ':'"].contains(problem.problem)
        else { return nil }
        let last = text.lineIndex(of: problem.place)
        let lastIndent = text.line(last).prefix { $0 == " " }.count
        for line in stride(from: last - 1, through: max(0, last - 20), by: -1) {
            let characters = text.line(line)
            let indent = characters.prefix { $0 == " " }.count
            if indent == characters.count || characters[indent] == "#" { continue }
            let extent = ValueExtent(characters, from: indent, isInFlow: false)
            let words = String(String.UnicodeScalarView(characters[extent.start..<extent.end]))
            let (start, end) = (text.start(ofLine: line) + extent.start, text.start(ofLine: line) + extent.end)
            let mark = Mark(source: source, start, end)
            if NameCheck.isName(words), lastIndent > indent {
                return (
                    Diagnostic(.syntax, mark, "a colon is missing behind \"\(words)\"", fix: "write \(words):"), end,
                    nil
                )
            }
            guard let slip = MissingBlank(withoutColon: words, isPiece: false) else { return nil }
            let place = start + slip.key.unicodeScalars.count
            let blanks = characters[(place - text.start(ofLine: line))...].prefix { $0 == " " }.count
            return (slip.diagnostic(mark), place, (place + blanks)..<end)
        }
        return nil
    }

    /// `'it's me'` and `"REC" now`: text behind the quote that closes what began with one.
    func textBehindQuote(
        _ problem: YAMLProblem, _ characters: [Unicode.Scalar], lineStart: Int, _ column: Int
    ) -> Misquoted? {
        guard problem.problem.hasPrefix("did not find expected"), column < characters.count,
            let start = quotedValue(characters, before: column, isInFlow: problem.isInFlow)
        else { return nil }
        let value = ValueExtent(characters, from: start, isInFlow: problem.isInFlow)
        guard value.end > column else { return nil }
        let quote = characters[start]
        var inner = characters[start..<value.end]
        let isClosed = inner.last == quote
        if isClosed { inner = inner.dropFirst().dropLast() }
        let other: Unicode.Scalar = inner.contains("\"") ? "'" : "\""
        var fix = "quote the whole value"
        if !inner.contains(other), !inner.contains("\\"), isShown(value, characters, beside: "'\"") {
            let text = String(String.UnicodeScalarView([other] + inner + [other]))
            fix = isClosed ? "write \(text)" : "quote the whole value: \(text)"
        }
        return Misquoted(
            diagnostic: Diagnostic(
                .quoteIt, mark(lineStart + start, length: value.end - start),
                "the quote that begins here is closed before the value ends", fix: fix),
            value: (lineStart + start)..<(lineStart + value.end))
    }

    /// Where the value with quotes begins that is closed just before a column.
    private func quotedValue(_ characters: [Unicode.Scalar], before column: Int, isInFlow: Bool) -> Int? {
        let head = characters[..<column]
        guard let close = head.lastIndex(where: { $0 != " " }), head[close] == "'" || head[close] == "\"" else {
            return nil
        }
        let quote = head[close]
        for start in head[..<close].indices where head[start] == quote {
            let before = head[..<start].last { $0 != " " }
            let isValue = start > 0 && head[start - 1] == " " && (before == ":" || before == "," || before == "-")
            if isValue || isInFlow && start > 0 && (before == "[" || before == "{") {
                return head[(start + 1)..<close].contains(quote) ? nil : start
            }
        }
        return nil
    }

    /// `path: /front}}`: what follows the bracket that closes a map or a list, which is no text.
    ///
    /// - Returns: Also where a comment would hide it.
    func trailing(_ problem: YAMLProblem) -> (diagnostic: Diagnostic, place: Int)? {
        guard !problem.isInFlow else { return nil }
        let line = text.lineIndex(of: problem.place)
        let (characters, start) = (text.line(line), text.start(ofLine: line))
        let column = min(problem.place - start, characters.count)
        guard column < characters.count, let brace = leadingBrace(characters, before: column) else { return nil }
        let value = ValueExtent(characters, from: column, isInFlow: false)
        let rest = characters[column..<max(column, value.end)]
        let isClosing = rest.allSatisfy { "}] ".unicodeScalars.contains($0) }
        let inner = characters[brace..<column]
        let isMap = characters[brace] == "{" && zip(inner, inner.dropFirst()).contains { $0 == ":" && $1 == " " }
        guard !rest.isEmpty, isMap || isClosing && characters[brace] == "[" else { return nil }
        let opening = characters[brace] == "{" ? "map" : "list"
        return (
            Diagnostic(
                .syntax, Mark(source: source, start + column, start + value.end),
                isClosing
                    ? "the \(opening) is closed already, and this closes nothing"
                    : "text follows the bracket that closes the \(opening)",
                fix: isClosing ? "delete it" : "delete it, or write it as a key and a value inside the brackets"),
            problem.place
        )
    }

    /// `color: #fff` inside braces: a comment to YAML, which hides the rest of the line and the brace that closes.
    func hash(_ problem: YAMLProblem) -> Misquoted? {
        guard problem.context.hasPrefix("while parsing a flow") else { return nil }
        let first = text.lineIndex(of: problem.contextPlace)
        let last = text.lineIndex(of: problem.place)
        for line in first...max(first, min(last, first + 100)) {
            let (characters, start) = (text.line(line), text.start(ofLine: line))
            let from = line == first ? problem.contextPlace - start : 0
            guard let column = hashColumn(characters, from: from) else { continue }
            let value = ValueExtent(characters, from: column, isInFlow: true)
            // A comment closes nothing.
            guard characters[value.end...].contains(where: { "}],".unicodeScalars.contains($0) }) else { continue }
            return misquoted(
                value, characters, lineStart: start, at: mark(start + column),
                "text that begins with # is a comment to YAML")
        }
        return nil
    }

    /// The column of the first hash outside quotes that stands where a value is due, and is followed by a word.
    private func hashColumn(_ characters: [Unicode.Scalar], from start: Int) -> Int? {
        var before: Unicode.Scalar = ","
        var quote: Unicode.Scalar?
        for column in start..<max(start, characters.count) {
            let character = characters[column]
            let isValue = ":,[{".unicodeScalars.contains(before)
            if let open = quote {
                if character == open { quote = nil }
            } else if (character == "\"" || character == "'") && isValue {
                quote = character
            } else if character == "#", column > 0, characters[column - 1] == " " || characters[column - 1] == "[" {
                guard isValue, column + 1 < characters.count, characters[column + 1] != " " else { return nil }
                return column
            }
            if character != " " { before = character }
        }
        return nil
    }

    /// `text: Gate: open`: the value of the first key, where a text of one line may be meant.
    func secondColon(_ problem: YAMLProblem, _ characters: [Unicode.Scalar], _ column: Int) -> ValueExtent? {
        guard column + 1 < characters.count, characters[column] == ":", characters[column + 1] == " ",
            let next = characters[(column + 1)...].first(where: { $0 != " " }),
            !"{[|>&#".unicodeScalars.contains(next)
        else { return nil }
        let value: ValueExtent
        if problem.isInFlow {
            guard problem.context.hasPrefix("while parsing a flow") else { return nil }
            value = ValueExtent(characters, around: column)
            guard characters[..<value.start].last(where: { $0 != " " }) == ":" else { return nil }
        } else {
            guard problem.problem == "mapping values are not allowed in this context",
                let start = blockValue(characters, before: column), !hasDeeperLines(under: problem.place, characters)
            else { return nil }
            value = ValueExtent(characters, from: start, isInFlow: false)
        }
        guard value.start < column, value.end > column, !"\"'{[&*!|>".unicodeScalars.contains(characters[value.start])
        else { return nil }
        return value
    }

    /// Where the value of a line's key begins, in a line that is indented: at the top stand no texts.
    private func blockValue(_ characters: [Unicode.Scalar], before column: Int) -> Int? {
        guard characters.first == " " else { return nil }
        var index = 0
        while index < column, characters[index] == " " || characters[index] == "-" { index += 1 }
        let key = index
        while index < column, characters[index] != ":", characters[index] != " " { index += 1 }
        guard index > key, index + 1 < column, characters[index] == ":", characters[index + 1] == " " else {
            return nil
        }
        index += 1
        while index < column, characters[index] == " " { index += 1 }
        return index
    }

    /// Whether the next line with something in it belongs to this one: then a map was meant.
    private func hasDeeperLines(under place: Int, _ characters: [Unicode.Scalar]) -> Bool {
        let indent = characters.prefix { $0 == " " || $0 == "-" }.count
        var line = text.lineIndex(of: place) + 1
        while line < text.lineCount {
            let characters = text.line(line)
            let inner = characters.prefix { $0 == " " }.count
            if inner < characters.count, characters[inner] != "#" { return inner > indent }
            line += 1
        }
        return false
    }
}

extension Diagnostic {
    static func wideColon(_ mark: Mark) -> Diagnostic {
        Diagnostic(
            .syntax, mark, "U+FF1A, a wide colon, stands here, and no key ends with it in YAML",
            fix: "write the colon of a Latin keyboard, and a blank behind it")
    }
}
