internal import CampipeKit

/// Where secrets stand in a text, told line by line by the names before them: in what is no YAML too, in comments, and
/// where YAML reads something else than was meant.
///
/// Behind a secret's name everything is hidden to the end of the value, or of the line where that end cannot be told; and
/// the lines below that belong to it.
struct SecretLines {
    /// A stretch of one line.
    struct Region {
        let mark: Mark
        /// What stands there; nil for a comment, of which nothing can be in a sentence.
        let text: String?
    }

    private(set) var regions: [Region] = []
    private let text: SourceText
    private let source: Int
    private let names: SecretNames
    /// Whether the text was read as YAML, so that what looks like a map in braces is one.
    private let isYAML: Bool
    /// The offsets of keys whose name says what it does not mean, such as those of nodes.
    private let innocent: Set<UInt32>
    private var known: [String: Bool] = [:]
    private var value: Value?

    /// A value that goes on in the lines below.
    private struct Value {
        let indent: Int
        var quote: Unicode.Scalar?
        var isEmpty: Bool
    }

    static func regions(
        of text: SourceText, source: Int, names: SecretNames, isYAML: Bool, innocent: Set<UInt32> = []
    ) -> [Region] {
        var lines = SecretLines(text: text, source: source, names: names, isYAML: isYAML, innocent: innocent)
        for line in 0..<text.lineCount { lines.read(text.line(line), at: text.start(ofLine: line)) }
        return lines.regions
    }

    private init(text: SourceText, source: Int, names: SecretNames, isYAML: Bool, innocent: Set<UInt32>) {
        self.text = text
        self.source = source
        self.names = names
        self.isYAML = isYAML
        self.innocent = innocent
    }

    private mutating func read(_ line: [Unicode.Scalar], at start: Int) {
        let indent = line.firstIndex { !Self.isBlank($0) } ?? line.count
        if goesOn(line, indent) {
            if indent < line.count { hide(indent..<line.count, of: line, at: start, isComment: false) }
            return
        }
        var index = 0
        var isComment = false
        // Where a key may begin: at the line's beginning, behind a dash or a bracket.
        var isEntry = true
        while index < line.count {
            let character = line[index]
            if Self.isWord(character), character != "-", character != "." {
                var end = index + 1
                while end < line.count, Self.isWord(line[end]) { end += 1 }
                if isSecret(line[index..<end], at: start + index),
                    let from = value(in: line, of: index..<end, isEntry: isEntry && !isComment, isComment: isComment)
                {
                    index = hideValue(of: line, from: from, at: start, isComment: isComment)
                    if index >= line.count { return }
                } else {
                    index = end
                }
                isEntry = false
                continue
            }
            if character == "#", index == 0 || Self.isBlank(line[index - 1]) { isComment = true }
            if "{[,-?".unicodeScalars.contains(character) {
                isEntry = true
            } else if !Self.isBlank(character), character != "\"", character != "'" {
                isEntry = false
            }
            index += 1
        }
    }

    // MARK: - Lines below

    /// Whether a line belongs to the value of a line above.
    private mutating func goesOn(_ line: [Unicode.Scalar], _ indent: Int) -> Bool {
        guard var value else { return false }
        if indent == line.count { return true }
        if let quote = value.quote {
            self.value?.quote = line.contains(quote) ? nil : quote
            if line.contains(quote) || indent > value.indent { return true }
        }
        let isItem = value.isEmpty && indent == value.indent && (line[indent] == "-" || line[indent] == ":")
        if indent > value.indent || isItem { return true }
        value.isEmpty = false
        self.value = nil
        return false
    }

    // MARK: - Names

    private mutating func isSecret(_ word: ArraySlice<Unicode.Scalar>, at place: Int) -> Bool {
        guard word.count <= 256, !innocent.contains(UInt32(clamping: place)) else { return false }
        let name = String(String.UnicodeScalarView(word))
        if let answer = known[name] { return answer }
        let answer = names.contains(name)
        if known.count < 4096 { known[name] = answer }
        return answer
    }

    /// Where the value behind a name begins; nil where there is none, and the word is just a word.
    private func value(in line: [Unicode.Scalar], of name: Range<Int>, isEntry: Bool, isComment: Bool) -> Int? {
        // A field of a URL is told by its shape, and ends where the next begins.
        let before = name.lowerBound > 0 ? line[name.lowerBound - 1] : " "
        if "?&;/=@".unicodeScalars.contains(before) || before == "#" && !isComment { return nil }
        var index = name.upperBound
        if index < line.count, line[index] == "\"" || line[index] == "'" { index += 1 }
        let isQuoted = index > name.upperBound
        while index < line.count, Self.isBlank(line[index]) { index += 1 }
        guard index < line.count else { return nil }
        if Self.isSeparator(line[index]) {
            index += 1
        } else if !isEntry || isQuoted && (before == "\"" || before == "'")
            || "}],#".unicodeScalars.contains(line[index])
        {
            return nil
        }
        while index < line.count, Self.isBlank(line[index]) { index += 1 }
        return index
    }

    // MARK: - Values

    /// Hides a value; returns where reading of the line goes on.
    private mutating func hideValue(
        of line: [Unicode.Scalar], from start: Int, at offset: Int, isComment: Bool
    ) -> Int {
        guard start < line.count else {
            if !isComment { value = Value(indent: indent(of: line), quote: nil, isEmpty: true) }
            return start
        }
        if isComment {
            hide(start..<line.count, of: line, at: offset, isComment: true)
            return line.count
        }
        // The file's name is no secret.
        if isYAML, let end = secretFile(line, from: start) { return end }
        let end = end(of: line, from: start)
        let shown = end.isWhole ? end.place : line.count
        hide(start..<end.place, of: line, at: offset, isComment: false)
        if shown > end.place { hide(end.place..<shown, of: line, at: offset, isComment: true) }
        if !end.isWhole {
            let isHeader = line[start] == "|" || line[start] == ">" || line[start] == "#" || end.place == start
            value = Value(indent: indent(of: line), quote: end.quote, isEmpty: isHeader)
        }
        return shown
    }

    /// The blanks that a line begins with.
    private func indent(of line: [Unicode.Scalar]) -> Int { line.firstIndex { !Self.isBlank($0) } ?? 0 }

    private func secretFile(_ line: [Unicode.Scalar], from start: Int) -> Int? {
        let tag = Array("!secret".unicodeScalars)
        guard line[start...].starts(with: tag) else { return nil }
        var index = start + tag.count
        while index < line.count, Self.isBlank(line[index]) { index += 1 }
        guard line[index...].starts(with: "file:".unicodeScalars) else { return nil }
        while index < line.count, !Self.isBlank(line[index]), !",}]".unicodeScalars.contains(line[index]) { index += 1 }
        return index
    }

    private struct End {
        var place: Int
        /// Whether the value ends there for sure; else all that follows is hidden too.
        var isWhole: Bool
        /// The quote that is not closed.
        var quote: Unicode.Scalar?
    }

    private func end(of line: [Unicode.Scalar], from start: Int) -> End {
        var index = start
        if line[start] == "\"" || line[start] == "'" {
            guard let close = closing(line, from: start) else {
                return End(place: line.count, isWhole: false, quote: line[start])
            }
            index = close + 1
            if isBehindValue(line, index) { return End(place: index, isWhole: true) }
        }
        let isInBraces = isYAML || isOpen(line, before: start)
        var depth = 0
        while index < line.count {
            switch line[index] {
            case "#" where index == start || Self.isBlank(line[index - 1]): return End(place: index, isWhole: false)
            case "{", "[": depth += 1
            case "}", "]":
                if depth == 0, isInBraces, isBehindValue(line, index) { return End(place: index, isWhole: true) }
                depth -= 1
                if depth == 0, isInBraces, isBehindValue(line, index + 1), index + 1 < line.count {
                    return End(place: index + 1, isWhole: true)
                }
            case "," where depth <= 0 && isInBraces && isBehindValue(line, index):
                return End(place: index, isWhole: true)
            default: break
            }
            index += 1
        }
        return End(place: line.count, isWhole: false)
    }

    /// Whether what stands here is the end of the braces around a value, or a comma and the next key.
    private func isBehindValue(_ line: [Unicode.Scalar], _ place: Int) -> Bool {
        var index = place
        while index < line.count, Self.isBlank(line[index]) || line[index] == "}" || line[index] == "]" { index += 1 }
        // What stands behind in the block is the next line.
        guard index < line.count else { return index > place || place == line.count }
        guard line[index] == "," else { return false }
        index += 1
        while index < line.count, Self.isBlank(line[index]) { index += 1 }
        guard index < line.count else { return true }
        let quote = line[index] == "\"" || line[index] == "'" ? line[index] : nil
        if quote != nil { index += 1 }
        let start = index
        while index < line.count, Self.isWord(line[index]) { index += 1 }
        guard index > start else { return false }
        if let quote {
            guard index < line.count, line[index] == quote else { return false }
            index += 1
        }
        guard index < line.count, line[index] == ":" else { return false }
        return index + 1 == line.count || Self.isBlank(line[index + 1]) || quote != nil
    }

    private func closing(_ line: [Unicode.Scalar], from start: Int) -> Int? {
        var index = start + 1
        while index < line.count {
            if line[index] == "\\", line[start] == "\"" {
                index += 1
            } else if line[index] == line[start] {
                guard line[start] == "'", index + 1 < line.count, line[index + 1] == "'" else { return index }
                index += 1
            }
            index += 1
        }
        return nil
    }

    /// Whether a bracket that stands before is still open.
    private func isOpen(_ line: [Unicode.Scalar], before place: Int) -> Bool {
        var depth = 0
        for character in line[..<place] {
            if character == "{" || character == "[" { depth += 1 }
            if character == "}" || character == "]" { depth -= 1 }
        }
        return depth > 0
    }

    private mutating func hide(_ range: Range<Int>, of line: [Unicode.Scalar], at start: Int, isComment: Bool) {
        var range = range
        while !range.isEmpty, Self.isBlank(line[range.upperBound - 1]) {
            range = range.lowerBound..<range.upperBound - 1
        }
        guard !range.isEmpty else { return }
        regions.append(
            Region(
                mark: Mark(source: source, start + range.lowerBound, start + range.upperBound),
                text: isComment ? nil : String(String.UnicodeScalarView(line[range]))))
    }

    // MARK: - Characters

    private static func isBlank(_ character: Unicode.Scalar) -> Bool {
        character == " " || character == "\t" || character == "\u{A0}" || character == "\u{200B}"
    }

    /// `=` for what is no YAML, and a colon of other keyboards.
    private static func isSeparator(_ character: Unicode.Scalar) -> Bool {
        character == ":" || character == "=" || character == "\u{FF1A}"
    }

    private static func isWord(_ character: Unicode.Scalar) -> Bool {
        switch character.value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E: true
        default: character.value > 0xA0 && !isSeparator(character) && !isBlank(character)
        }
    }
}

/// The names of keys that have a secret behind them: by what they say, or since each option of this name is declared so.
struct SecretNames: Sendable {
    private let declared: Set<String>

    init(_ registry: Registry) {
        var (declared, plain): (Set<String>, Set<String>) = ([], [])
        func collect(_ schemas: [OptionSchema]) {
            for schema in schemas {
                switch schema.type {
                case .secret: declared.insert(schema.key)
                case .group(let inner): collect(inner)
                default: plain.insert(schema.key)
                }
            }
        }
        for registration in registry.registrations { collect(registration.descriptor.options) }
        // Such as `url`, in which only a webhook has one.
        self.declared = declared.subtracting(plain)
    }

    func contains(_ name: String) -> Bool { declared.contains(name) || SecretText.isSecretName(name) }

    /// Whether what an override puts at a path is secret.
    func contains(path: String) -> Bool {
        let steps = path.split(separator: ".").map(String.init)
        if SecretText.isSecretName(path) || steps.last.map(declared.contains) == true { return true }
        // Where a user's keys are due a password is often written.
        return steps.count == 3 && steps[0] == "server" && steps[1] == "users"
    }
}
