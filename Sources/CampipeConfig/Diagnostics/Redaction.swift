internal import CampipeKit

/// Keeps secrets out of what is shown: sentences, paths, and the source lines beside them.
///
/// Three things are hidden: text known to be secret (from `!secret`, or of an option marked secret), the user-info of
/// every URL with the secrets of its query (`SecretText`), and what stands behind a key whose name says password, token
/// or secret (`SecretLines`), whatever YAML makes of it.
package struct Redaction: Sendable {
    /// What stands in place of a secret.
    private static let stars = Array(SecretText.stars.unicodeScalars)

    /// More secrets than this are hidden by their places only.
    private static let maximumTexts = 4096

    /// More of a text than this is known again where a sentence has cut it.
    private static let longEnough = 24

    private var texts: Set<[Unicode.Scalar]> = []
    /// The texts by what they begin with.
    private var index: [Unicode.Scalar: [[Unicode.Scalar]]] = [:]
    private var marks: Set<Mark> = []
    /// Texts that are never hidden.
    private var shown: Set<String> = []

    package init() {}

    /// Keeps texts that stand where a secret was to be put in, such as `{password}`; from here on they are not hidden.
    mutating func show(_ placeholders: Set<String>) { shown.formUnion(placeholders) }

    /// Hides this text wherever it would appear; under four characters only its place is hidden.
    mutating func hide(text: String, at places: [Mark]) {
        if shown.contains(text) { return }
        marks.formUnion(places)
        let scalars = Array(text.unicodeScalars)
        guard let first = scalars.first, scalars.count >= 4, scalars.count <= 4096, texts.count < Self.maximumTexts,
            texts.insert(scalars).inserted
        else { return }
        index[first, default: []].append(scalars)
    }

    /// Hides a stretch of the text, and its parts wherever they would appear: of what YAML misreads a sentence may speak
    /// in pieces.
    ///
    /// - Parameter words: Words of the format, which are no secret by themselves.
    mutating func hide(_ region: SecretLines.Region, except words: Set<String>) {
        if let text = region.text, shown.contains(Self.unquoted(text)) { return }
        marks.insert(region.mark)
        guard let text = region.text else { return }
        hide(text: text, at: [])
        var piece = String.UnicodeScalarView()
        // The name of a variable is told where it is not set.
        for scalar in VariableText.emptied(text).unicodeScalars + ["\n"] {
            if scalar.properties.isWhitespace || ",{}[]:#&*!|>\"'=%@`".unicodeScalars.contains(scalar) {
                let word = String(piece)
                if !words.contains(word) { hide(text: word, at: []) }
                piece = String.UnicodeScalarView()
            } else {
                piece.append(scalar)
            }
        }
    }

    private static func unquoted(_ text: String) -> String {
        guard text.utf8.count >= 2, let first = text.first, first == text.last, first == "\"" || first == "'" else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }

    /// Whether a text has something to hide: by itself, or by the place where it stands.
    func hides(_ text: String, at place: Mark) -> Bool { redacted(text) != text || marks.contains(place) }

    /// A sentence without its secrets.
    package func redacted(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var hidden = [Bool](repeating: false, count: scalars.count)
        hideTexts(in: scalars, &hidden)
        hideShapes(in: scalars, &hidden)
        guard hidden.contains(true) else { return text }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: Self.apply(hidden, to: scalars).characters)
        return String(result)
    }

    /// A sentence without its secrets, about what stands at a place: of a place that is hidden it may quote nothing.
    func redacted(_ text: String, about quoted: Set<String>) -> String {
        let text = redacted(text)
        if quoted.isEmpty { return text }
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            index % 2 == 1 && quoted.contains(String(part)) ? SecretText.stars : String(part)
        }.joined(separator: "\"")
    }

    /// What a diagnostic's sentence quotes of a place that is hidden.
    func quoted(by diagnostic: Diagnostic) -> Set<String> {
        guard diagnostic.sentence.utf8.contains(UInt8(ascii: "\"")), let mark = diagnostic.mark, isHidden(mark) else {
            return []
        }
        let parts = redacted(diagnostic.sentence).split(separator: "\"", omittingEmptySubsequences: false)
        return Set(
            parts.enumerated().filter { $0.offset % 2 == 1 && $0.element.contains { $0.isLetter || $0.isNumber } }
                .map { String($0.element) })
    }

    /// A path without its secrets.
    func redacted(_ path: FaultPath, about quoted: Set<String>) -> String {
        FaultPath(
            path.steps.map { step in
                guard case .key(let key) = step else { return step }
                return .key(quoted.contains(key) ? SecretText.stars : redacted(key))
            }
        ).description
    }

    private func isHidden(_ place: Mark) -> Bool {
        marks.contains { $0.source == place.source && $0.start <= place.start && place.start < $0.end }
    }

    /// A source line without its secrets, and where each of its characters went.
    ///
    /// - Parameter start: The offset of the line's first character.
    func redacted(
        line: [Unicode.Scalar], start: Int, source: UInt16
    ) -> (characters: [Unicode.Scalar], columns: [Int]) {
        var hidden = [Bool](repeating: false, count: line.count)
        for mark in marks where mark.source == source {
            let (first, end) = (max(0, Int(mark.start) - start), min(line.count, Int(mark.end) - start))
            if first < end { for index in first..<end { hidden[index] = true } }
        }
        hideTexts(in: line, &hidden)
        hideShapes(in: line, &hidden)
        return Self.apply(hidden, to: line)
    }

    private static func apply(
        _ hidden: [Bool], to line: [Unicode.Scalar]
    ) -> (characters: [Unicode.Scalar], columns: [Int]) {
        var characters: [Unicode.Scalar] = []
        var columns: [Int] = []
        var isInside = false
        for (index, character) in line.enumerated() {
            if hidden[index] {
                if !isInside { characters += stars }
                columns.append(characters.count - stars.count)
            } else {
                columns.append(characters.count)
                characters.append(character)
            }
            isInside = hidden[index]
        }
        return (characters, columns)
    }

    private func hideTexts(in line: [Unicode.Scalar], _ hidden: inout [Bool]) {
        if index.isEmpty { return }
        for start in line.indices {
            for text in index[line[start]] ?? [] {
                var count = 1
                while count < text.count, start + count < line.count, line[start + count] == text[count] { count += 1 }
                guard count == text.count || count >= Self.longEnough else { continue }
                for place in start..<start + count { hidden[place] = true }
            }
        }
    }

    private func hideShapes(in line: [Unicode.Scalar], _ hidden: inout [Bool]) {
        for range in SecretText.ranges(in: line) where !isShown(line[range]) {
            for index in range { hidden[index] = true }
        }
    }

    /// Whether it is nothing but what is never hidden: `{user}:{password}`.
    private func isShown(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        if shown.isEmpty { return false }
        let text = String(String.UnicodeScalarView(text))
        return text.split(separator: ":", omittingEmptySubsequences: false).allSatisfy { shown.contains(String($0)) }
    }
}
