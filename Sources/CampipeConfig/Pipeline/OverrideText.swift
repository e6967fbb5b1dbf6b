internal import CampipeKit

/// The value of a `--set`, as the shell handed it over.
///
/// The shell has taken its quotes off already, so that what YAML would misread for want of them is meant as it stands:
/// `#fff000`, `%H%M.mp4`, `{fps} a second`, `Gate: open`. Read as YAML is what cannot be meant as text: a list or a map
/// that is whole in its brackets, a whole text in quotes, `!secret file:PATH`, and maps and lists over several lines.
struct OverrideText {
    private let text: String
    private let characters: [Unicode.Scalar]
    /// Without blanks around it.
    private let range: Range<Int>

    init(_ text: String) {
        self.text = text
        characters = Array(text.unicodeScalars)
        let start = characters.firstIndex { !$0.properties.isWhitespace } ?? 0
        let end = characters.lastIndex { !$0.properties.isWhitespace }.map { $0 + 1 } ?? 0
        range = start..<end
    }

    func read(name: String, source: Int) -> YAMLReading {
        guard mayBeYAML else { return plain(name, source) }
        let reading = YAMLReader.read(Array(text.utf8), name: name, source: source)
        if isWord(reading.root) { return plain(name, source) }
        return Self.placed(reading, source)
    }

    /// Whether what it begins with also ends it.
    private var mayBeYAML: Bool {
        guard let first = characters[range].first else { return false }
        switch first {
        case "[", "{": return closing.map { $0 == range.upperBound - 1 } ?? true
        case "\"", "'": return closing == range.upperBound - 1
        case "!": return String(String.UnicodeScalarView(characters[range])).hasPrefix("!secret")
        default: return characters[range].contains("\n")
        }
    }

    /// Where what the first character opens is closed; nil when it is not.
    private var closing: Int? {
        var depth = 0
        var quote: Unicode.Scalar?
        var index = range.lowerBound
        while index < range.upperBound {
            let character = characters[index]
            if let open = quote {
                if character == "\\", open == "\"" {
                    index += 1
                } else if character == open {
                    // Two single quotes are one in the text.
                    let isDoubled = open == "'" && index + 1 < range.upperBound && characters[index + 1] == "'"
                    if isDoubled { index += 1 } else { quote = nil }
                }
            } else {
                switch character {
                case "\"", "'":
                    let before = index > range.lowerBound ? characters[index - 1] : " "
                    if " ,[{:\n".unicodeScalars.contains(before) { quote = character }
                case "[", "{": depth += 1
                case "]", "}": depth -= 1
                default: break
                }
            }
            if depth == 0, quote == nil { return index }
            index += 1
        }
        return nil
    }

    /// `{fps}`: a map to YAML, of one key without a value, which nobody means; or a text of several lines.
    private func isWord(_ root: LocatedValue?) -> Bool {
        switch root?.content {
        case .map(let entries): entries.count == 1 && !characters[range].contains(":")
        case .scalar: characters[range].first.map { !"\"'!".unicodeScalars.contains($0) } ?? true
        case nil: !["[", "{", "!"].contains(characters[range].first)
        default: false
        }
    }

    private func plain(_ name: String, _ source: Int) -> YAMLReading {
        let (text, problem) = TextCheck.check(Array(text.utf8), name: name, source: source, isYAML: false)
        let value = String(String.UnicodeScalarView(characters[range]))
        let mark = Mark(source: source, range.lowerBound, range.upperBound)
        let scalar = Value.Scalar(value, isQuoted: value.isEmpty)
        let reading = YAMLReading(
            text: text, root: LocatedValue(.scalar(scalar), mark), diagnostics: problem.map { [$0] } ?? [])
        return Self.placed(reading, source)
    }

    /// What is found in it stands in it, also where the whole of it is meant, and not in the file.
    private static func placed(_ reading: YAMLReading, _ source: Int) -> YAMLReading {
        var reading = reading
        for index in reading.diagnostics.indices where reading.diagnostics[index].mark == nil {
            reading.diagnostics[index].mark = Mark(source: source, 0, 0)
        }
        return reading
    }
}
