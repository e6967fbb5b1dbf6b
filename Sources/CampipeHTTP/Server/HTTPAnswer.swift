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
    private struct State {
        /// Nil once nothing is owed.
        var deliver: (@Sendable (HTTPAnswer) -> Void)?
        var gone: (@Sendable () -> Void)?
    }
    private let state: Lock<State>

    init(_ deliver: @escaping @Sendable (HTTPAnswer) -> Void) { state = Lock(State(deliver: deliver)) }

    deinit { answer(.complete(.text(500, "nothing answered this request"))) }

    /// Answers; a second call does nothing, nor does one after the client went away. `.later` is no answer.
    package func answer(_ answer: HTTPAnswer) {
        if case .later = answer { return }
        take().deliver?(answer)
    }

    /// Has `action` called when the client goes away without an answer, on the server's thread, which it must not block.
    ///
    /// To be set by the handler, before it returns.
    package func whenGone(_ action: @escaping @Sendable () -> Void) {
        state.withLock { state in if state.deliver != nil { state.gone = action } }
    }

    /// The handler answered at once: nothing is owed.
    func discharge() { _ = take() }

    /// The client has gone: nothing is owed.
    func abandon() { take().gone?() }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}

/// Decides a request. Called on the server's thread, so it must not block; nil means that there is no such thing (404).
package typealias HTTPHandler = @Sendable (HTTPRequest, Responder) -> HTTPAnswer?
