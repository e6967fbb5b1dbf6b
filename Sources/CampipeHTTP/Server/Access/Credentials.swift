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
            let bytes = base64(words[1].trimmed.utf8), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), bytes.count <= 1024, !bytes.contains(0)
        else { return nil }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }

    private static func value(of name: String, in field: String) -> String? {
        for pair in field.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].trimmed == name { return String(parts[1].trimmed) }
        }
        return nil
    }

    /// Undoes base64 (RFC 4648 section 4); nil for anything else.
    static func base64(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for letter in text {
            let six: UInt32
            switch letter {
            case 65...90: six = UInt32(letter) - 65
            case 97...122: six = UInt32(letter) - 71
            case 48...57: six = UInt32(letter) + 4
            case 43: six = 62
            case 47: six = 63
            case 61:
                padding += 1
                continue
            default: return nil
            }
            if padding > 0 { return nil }
            bits = bits << 6 | six
            count += 1
            if count % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - UInt32(count - 1) % 4 * 2))) }
        }
        return padding <= 2 && count % 4 != 1 ? bytes : nil
    }
}

extension Substring {
    /// Without blanks at its ends.
    fileprivate var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
