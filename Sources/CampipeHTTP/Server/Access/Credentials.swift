import CampipeKit

/// What a request brings to say who asks.
struct Credentials {
    /// Of `Authorization: Basic` (RFC 7617); nil without it, or when it is malformed.
    let basic: (name: String, password: String)?
    /// The session's token; nil without the cookie.
    let token: String?

    init(_ headers: HTTPHeaders, cookie: String) {
        basic = headers["Authorization"].flatMap(Self.basic)
        token = headers.all("Cookie").lazy.compactMap { Self.value(of: cookie, in: $0) }.first
    }

    private static func basic(_ field: String) -> (name: String, password: String)? {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic",
            !trimmed(Array(words[1].utf8)[...]).suffix(3).elementsEqual("===".utf8),
            let bytes = Base64.bytes(String(words[1])),
            let text = String(validating: bytes, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), bytes.count <= 1024, !bytes.contains(0)
        else { return nil }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }

    private static func value(of name: String, in field: String) -> String? {
        for pair in Array(field.utf8).split(separator: UInt8(ascii: ";")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
            if parts.count == 2, trimmed(parts[0]).elementsEqual(name.utf8) {
                return String(decoding: trimmed(parts[1]), as: UTF8.self)
            }
        }
        return nil
    }
}
