package import CampipeKit

/// A URL such as of http or rtsp with its user-info taken out and percent-decoded, so that the URL may be shown.
package struct CameraURL: Sendable, Hashable {
    /// Without user-info.
    package let text: String
    package let username: String?
    package let password: String?

    /// - Throws: `.configuration` when it is no http or https URL; the message holds neither user-info nor query.
    package init(_ url: String) throws(CampipeError) {
        try self.init(url, scheme: "http", secure: "https")
    }

    /// - Throws: `.configuration` when it begins with neither scheme; the message holds neither user-info nor query.
    package init(_ url: String, scheme: String, secure: String) throws(CampipeError) {
        let bytes = Array(url.utf8)
        let lower = lowercased(bytes.prefix(secure.utf8.count + 3))
        let start = [scheme, secure].map { $0 + "://" }.first { lower.hasPrefix($0) }?.utf8.count ?? 0
        guard start > 0, bytes.count > start, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw CampipeError(
                .configuration, "this is no \(scheme) or \(secure) URL", fix: "write it as \(scheme)://host/path")
        }
        let end = bytes[start...].firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        let authority = bytes[start..<(end ?? bytes.count)]
        // The last @: a password may hold an unescaped one.
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
            text = url
            username = nil
            password = nil
            return
        }
        let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":"))
        // A percent sign that escapes nothing is taken as it is.
        func decoded(_ part: ArraySlice<UInt8>) -> String {
            percentDecoded(part, plusIsBlank: false) ?? String(decoding: part, as: UTF8.self)
        }
        username = decoded(authority[..<(colon ?? at)])
        password = colon.map { decoded(authority[($0 + 1)..<at]) }
        text = String(decoding: bytes[..<start] + bytes[(at + 1)...], as: UTF8.self)
    }

    /// As it may stand in messages: the query is left out too, since cameras take passwords there.
    package var shown: String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        return String(text[..<mark])
    }
}
