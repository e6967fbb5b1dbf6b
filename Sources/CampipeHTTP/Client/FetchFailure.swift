import CCurl
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

extension CampipeError {
    /// An answer that says no.
    ///
    /// - Parameters:
    ///   - challenges: The schemes of login that it offers.
    ///   - retryAfter: The seconds that it asks us to wait, 0 when it does not say.
    static func refused(
        _ url: String, _ status: Int, hadCredentials: Bool, challenges: [String], retryAfter: Int
    ) -> CampipeError {
        let phrase = HTTPResponse.phrase(status)
        let answer = "cannot open \(url): it answers \(status)\(phrase.isEmpty ? "" : " " + phrase)"
        switch status {
        case 401, 403:
            let spoken = challenges.isEmpty || challenges.contains { ["basic", "digest"].contains($0.lowercased()) }
            guard spoken else {
                return CampipeError(
                    .unauthorized, "\(answer) and asks for \(challenges.joined(separator: " or "))",
                    fix: "let the camera accept Digest or Basic, which campipe speaks")
            }
            let asks = challenges.isEmpty ? "" : " and asks for \(challenges.joined(separator: " or "))"
            return CampipeError(
                .unauthorized, answer + asks,
                fix: hadCredentials ? "check `username` and `password`" : "set `username` and `password`")
        case 404, 410: return CampipeError(.notFound, answer, fix: "check the path of the URL")
        case 407:
            return CampipeError(
                .unauthorized, "\(answer), so says the proxy", fix: "write `proxy` as http://user:password@host:port")
        case 408, 425, 429, 500...599:
            let wait: Duration? = retryAfter > 0 ? .seconds(min(retryAfter, 3600)) : nil
            return CampipeError(.unavailable, answer, retryAfter: wait)
        default: return CampipeError(.failed, answer)
        }
    }

    /// A server that is not the one whose fingerprint is known.
    ///
    /// - Parameter found: The hash of its certificate; nil when it showed none.
    static func otherCertificate(_ url: String, _ found: [UInt8]?) -> CampipeError {
        let shown = found.map { "its certificate has the fingerprint \(TLSFingerprint.text($0))" }
        return CampipeError(
            .failed, "cannot open \(url): \(shown ?? "it shows no certificate")",
            fix: "if that is the camera's, write it as `tls_fingerprint`",
            context: found.map { [("fingerprint", TLSFingerprint.text($0))] } ?? [])
    }

    /// A transfer that failed below HTTP.
    static func curl(
        _ code: CURLcode, _ url: String, _ request: FetchRequest, errno: Int32, detail: String
    ) -> CampipeError {
        let attempt = "cannot open \(url)"
        let cause = detail.isEmpty ? CurlEasyHandle.text(code) : detail
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY:
            return CampipeError(.unavailable, "\(attempt): the proxy's name has no address", fix: "check `proxy`")
        case CURLE_COULDNT_RESOLVE_HOST:
            return CampipeError(.unavailable, "\(attempt): its name has no address", fix: "check the host of the URL")
        case CURLE_COULDNT_CONNECT:
            let whose = (request.proxy ?? "").isEmpty ? "the connection" : "the connection to the proxy"
            let fix = "check the address and port"
            guard errno == 0 || errno == ECONNREFUSED else {
                return .system("\(attempt): \(whose) fails", errno: errno, kind: .unavailable, fix: fix)
            }
            return CampipeError(.unavailable, "\(attempt): \(whose) is refused", fix: fix)
        case CURLE_OPERATION_TIMEDOUT:
            let limit = request.upload.map { ($0.timeout, "timeout") } ?? (request.connectTimeout, "connect_timeout")
            let seconds = (limit.0.seconds * 10).rounded() / 10
            let shown = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
            return CampipeError(
                .timedOut, "\(attempt): no answer in \(shown) s", fix: "check the address or raise `\(limit.1)`")
        case CURLE_PEER_FAILED_VERIFICATION:
            return CampipeError(
                .failed, "\(attempt): \(cause)",
                fix: "give its authority's certificate as `ca_file`, or its own `tls_fingerprint`",
                context: [("certificate", "unproven")])
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return CampipeError(.failed, "\(attempt): its public key is another than `tls_fingerprint` names")
        case CURLE_PROXY: return CampipeError(.unavailable, "\(attempt): the proxy fails: \(cause)")
        case CURLE_SSL_CACERT_BADFILE: return CampipeError(.configuration, "\(attempt): \(cause)")
        case CURLE_SSL_CONNECT_ERROR: return CampipeError(.failed, "\(attempt): \(cause)")
        case CURLE_UNSUPPORTED_PROTOCOL:
            let accepted = request.fingerprint == nil ? "neither http nor https" : "not https"
            return CampipeError(.unsupported, "\(attempt): it redirects to something that is \(accepted)")
        case CURLE_TOO_MANY_REDIRECTS:
            return CampipeError(.failed, "\(attempt): it redirects more than \(request.maxRedirects) times")
        case CURLE_URL_MALFORMAT: return CampipeError(.configuration, "\(attempt): the URL is malformed")
        case CURLE_GOT_NOTHING:
            return CampipeError(.unavailable, "\(attempt): it closed the connection without an answer")
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            return CampipeError(
                .unavailable, "\(url): the connection was cut" + (detail.isEmpty ? "" : " (\(detail))"))
        case CURLE_WEIRD_SERVER_REPLY:
            return CampipeError(.unsupported, "\(attempt): this is no HTTP answer")
        case CURLE_OUT_OF_MEMORY: return CampipeError(.exhausted, "\(attempt): \(cause)")
        default: return CampipeError(.failed, "\(attempt): \(cause)")
        }
    }
}
