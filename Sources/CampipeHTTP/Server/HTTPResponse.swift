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

    /// A page with the security headers that a page should have.
    package static func page(_ html: String, status: Int = 200) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"]
        headers.add(contentsOf: pageSecurity)
        return HTTPResponse(status, headers: headers, body: Bytes(html.utf8))
    }

    /// A picture that no cache keeps.
    package static func jpeg(_ picture: Bytes, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var all: HTTPHeaders = ["Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff"]
        all.add(contentsOf: neverCached)
        all.add(contentsOf: headers)
        return HTTPResponse(200, headers: all, body: picture)
    }

    /// What keeps a page from being framed, sniffed, or made to load from elsewhere.
    package static let pageSecurity: HTTPHeaders = [
        "Content-Security-Policy":
            "default-src 'none'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; "
            + "script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; base-uri 'none'; "
            + "form-action 'self'; frame-ancestors 'self'",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
        "Referrer-Policy": "no-referrer",
    ]

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
