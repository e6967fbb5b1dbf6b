internal import CampipeKit

/// Keeps secrets out of what is shown: sentences, and the source lines beside them.
///
/// Three things are hidden: text known to be secret (from `!secret`, or of an option marked secret), the user-info of
/// every URL with the secrets of its query (`SecretText`), and what stands behind a key whose name says password, token
/// or secret. The last also works in a text that is not YAML, where nothing is known but its lines.
package struct Redaction: Sendable {
    /// What stands in place of a secret.
    private static let stars = Array(SecretText.stars.unicodeScalars)

    /// More secrets than this are hidden by their places only.
    private static let maximumTexts = 4096

    private var texts: Set<[Unicode.Scalar]> = []
    private var marks: Set<Mark> = []
    /// Whether the text was read as YAML, so that secrets are known by their marks.
    var isStructureKnown = false

    package init() {}

    /// Hides this text wherever it would appear; under four characters only its place is hidden.
    mutating func hide(text: String, at places: [Mark]) {
        marks.formUnion(places)
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= 4, scalars.count <= 4096, texts.count < Self.maximumTexts else { return }
        texts.insert(scalars)
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

    /// A source line without its secrets, and where each of its characters went.
    ///
    /// - Parameter start: The offset of the line's first character.
    func redacted(
        line: [Unicode.Scalar], start: Int, source: UInt16, previous: [Unicode.Scalar]
    ) -> (characters: [Unicode.Scalar], columns: [Int]) {
        var hidden = [Bool](repeating: false, count: line.count)
        for mark in marks where mark.source == source {
            let (first, end) = (max(0, Int(mark.start) - start), min(line.count, Int(mark.end) - start))
            if first < end { for index in first..<end { hidden[index] = true } }
        }
        hideTexts(in: line, &hidden)
        hideShapes(in: line, &hidden)
        if !isStructureKnown { hideBehindSecretKeys(in: line, previous: previous, &hidden) }
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
        for text in texts where text.count <= line.count {
            for start in 0...(line.count - text.count)
            where line[start] == text[0] && line[start..<start + text.count].elementsEqual(text) {
                for index in start..<start + text.count { hidden[index] = true }
            }
        }
    }

    private func hideShapes(in line: [Unicode.Scalar], _ hidden: inout [Bool]) {
        for range in SecretText.ranges(in: line) { for index in range { hidden[index] = true } }
    }

    private func hideBehindSecretKeys(in line: [Unicode.Scalar], previous: [Unicode.Scalar], _ hidden: inout [Bool]) {
        if let colon = secretKeyColon(in: previous),
            previous[(colon + 1)...].allSatisfy({ $0 == " " || $0 == "|" || $0 == ">" })
        {
            for index in line.indices { hidden[index] = true }
        }
        guard let colon = secretKeyColon(in: line) else { return }
        var start = colon + 1
        while start < line.count, line[start] == " " { start += 1 }
        for index in start..<line.count { hidden[index] = true }
    }

    /// The colon behind the first key of a line whose name says that it is secret.
    private func secretKeyColon(in line: [Unicode.Scalar]) -> Int? {
        var word = ""
        for (index, character) in line.enumerated() {
            if character == ":" {
                if SecretText.isSecretName(word) { return index }
                word = ""
            } else if character.properties.isAlphabetic || character == "_" || character == "-" {
                word.unicodeScalars.append(character)
            } else if character != "\"", character != "'", character != " " {
                word = ""
            }
        }
        return nil
    }
}
