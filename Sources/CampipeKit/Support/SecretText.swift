/// What may not be shown of a text, told by its shape: the user-info of a URL and the secrets in its query,
/// path or fragment.
///
/// The one place that knows how secrets look where nobody declared them. Who shows a URL or a line of a file asks it.
package enum SecretText {
    /// What stands in place of a secret.
    package static let stars = "***"

    private static let words = [
        "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "api_key", "apikey",
    ]
    /// Those that people misspell; of shorter ones too much else is a misspelling.
    private static let misspeltWords = ["password", "passwords", "passphrase", "password_hash"]
    /// As cameras call them in queries, where words are shorter.
    private static let fields: Set<String> = [
        "pass", "psw", "pw", "pas", "loginpas", "auth", "key", "sig", "signature", "streamid",
    ]

    /// Whether a key's name says that its value is secret, misspelt or not: `password_file`, `sources.cam.pasword`.
    package static func isSecretName(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        if words.contains(where: { name.contains($0) }) { return true }
        let last = name.split(separator: ".").last ?? ""
        return last.utf8.count > 4 && Nearest.match(String(last), in: misspeltWords) != nil
    }

    /// Whether the name of a field of a query says so: `pwd`, `loginpas`, `access_token`.
    package static func isSecretField(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return fields.contains(name) || isSecretName(name) || name.hasSuffix("pass") || name.hasSuffix("_key")
    }

    /// Where secrets stand in a text, in characters, in order of their kind: what is to be hidden.
    package static func ranges(in text: [Unicode.Scalar]) -> [Range<Int>] {
        userInfo(in: text) + fieldValues(in: text) + streamKeys(in: text) + credentials(in: text)
    }

    /// The text of a URL with each value of a secret field replaced, in their order.
    package static func replacingFields(of url: String, with replacement: (_ value: String) -> String) -> String {
        let characters = Array(url.unicodeScalars)
        var result = String.UnicodeScalarView()
        var end = 0
        for range in fieldValues(in: characters) {
            result.append(contentsOf: characters[end..<range.lowerBound])
            result.append(contentsOf: replacement(String(String.UnicodeScalarView(characters[range]))).unicodeScalars)
            end = range.upperBound
        }
        result.append(contentsOf: characters[end...])
        return String(result)
    }

    /// The text with its secrets replaced.
    package static func hidden(_ text: String) -> String {
        guard
            text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }) || text.contains("://")
                || text.contains("earer ") || text.contains("asic ")
        else { return text }
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
        return (passwords + fieldValues(in: characters)).map { String(String.UnicodeScalarView(characters[$0])) }
    }

    /// `scheme://user:password@host`: everything between `//` and the last `@` before the text or the URL ends.
    ///
    /// A password may hold `/` or `@` unescaped, as people write them; so the last `@` before a blank or a quote
    /// counts. Mistyped URLs tell their passwords too: with one slash, without the colon or without a scheme
    /// (`user:password@host`), and with a blank in the password.
    private static func userInfo(in text: [Unicode.Scalar]) -> [Range<Int>] {
        guard text.contains("@") else { return [] }
        var found: [Range<Int>] = []
        var index = 0
        while index < text.count {
            guard !endsURL(text[index]) else {
                index += 1
                continue
            }
            var end = index
            var at: Int?
            while end < text.count, !endsURL(text[end]) {
                if text[end] == "@" { at = end }
                end += 1
            }
            let (start, hasScheme) = authority(of: text, in: index..<end)
            if at == nil, hasScheme, let further = blankInPassword(text, start: start, end: end) {
                found.append(start..<further)
                end = further
            } else if let at, at > start, hasScheme || text[start..<at].contains(":") {
                found.append(start..<at)
            }
            index = end
        }
        return found
    }

    /// Where user-info would begin in a word: behind its slashes, or behind what opens a list, a map or a value.
    private static func authority(of text: [Unicode.Scalar], in word: Range<Int>) -> (start: Int, hasScheme: Bool) {
        var index = word.lowerBound
        while index < word.upperBound {
            guard text[index] == "/", index > word.lowerBound else {
                index += 1
                continue
            }
            var end = index
            while end < word.upperBound, text[end] == "/" { end += 1 }
            // `http://` and `http:/`.
            if text[index - 1] == ":" { return (end, true) }
            // `http//`; other slashes belong to a path or a password.
            let isScheme = text[word.lowerBound..<index].allSatisfy { $0.isASCII && $0.properties.isAlphabetic }
            if isScheme, end - index > 1 { return (end, false) }
            index = end
        }
        let colon = text[word].firstIndex(of: ":") ?? word.lowerBound
        let opening = text[word.lowerBound..<colon].lastIndex { "{[(,=<".unicodeScalars.contains($0) }
        return (opening.map { $0 + 1 } ?? word.lowerBound, false)
    }

    /// The `@` of a URL whose password holds a blank; a port is no password.
    private static func blankInPassword(_ text: [Unicode.Scalar], start: Int, end: Int) -> Int? {
        guard let colon = text[start..<end].firstIndex(of: ":"), !text[start..<colon].contains("/"), colon + 1 < end,
            !text[(colon + 1)..<end].allSatisfy({ ("0"..."9").contains($0) || $0 == "/" || $0 == ":" })
        else { return nil }
        var index = end
        while index < text.count, index - end <= 64, text[index] != "\"", text[index] != "'", text[index] != "\n" {
            if text[index] == "@" { return index }
            index += 1
        }
        return nil
    }

    /// `?pwd=VALUE`, `&token=VALUE`: each value of a secret field, up to the next field or the end of the URL.
    ///
    /// Fields stand in paths too, as video recorders of Xiongmai (XMeye) take them: `/user=admin&password=VALUE` and
    /// `/user=admin_password=VALUE_channel=1_stream=0.sdp`; and in a fragment.
    private static func fieldValues(in text: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for (equals, character) in text.enumerated() where character == "=" {
            var first = equals
            while first > 0, equals - first <= 64, isName(text[first - 1]) { first -= 1 }
            guard equals >= found.last?.upperBound ?? 0, first > 0, first < equals,
                "?&;#/=".unicodeScalars.contains(text[first - 1])
            else { continue }
            // Behind a value that ends at `_` only the last word is the name.
            let isRun = text[first - 1] == "=" || text[first - 1] == "/"
            let underscore = text[first..<equals].lastIndex(of: "_").map { $0 + 1 } ?? first
            let isSecret = [first, isRun ? underscore : first].contains { from in
                isSecretField(String(String.UnicodeScalarView(text[from..<equals])))
            }
            guard isSecret else { continue }
            let start = equals + 1
            var stop = start
            while stop < text.count, !endsURL(text[stop]), text[stop] != "&", text[stop] != "#",
                !(isRun && text[stop] == "_" && beginsField(text, at: stop + 1))
            {
                stop += 1
            }
            // The mark of a sentence that the URL stands in.
            if stop > start, stop == text.count || text[stop].properties.isWhitespace,
                ":,;".unicodeScalars.contains(text[stop - 1])
            {
                stop -= 1
            }
            if stop > start { found.append(start..<stop) }
        }
        return found
    }

    /// `rtmp://host/app/KEY`: the last part of the path of RTMP, by which services know who publishes; also where the
    /// scheme or its slashes are mistyped (`rmtp://`, `rtmp:/`).
    private static func streamKeys(in text: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        while let slash = text[index...].firstIndex(where: { $0 == "/" || $0 == "\\" }) {
            var start = slash
            while start < text.count, text[start] == "/" || text[start] == "\\" { start += 1 }
            index = start
            let colon = slash > 0 && text[slash - 1] == ":"
            guard colon || start - slash > 1, isRTMP(text[..<(colon ? slash - 1 : slash)]) else { continue }
            var end = start
            while end < text.count, !endsURL(text[end]), text[end] != "?", text[end] != "#" { end += 1 }
            index = end
            // The mark of a sentence that the URL stands in.
            if end > start, ":,;".unicodeScalars.contains(text[end - 1]) { end -= 1 }
            if let slash = text[start..<end].lastIndex(where: { $0 == "/" || $0 == "\\" }), slash + 1 < end {
                found.append((slash + 1)..<end)
            }
        }
        return found
    }

    /// The keys in a text that stand behind `Bearer` or `Basic`.
    package static func credentials(in text: String) -> [String] {
        let characters = Array(text.unicodeScalars)
        return credentials(in: characters).map { String(String.UnicodeScalarView(characters[$0])) }
    }

    /// `Bearer KEY` and `Basic KEY`, as a field `Authorization` has them (RFC 7235, section 2.1; RFC 6750, section 2.1).
    ///
    /// Without that field's name it is one when it has a digit or a capital: of words of a sentence few have.
    private static func credentials(in text: [Unicode.Scalar]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for scheme in ["bearer ", "basic "].map({ Array($0.unicodeScalars) }) {
            var index = 0
            while index + scheme.count < text.count {
                defer { index += 1 }
                guard index == 0 || !isName(text[index - 1]),
                    zip(text[index...], scheme).allSatisfy({ $0.value | 0x20 == $1.value | 0x20 })
                else { continue }
                let start = text[(index + scheme.count)...].firstIndex { $0 != " " } ?? text.count
                let end = text[start...].firstIndex { !isName($0) && !"~+/=".unicodeScalars.contains($0) } ?? text.count
                let before = String(String.UnicodeScalarView(text[max(0, index - 16)..<index])).lowercased()
                let isField = before.contains("authorization")
                let isKey = text[start..<end].contains {
                    ("0"..."9").contains($0) || ("A"..."Z").contains($0)
                }
                if end > start, isField || (isKey && end - start >= 6) { found.append(start..<end) }
            }
        }
        return found
    }

    private static let schemes = [
        "rtmp", "rtmps", "rtsp", "rtsps", "http", "https", "rtp", "srt", "file", "ftp", "tcp",
    ]

    /// Whether a text ends with the scheme of RTMP, misspelt or not.
    private static func isRTMP(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let scheme = text.suffix(8).reversed().prefix { $0.isASCII && $0.properties.isAlphabetic }.reversed()
        guard (3...7).contains(scheme.count), scheme.count < 8 else { return false }
        let name = String(String.UnicodeScalarView(scheme)).lowercased()
        if schemes.contains(name) { return name.hasPrefix("rtmp") }
        return name.sorted() == Array("mprt") || Nearest.match(name, in: schemes)?.hasPrefix("rtmp") == true
    }

    /// Whether another field of a recorder's path begins here; anything else may belong to the password.
    private static func beginsField(_ text: [Unicode.Scalar], at place: Int) -> Bool {
        ["channel=", "stream=", "user="].contains { text[place...].starts(with: $0.unicodeScalars) }
    }

    private static func isName(_ character: Unicode.Scalar) -> Bool {
        character.isASCII && (character.properties.isAlphabetic || ("0"..."9").contains(character))
            || character == "_" || character == "-" || character == "."
    }

    private static func endsURL(_ character: Unicode.Scalar) -> Bool {
        character.properties.isWhitespace || character == "\"" || character == "'"
    }
}
