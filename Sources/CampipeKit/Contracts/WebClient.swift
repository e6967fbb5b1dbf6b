/// Asks over HTTP, a service of campipe: `context.service((any WebClient).self)`.
///
/// It follows `http_proxy` and its like, and checks certificates. In a test any type of your own takes its place
/// (`services.add(client, as: (any WebClient).self)`).
public protocol WebClient: Sendable {
    /// Asks, and waits for the whole answer: for nodes with `execution: .ownThread`, which may block.
    ///
    /// - Returns: An answer of a status from 200 to 299.
    /// - Throws: `CampipeError`: `.unavailable` or `.timedOut` where trying again may help, `.unauthorized`, `.notFound`,
    ///   `.configuration` of a URL that is none. No message holds the URL's query or user-info.
    func ask(_ request: WebRequest) throws -> WebAnswer
}

/// What a `WebClient` is to ask.
public struct WebRequest: Sendable {
    /// `http://…` or `https://…`; a name and a password in it are sent as the server wants them.
    public var url: String
    /// `GET` without a body, `POST` with one, unless said otherwise.
    public var method: String?
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]?
    /// What the whole may take.
    public var timeout: Duration

    public init(
        _ url: String, method: String? = nil, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10)
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// What was answered.
public struct WebAnswer: Sendable {
    public var status: Int
    /// At most 4 MiB; what is longer is an error.
    public var body: [UInt8]

    public init(status: Int = 200, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    public var text: String { String(decoding: body, as: UTF8.self) }
}
