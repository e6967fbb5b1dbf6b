/// What may not be shown of a text, told by its shape: the user-info of a URL and the secrets in its query.
///
/// The one place that knows how secrets look where nobody declared them. Who shows a URL or a line of a file asks it.
package enum SecretText {
    /// What stands in place of a secret.
    package static let stars = "***"

    private static let words = [
        "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "api_key", "apikey",
    ]
    /// As cameras call them in queries, where words are shorter.
    private static let fields: Set<String> = [
        "pass", "psw", "pw", "pas", "loginpas", "auth", "key", "sig", "signature",
    ]

    /// Whether a key's name says that its value is secret.
    package static func isSecretName(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return words.contains { name.contains($0) }
    }

    /// Whether the name of a field of a query says so: `pwd`, `loginpas`, `access_token`.
    package static func isSecretField(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return fields.contains(name) || isSecretName(name) || name.hasSuffix("pass") || name.hasSuffix("_key")
    }

    /// Where secrets stand in a text, in characters, in order of their kind: what is to be hidden.
    package static func ranges(in text: [Unicode.Scalar]) -> [Range<Int>] {
        userInfo(in: text) + queryValues(in: text)
    }

    /// The text with its secrets replaced.
    package static func hidden(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }) else { return text }
        let characters = Array(text.unicodeScalars)
        var isHidden = [Bool](repeating: false, count: characters.count)
        let ranges = ranges(in: characters)
        if ranges.isEmpty { return text }
        for range in ranges { for index in range { isHidden[index] = true } }
        var result = String.UnicodeScalarView()
        for (index, character) in characters.enumerated() {
            if !isHidden[index] {
                result.append(character)
            } else if index == 0 || !isHidden[index - 1] {
                result.append(contentsOf: stars.unicodeScalars)
            }
        }
        return String(result)
    }

    /// The passwords in a text: of user-info what stands behind its colon, and the values of secret fields.
    package static func secrets(in text: String) -> [String] {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }) else { return [] }
        let characters = Array(text.unicodeScalars)
        let passwords = userInfo(in: characters).compactMap { range in
            characters[range].firstIndex(of: ":").map { ($0 + 1)..<range.upperBound }
        }
        return (passwords + queryValues(in: characters)).map { String(String.UnicodeScalarView(characters[$0])) }
    }

    /// `scheme://user:password@host`: everything between `//` and the last `@` before the text or the URL ends.
    ///
    /// A password may hold `/` or `@` unescaped, as people write them; so the last `@` before a blank or a quote
    /// counts.
    private static func userInfo(in text: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 2
        while index < text.count {
            guard text[index - 2] == ":", text[index - 1] == "/", text[index] == "/" else {
                index += 1
                continue
            }
            let start = index + 1
            var end = start
            var at: Int?
            while end < text.count, !endsURL(text[end]) {
                if text[end] == "@" { at = end }
                end += 1
            }
            if let at, at > start { found.append(start..<at) }
            index = max(end, index + 1)
        }
        return found
    }

    /// `?pwd=VALUE`, `&token=VALUE`: each value of a secret field, up to the next field or the end of the URL.
    private static func queryValues(in text: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for (index, character) in text.enumerated() where character == "?" || character == "&" || character == ";" {
            var end = index + 1
            while end < text.count, end - index <= 64, isName(text[end]) { end += 1 }
            guard end < text.count, text[end] == "=", end > index + 1 else { continue }
            let name = String(String.UnicodeScalarView(text[(index + 1)..<end]))
            guard isSecretField(name) else { continue }
            let start = end + 1
            var stop = start
            while stop < text.count, !endsURL(text[stop]), text[stop] != "&", text[stop] != "#" { stop += 1 }
            if stop > start { found.append(start..<stop) }
        }
        return found
    }

    private static func isName(_ character: Unicode.Scalar) -> Bool {
        character.isASCII && (character.properties.isAlphabetic || ("0"..."9").contains(character))
            || character == "_" || character == "-" || character == "."
    }

    private static func endsURL(_ character: Unicode.Scalar) -> Bool {
        character.properties.isWhitespace || character == "\"" || character == "'"
    }
}
