/// What is thrown at work, in one shape: what was attempted, what was found, what would be accepted.
///
/// `kind` alone decides what happens next (retry, skip, stop). Ordinary flow (full, dropped, end) is a return value,
/// never an error.
public struct CampipeError: Error, Sendable {
    /// What follows from it; the runtime looks at nothing else.
    public enum Kind: Sendable, Hashable {
        /// What was given can never work: a wrong option, a format that is not accepted.
        case configuration
        /// Nothing answers, or it stopped answering; trying again later may help.
        case unavailable
        /// It answered that the user may not (HTTP 401, 403).
        case unauthorized
        /// It answered that there is no such thing (HTTP 404), or what it sends is not supported.
        case notFound
        case unsupported
        /// One item could not be read; the next may be fine.
        case badData
        /// A full disk, no descriptors, no memory.
        case exhausted
        /// The outside said no in another way.
        case failed
        /// It took longer than its deadline.
        case timedOut
        /// The other side ended the connection in good order: a loss for a source that is to come back, and the end,
        /// without a failure, of one that is not (`reconnect: false`).
        case ended
    }

    /// What follows from it.
    public var kind: Kind
    /// One sentence without a full stop: `cannot open http://cam-3/stream: no answer in 5 s`.
    public var message: String
    /// What would help; nil when the message says it all.
    public var fix: String?
    /// Facts for the log.
    public var context: [(key: String, value: String)]
    /// What went wrong below, whose words are added to the sentence.
    public var cause: (any Error)?
    /// How long the other side asks us to wait before the next try (HTTP Retry-After).
    public var retryAfter: Duration?
    /// How many items are lost by it that the node was given, the one at hand included, where the node knows: a recorder
    /// that loses a file loses all that is in it. Left out, it is the one at hand.
    public var lostItems: Int?

    public init(
        _ kind: Kind, _ message: String, fix: String? = nil, context: [(key: String, value: String)] = [],
        cause: (any Error)? = nil, retryAfter: Duration? = nil
    ) {
        self.kind = kind
        self.message = message
        self.fix = fix
        self.context = context
        self.cause = cause
        self.retryAfter = retryAfter
    }
}

extension CampipeError: CustomStringConvertible {
    /// The sentence with its cause and fix, as people and programs get to see it: without the secrets of a URL, and with
    /// what a terminal would obey spelt out.
    public var description: String {
        var text = message
        if let cause { text += ": \(cause)" }
        if let fix { text += "; \(fix)" }
        return PrintableText.escaping(SecretText.hidden(text), keepsLines: true)
    }
}

/// One library's failed call with its `errno`, captured at once.
extension CampipeError {
    /// A call of the system that failed, with the system's own word for `errno`.
    public static func system(_ attempted: String, errno code: Int32, kind: Kind = .failed, fix: String? = nil)
        -> CampipeError
    {
        CampipeError(kind, "\(attempted): \(errnoText(code))", fix: fix, context: [("errno", String(code))])
    }
}
