internal import CampipeKit

/// `type:camera`: to YAML one word, since a key ends with a colon and a blank.
struct MissingBlank {
    let key: String
    /// What stands behind the colon.
    let rest: String

    /// Nil for all that is most likely meant as one word: a URL, an address.
    init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (key, rest) = (text[..<colon], text[text.utf8.index(after: colon)...])
        guard NameCheck.isName(String(key)), key.first.map({ $0.isLetter || $0 == "_" }) == true,
            let first = rest.unicodeScalars.first, !" /:\\\t".unicodeScalars.contains(first)
        else { return nil }
        self.key = String(key)
        self.rest = String(rest)
    }

    /// - Parameter mark: Where all of it stands.
    func diagnostic(_ mark: Mark) -> Diagnostic {
        // Behind a key of a password stands one.
        let shown = SecretText.isSecretName(key) || rest.contains("@") ? "..." : String(rest.prefix(60))
        return Diagnostic(.syntax, mark, "a blank is missing behind the colon", fix: "write \(key): \(shown)")
    }
}
