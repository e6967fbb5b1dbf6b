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
