import CCurl
import CampipeKit

extension CampipeError {
    /// An answer that says no.
    static func refused(_ url: String, status: Int, headers: HTTPHeaders, hadCredentials: Bool) -> CampipeError {
        let phrase = HTTPResponse.phrase(status)
        let answer = "cannot open \(url): it answers \(status)\(phrase.isEmpty ? "" : " " + phrase)"
        switch status {
        case 401, 403:
            return CampipeError(
                .unauthorized, answer,
                fix: hadCredentials ? "check `username` and `password`" : "set `username` and `password`")
        case 404, 410: return CampipeError(.notFound, answer, fix: "check the path of the URL")
        case 408, 425, 429, 500...599:
            return CampipeError(.unavailable, answer, retryAfter: retryAfter(headers["Retry-After"]))
        default: return CampipeError(.failed, answer)
        }
    }

    /// Seconds; the form with a date is not used by cameras.
    private static func retryAfter(_ value: String?) -> Duration? {
        guard let value, let seconds = decimal(Array(value.utf8)[...]) else { return nil }
        return .seconds(min(seconds, 3600))
    }

    /// A transfer that failed below HTTP.
    static func curl(_ code: CURLcode, _ url: String, _ request: FetchRequest, detail: String) -> CampipeError {
        let attempt = "cannot open \(url)"
        let cause = detail.isEmpty ? CurlEasyHandle.text(code) : detail
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return CampipeError(.unavailable, "\(attempt): its name has no address", fix: "check the host of the URL")
        case CURLE_COULDNT_CONNECT:
            return CampipeError(
                .unavailable, "\(attempt): the connection is refused", fix: "check the address and port")
        case CURLE_OPERATION_TIMEDOUT:
            let seconds = (request.connectTimeout.seconds * 10).rounded() / 10
            let shown = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
            return CampipeError(
                .timedOut, "\(attempt): no answer in \(shown) s", fix: "check the address or raise `connect_timeout`")
        case CURLE_PEER_FAILED_VERIFICATION:
            return CampipeError(
                .failed, "\(attempt): \(cause)", fix: "give its certificate's authority, or set `tls_verify: false`")
        case CURLE_SSL_CACERT_BADFILE: return CampipeError(.configuration, "\(attempt): \(cause)")
        case CURLE_SSL_CONNECT_ERROR: return CampipeError(.failed, "\(attempt): \(cause)")
        case CURLE_UNSUPPORTED_PROTOCOL:
            return CampipeError(.unsupported, "\(attempt): it redirects to something that is neither http nor https")
        case CURLE_TOO_MANY_REDIRECTS:
            return CampipeError(.failed, "\(attempt): it redirects more than \(request.maxRedirects) times")
        case CURLE_URL_MALFORMAT: return CampipeError(.configuration, "\(attempt): the URL is malformed")
        case CURLE_GOT_NOTHING:
            return CampipeError(.unavailable, "\(attempt): it closed the connection without an answer")
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            return CampipeError(.unavailable, "\(url): the connection was cut")
        case CURLE_WEIRD_SERVER_REPLY:
            return CampipeError(.unsupported, "\(attempt): this is no HTTP answer")
        case CURLE_OUT_OF_MEMORY: return CampipeError(.exhausted, "\(attempt): \(cause)")
        default: return CampipeError(.failed, "\(attempt): \(cause)")
        }
    }
}
