package import CampipeKit

/// An rtsp or rtsps URL, taken apart: where to connect, and what to ask for there (RFC 2326 section 3.2).
package struct RTSPURL: Hashable, Sendable {
    /// Without user-info, as it stands in requests.
    package let text: String
    /// Without user-info and query, as it may stand in messages: cameras take passwords in the query.
    package let shown: String
    package let isTLS: Bool
    /// An IPv6 address keeps its brackets.
    package let host: String
    package let port: Int
    package let username: String?
    package let password: String?

    /// - Throws: `.configuration` when it is none; the message holds neither user-info nor query.
    package init(_ url: String) throws(CampipeError) {
        let parts = try CameraURL(url, scheme: "rtsp", secure: "rtsps")
        isTLS = lowercased(Array(parts.text.utf8.prefix(8))[...]).hasPrefix("rtsps://")
        let bytes = Array(parts.text.utf8)
        let start = isTLS ? 8 : 7
        let end = bytes[start...].firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        let authority = bytes[start..<(end ?? bytes.count)]
        let inside = authority.first == UInt8(ascii: "[") ? authority.lastIndex(of: UInt8(ascii: "]")) : nil
        let colon = authority[(inside ?? authority.startIndex)...].firstIndex(of: UInt8(ascii: ":"))
        let name = authority[..<(colon ?? authority.endIndex)]
        let digits = colon.map { authority[($0 + 1)...] } ?? []
        guard !name.isEmpty else {
            throw CampipeError(.configuration, "the URL has no host", fix: "write it as rtsp://192.168.1.20/stream")
        }
        let number = digits.isEmpty ? (isTLS ? 322 : 554) : decimal(digits)
        guard let number, (1...65_535).contains(number) else {
            throw CampipeError(.configuration, "the port of the URL is none", fix: "accepted: 1…65535")
        }
        host = String(decoding: name, as: UTF8.self)
        port = number
        // A fragment is the reader's own and is not sent (RFC 3986 section 3.5).
        text = String(parts.text.prefix { $0 != "#" })
        shown = String(parts.text.prefix { $0 != "#" && $0 != "?" })
        username = parts.username
        password = parts.password
    }

    /// What a track's `a=control` may mean, the likeliest first.
    ///
    /// RFC 2326 C.1.1 says a relative URL, with what that means (RFC 3986); but every client puts it behind the base,
    /// and cameras are made for that, queries included. A control that begins with a slash is put there too, with one
    /// slash alone (go2rtc issue 1236); where that is refused, it is read as the RFC says.
    ///
    /// - Parameters:
    ///   - control: What the description says of the track; nil when it says nothing.
    ///   - base: `Content-Base`, or `Content-Location`, or the URL that was asked.
    package static func controls(_ control: String?, base: String) -> [String] {
        guard let control, control != "*", !control.isEmpty else { return [base] }
        if control.utf8.count > 7, lowercased(Array(control.utf8.prefix(8))[...]).hasPrefix("rtsp") { return [control] }
        let isSlashed = base.hasSuffix("/")
        var found = [
            base + (isSlashed || control.hasPrefix("/") ? "" : "/")
                + control.dropFirst(isSlashed && control.hasPrefix("/") ? 1 : 0)
        ]
        if control.hasPrefix("/"), let scheme = base.firstRange(of: "://") {
            let host = base[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
            found.append(base[..<scheme.upperBound] + host + control)
        }
        return found
    }
}
