import CampipeKit

/// What a handler says to a request.
package enum HTTPAnswer: Sendable {
    case complete(HTTPResponse)
    /// The handler kept the responder, and answers through it, from any thread.
    case later
    /// The connection becomes a viewer of the feed. `headers` are added to the head.
    case stream(BroadcastFeed, headers: HTTPHeaders = [:], mark: ViewerMark? = nil)
    /// The connection becomes a viewer of all these feeds at once; each part names its stream in `X-Stream`.
    case streams([NamedFeed], headers: HTTPHeaders = [:])
    /// The connection becomes a viewer of a stream of video, with its sound or without; `headers` say its type.
    case fragments(FragmentFeed, headers: HTTPHeaders, mark: ViewerMark? = nil, hears: Bool = false)
}

/// A feed as one of several on a connection.
package struct NamedFeed: Sendable {
    /// Sent in front of each of its parts; nil where it is the only one. Printable ASCII.
    package var name: String?
    package var feed: BroadcastFeed
    /// Who looks at it; nil where it is not to be found in `BroadcastFeed.clients`.
    package var mark: ViewerMark?

    package init(_ name: String?, _ feed: BroadcastFeed, mark: ViewerMark? = nil) {
        self.name = name
        self.feed = feed
        self.mark = mark
    }
}

/// Answers one request later, once; from any thread. If it goes unanswered, the client is told that the server failed.
package final class Responder: Sendable {
    private let deliver: Lock<(@Sendable (HTTPAnswer) -> Void)?>

    init(_ deliver: @escaping @Sendable (HTTPAnswer) -> Void) { self.deliver = Lock(deliver) }

    deinit { answer(.complete(.text(500, "nothing answered this request"))) }

    /// Answers; a second call does nothing, nor does one after the client went away. `.later` is no answer.
    package func answer(_ answer: HTTPAnswer) {
        if case .later = answer { return }
        take()?(answer)
    }

    /// The handler answered at once: nothing is owed.
    func discharge() { _ = take() }

    private func take() -> (@Sendable (HTTPAnswer) -> Void)? {
        deliver.withLock { owed in
            defer { owed = nil }
            return owed
        }
    }
}

/// Decides a request. Called on the server's thread, so it must not block; nil means that there is no such thing (404).
package typealias HTTPHandler = @Sendable (HTTPRequest, Responder) -> HTTPAnswer?
