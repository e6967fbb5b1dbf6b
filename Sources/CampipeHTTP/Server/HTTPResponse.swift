package import CampipeKit

/// A whole answer.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// Without the fields that the server writes itself: `Content-Length`, `Connection`, CORS.
    package var headers: HTTPHeaders
    package var body: Bytes

    package init(_ status: Int, headers: HTTPHeaders = [:], body: Bytes = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A short text, such as the sentence of an error.
    package static func text(_ status: Int, _ text: String, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var all: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff",
        ]
        all.add(contentsOf: headers)
        return HTTPResponse(status, headers: all, body: Bytes((text + "\n").utf8))
    }

    /// JSON that no cache keeps.
    package static func json(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status,
            headers: [
                "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ], body: Bytes(text.utf8))
    }

    /// A page with the security headers that a page should have; no cache keeps it, since it holds names.
    ///
    /// - Parameter html: Where it has a script or a style of its own, these carry no attributes; they are allowed one by
    ///   one, by a number used once. Whatever a user wrote must be escaped in it.
    package static func page(_ html: String, status: Int = 200) -> HTTPResponse {
        let nonce = (try? RandomSecret.text(16)) ?? ""
        let marked = html.replacing("<script>", with: "<script nonce=\"\(nonce)\">")
            .replacing("<style>", with: "<style nonce=\"\(nonce)\">")
        var headers: HTTPHeaders = ["Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"]
        headers.add(contentsOf: pageSecurity(nonce: nonce))
        return HTTPResponse(status, headers: headers, body: Bytes(marked.utf8))
    }

    /// A picture that no cache keeps.
    package static func jpeg(_ picture: Bytes, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var all: HTTPHeaders = ["Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff"]
        all.add(contentsOf: neverCached)
        all.add(contentsOf: headers)
        return HTTPResponse(200, headers: all, body: picture)
    }

    /// Sends a client that spoke http to the same by https.
    static func secure(_ request: HTTPRequest) -> HTTPResponse {
        guard let host = request.headers["Host"], !host.isEmpty else { return .text(400, "write https:// in front") }
        let pairs = request.query.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }
        let query = pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
        return .text(
            301, "this is spoken by https only",
            headers: ["Location": "https://\(host)\(percentEncoded(request.path))\(query)"])
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte -> String in
            let isPlain = (48...57).contains(byte) || (97...122).contains(byte | 32) || "/-._~".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// What keeps a page from being sniffed, or made to load and run what is not its own; `frames` adds the rest.
    private static func pageSecurity(nonce: String) -> HTTPHeaders {
        [
            "Content-Security-Policy":
                "default-src 'none'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; "
                + "script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'self'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        ]
    }

    /// What keeps pages of other origins than these from showing this one in a frame; a second policy beside the
    /// page's own, and both hold.
    static func frames(_ origins: [String]) -> HTTPHeaders {
        if origins.isEmpty {
            return ["Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY"]
        }
        return ["Content-Security-Policy": "frame-ancestors 'self' \(origins.joined(separator: " "))"]
    }

    /// Whether it is a page that a browser shows.
    var isPage: Bool { headers["Content-Type"]?.hasPrefix("text/html") ?? false }

    /// What live pictures carry, as ustreamer and mjpg-streamer send it.
    package static let neverCached: HTTPHeaders = [
        "Cache-Control": "no-store, no-cache, must-revalidate, proxy-revalidate, max-age=0", "Pragma": "no-cache",
    ]

    /// The reason phrase of a status code; empty for one that is not used here.
    static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
