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

    /// Credentials in the URL are used unless others are given.
    package init(
        _ url: CameraURL, username: String? = nil, password: String? = nil, headers: HTTPHeaders = [:],
        connectTimeout: Duration = .seconds(10), maxRedirects: Int = 5, verifiesTLS: Bool = true, caFile: String? = nil
    ) {
        self.url = url
        self.username = username ?? url.username
        self.password = password ?? url.password
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.maxRedirects = maxRedirects
        self.verifiesTLS = verifiesTLS
        self.caFile = caFile
    }
}

/// The head of the final answer: redirects and refusals before it are not shown.
package struct ResponseHead: Sendable {
    /// 200 for an answer without a status line.
    package var status: Int
    package var headers: HTTPHeaders

    package init(status: Int, headers: HTTPHeaders) {
        self.status = status
        self.headers = headers
    }
}
