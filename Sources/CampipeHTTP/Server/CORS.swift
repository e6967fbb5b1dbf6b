/// Which pages of other origins may read the answers; none unless asked.
package struct CORS: Sendable {
    /// Origins such as `https://home.example`, or `*` for any.
    package var origins: [String]

    package static let none = CORS(origins: [])

    /// What pages may read of an answer beside what all may.
    private static let exposed = "X-Campipe-State, X-Campipe-Nearest, X-Age-Seconds, X-Timestamp, Retry-After"

    package init(origins: [String]) { self.origins = origins }

    /// What is added to every answer to `request`, errors included.
    func headers(for request: HTTPRequest) -> HTTPHeaders {
        guard !origins.isEmpty else { return [:] }
        if origins.contains("*") {
            return ["Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": Self.exposed]
        }
        guard let origin = request.headers["Origin"], origins.contains(origin) else { return ["Vary": "Origin"] }
        return [
            "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": Self.exposed, "Vary": "Origin",
        ]
    }

    /// What is added to the answer to a preflight.
    func preflightHeaders(for request: HTTPRequest, methods: [String]) -> HTTPHeaders {
        guard headers(for: request)["Access-Control-Allow-Origin"] != nil,
            request.headers["Access-Control-Request-Method"] != nil
        else { return [:] }
        return [
            "Access-Control-Allow-Methods": methods.joined(separator: ", "),
            "Access-Control-Allow-Headers": "Authorization, Content-Type, Range", "Access-Control-Max-Age": "600",
        ]
    }
}
