import CampipeHTTP
import CampipeKit
import CampipeMedia

/// The URL of a server that a stream is pushed to, taken apart. A value.
struct PublishAddress {
    /// The schemes of such URLs, in small letters.
    static let schemes = ["rtsp", "rtsps", "rtmp", "rtmps", "srt"]

    let service: PublishTarget.Service
    let isTLS: Bool
    /// As it may stand in messages: without user-info and query, of RTMP without the stream's name too, which mostly is
    /// a key, and of SRT the host alone.
    let shown: String
    /// Without user-info.
    private let text: String
    private let username: String?
    private let password: String?

    /// - Throws: `.configuration` when it is none; the message holds nothing of the URL but its scheme.
    init(_ url: String) throws(CampipeError) {
        let scheme = url.firstRange(of: "://").map { url[..<$0.lowerBound].lowercased() } ?? ""
        guard Self.schemes.contains(scheme) else {
            throw CampipeError(
                .configuration,
                scheme.isEmpty
                    ? "this is no URL" : "nothing can be pushed to a URL of the kind \"\(scheme.prefix(40))\"",
                fix: scheme.isEmpty
                    ? "write rtsp://, rtmp:// or srt:// in front" : Nearest.fix(scheme, in: Self.schemes))
        }
        isTLS = scheme.hasSuffix("s")
        let plain = isTLS ? String(scheme.dropLast()) : scheme
        service = PublishTarget.Service(rawValue: plain) ?? .srt
        let parts = try CameraURL(url, scheme: plain, secure: plain + "s")
        (username, password) = (parts.username, parts.password)
        // libavformat knows its protocols in small letters only.
        text = scheme + parts.text.dropFirst(scheme.utf8.count)
        let rest = text.dropFirst(scheme.utf8.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, authority.first != ":" else {
            throw CampipeError(.configuration, "the URL has no host", fix: "write it as \(scheme)://host/path")
        }
        switch service {
        case .rtsp: shown = "\(scheme)://\(authority)\(path)"
        case .rtmp:
            guard path.count > 1, let slash = path.lastIndex(of: "/") else {
                throw CampipeError(
                    .configuration, "the URL names no stream", fix: "write it as \(scheme)://host/app/name")
            }
            shown = "\(scheme)://\(authority)\(path[...slash])\(SecretText.stars)"
        case .srt:
            guard authority.contains(":") else {
                throw CampipeError(.configuration, "the URL has no port", fix: "write it as srt://host:8890")
            }
            shown = "\(scheme)://\(authority)"
        }
    }

    /// As libavformat is told.
    ///
    /// - Parameters:
    ///   - username: In place of the URL's.
    ///   - password: In place of the URL's; of SRT the passphrase.
    /// - Throws: `.configuration` for credentials that cannot be sent.
    func target(
        username: String?, password: String?, transport: PublishTarget.Transport, verifiesTLS: Bool, caFile: String?
    ) throws(CampipeError) -> PublishTarget {
        let user = username ?? self.username
        let secret = password ?? self.password
        var address = text
        if service != .srt, let user, !user.isEmpty {
            let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
            let credentials = service == .rtsp ? Self.escaped(user) : user
            let more = secret.map { ":" + (service == .rtsp ? Self.escaped($0) : $0) } ?? ""
            // libavformat decodes those of RTSP, and takes those of RTMP as they stand.
            if service == .rtmp, let fault = Self.rtmpFault(user, secret) { throw fault }
            address = scheme + credentials + more + "@" + text.dropFirst(scheme.count)
        }
        return PublishTarget(
            service, address: address, shown: shown, transport: transport, verifiesTLS: verifiesTLS, caFile: caFile,
            passphrase: service == .srt ? secret : nil)
    }

    private static func rtmpFault(_ user: String, _ secret: String?) -> CampipeError? {
        let breaks = Set("/?#")
        guard
            user.contains(where: { breaks.contains($0) || $0 == ":" })
                || secret?.contains(where: breaks.contains) == true
        else { return nil }
        return CampipeError(
            .configuration, "a user name or password with one of / ? # cannot be sent over RTMP",
            fix: "take one without")
    }

    /// All but what RFC 3986 calls unreserved is escaped.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
