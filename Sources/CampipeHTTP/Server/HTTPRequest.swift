/// One request as a handler sees it.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Percent-decoded, without the query; begins with `/` (or is `*` for OPTIONS).
    package var path: String
    /// Percent-decoded, in order; a name without `=` has an empty value.
    package var query: [(name: String, value: String)]
    package var headers: HTTPHeaders
    /// 0 or 1, of HTTP/1.x.
    package var minorVersion: Int
    package var body: [UInt8]
    /// The other end's address, without its port.
    package var peer: String
    /// The part of the path behind the route that took it, without the slash: `stream` of `/front/stream`.
    package var subpath: String
    /// Who asks; the server finds out before a handler is called.
    package var visitor = Visitor.anyone

    package init(
        method: String, path: String, query: [(name: String, value: String)] = [], headers: HTTPHeaders = [:],
        minorVersion: Int = 1, body: [UInt8] = [], peer: String = "", subpath: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.minorVersion = minorVersion
        self.body = body
        self.peer = peer
        self.subpath = subpath
    }

    /// The first query value of that name.
    package func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Whether the connection may carry another request (RFC 9112 section 9.3); one of HTTP/1.0 never does.
    var keepsAlive: Bool { minorVersion >= 1 && !hasToken(headers["Connection"], "close") }
}
