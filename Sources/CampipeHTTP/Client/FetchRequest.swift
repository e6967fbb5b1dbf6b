package import CampipeKit

/// What to fetch, and how.
package struct FetchRequest: Sendable {
    package var url: CameraURL
    /// Sent by Digest where the server offers it, else by Basic, and to the URL's own host only.
    package var username: String?
    package var password: String?
    package var headers: HTTPHeaders
    /// To the end of the TLS handshake.
    package var connectTimeout: Duration
    /// Redirects followed, to http and https only.
    package var maxRedirects: Int
    /// Whether the server must prove who it is.
    package var verifiesTLS: Bool
    /// A file of certificates to trust instead of the system's.
    package var caFile: String?
    /// What the server's certificate must be; nothing else about it is checked then, and only https is spoken.
    package var fingerprint: TLSFingerprint?
    /// `http://host:port` or `socks5://host:port`, maybe with user-info; empty for none, nil as the environment says
    /// (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
    package var proxy: String?
    /// What messages name as the address; nil is the URL without its query.
    package var shown: String?
    /// What is sent, and how; nil asks for something (GET). With it every status is an answer, not a failure.
    package var upload: Upload?

    /// What is sent to a server.
    package struct Upload: Sendable {
        package var method: String
        /// The media type.
        package var type: String
        package var bytes: Bytes
        /// To the end of the answer.
        package var timeout: Duration

        package init(method: String, type: String, bytes: Bytes, timeout: Duration) {
            self.method = method
            self.type = type
            self.bytes = bytes
            self.timeout = timeout
        }
    }

    /// As messages may show the address.
    var shownURL: String { shown ?? url.shown }

    /// Credentials in the URL are used unless others are given.
    package init(
        _ url: CameraURL, username: String? = nil, password: String? = nil, headers: HTTPHeaders = [:],
        connectTimeout: Duration = .seconds(10), maxRedirects: Int = 5, verifiesTLS: Bool = true, caFile: String? = nil,
        fingerprint: TLSFingerprint? = nil, proxy: String? = nil
    ) {
        self.url = url
        self.username = username ?? url.username
        self.password = password ?? url.password
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.maxRedirects = maxRedirects
        self.verifiesTLS = verifiesTLS
        self.caFile = caFile
        self.fingerprint = fingerprint
        self.proxy = proxy
    }

    /// What two requests must have in common to be answered by one connection.
    struct Identity: Hashable, Sendable {
        fileprivate let url: String
        fileprivate let username: String?
        fileprivate let password: String?
        fileprivate let verifiesTLS: Bool
        fileprivate let caFile: String?
        fileprivate let fingerprint: TLSFingerprint?
        fileprivate let proxy: String?
    }

    var identity: Identity {
        Identity(
            url: url.text, username: username, password: password, verifiesTLS: verifiesTLS, caFile: caFile,
            fingerprint: fingerprint, proxy: proxy)
    }
}

/// The head of the final answer: redirects and refusals before it are not shown.
package struct ResponseHead: Sendable {
    /// 200 for an answer without a status line.
    package var status: Int
    package var headers: HTTPHeaders
    /// The schemes of login that the server offered on the way here, as it spells them; empty when it asked for none.
    package var challenges: [String]

    package init(status: Int, headers: HTTPHeaders, challenges: [String] = []) {
        self.status = status
        self.headers = headers
        self.challenges = challenges
    }
}
