internal import CampipeKit

/// `type:camera`: to YAML one word, since a key ends with a colon and a blank. So is `type = camera`.
struct MissingBlank {
    let key: String
    /// What stands behind the colon.
    let rest: String
    /// Whether the colon is missing too.
    private(set) var lacksColon = false

    /// What URLs begin with.
    private static let schemes = ["http", "https", "rtsp", "rtsps", "v4l2", "file", "demo"]

    /// Nil for all that is most likely meant as one word: a URL, an address.
    init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (key, rest) = (text[..<colon], text[text.utf8.index(after: colon)...])
        guard NameCheck.isName(String(key)), key.first.map({ $0.isLetter || $0 == "_" }) == true,
            let first = rest.unicodeScalars.first, !" :\\\t".unicodeScalars.contains(first)
        else { return nil }
        if first == "/" {
            // `path:/front` is meant as a key; a URL and a disk's letter are not.
            guard !rest.hasPrefix("//"), key.utf8.count > 1, !Self.schemes.contains(key.lowercased()) else {
                return nil
            }
        }
        self.key = String(key)
        self.rest = String(rest)
    }

    /// `type = camera`, and of well-known keys `type camera`; nil for all else.
    ///
    /// - Parameter isPiece: Whether it stands in braces, where it may be a piece of a text that a comma cut: then the key
    ///   must be a well-known one.
    init?(withoutColon text: String, isPiece: Bool) {
        let key = text.prefix { NameCheck.isName(String($0)) }
        let rest = text[key.endIndex...].drop { $0 == " " }
        let isKnown = (KnownKeys.node + ["input", "inputs", "path", "url", "use", "text"]).contains(String(key))
        guard key.first.map({ $0.isLetter || $0 == "_" }) == true, isKnown || !isPiece else { return nil }
        if rest.first == "=" {
            self.rest = String(rest.dropFirst().drop { $0 == " " })
        } else {
            guard isKnown, rest.startIndex > key.endIndex, !rest.contains(" ") else { return nil }
            self.rest = String(rest)
        }
        if self.rest.isEmpty { return nil }
        self.key = String(key)
        lacksColon = true
    }

    /// - Parameter mark: Where all of it stands.
    func diagnostic(_ mark: Mark) -> Diagnostic {
        // Behind a key of a password stands one.
        let shown = SecretText.isSecretName(key) || rest.contains("@") ? "..." : String(rest.prefix(60))
        return Diagnostic(
            .syntax, mark, lacksColon ? "a colon is missing behind \"\(key)\"" : "a blank is missing behind the colon",
            fix: "write \(key): \(shown)")
    }
}
