package import CampipeHTTP
import CampipeKit

/// All streams that a server shows: one for each `http` sink. A service, composed where the server is.
///
/// It answers at `/` with the list, at `/stream/all` with all of them on one connection, and under mjpg-streamer's and
/// ustreamer's names (`/stream`, `/snapshot`, `/state`, `/?action=stream`) for the first stream there is; with `_N`
/// behind the name for stream N, counted from 0 as mjpg-streamer does. Each requester has the list of those that he may
/// see. Any thread may call it.
package final class WebStreams: Sendable {
    private let server: HTTPServer
    private let order: [String]
    private let maySee: @Sendable (HTTPRequest, String) -> Bool
    private let streams = Lock<[WebStream]>([])
    private let awaited = Lock<(paths: Set<String>, action: @Sendable () -> Void)?>(nil)
    /// How many numbered names are routes by now.
    private let numbered = Lock(0)

    /// - Parameters:
    ///   - server: Where the streams are served.
    ///   - order: The paths as they stand in the file; what is not among them comes behind.
    ///   - maySee: Whether who sent a request may see the stream at a path; lists, aliases and `/stream/all` leave out
    ///     the others. By default all may be seen.
    /// - Throws: `CampipeError` of kind `.configuration` when one of the paths is taken.
    package init(
        server: HTTPServer, order: [String] = [],
        maySee: @escaping @Sendable (HTTPRequest, String) -> Bool = { _, _ in true }
    ) throws {
        self.server = server
        self.order = order
        self.maySee = maySee
        try server.register("/") { [weak self] request, responder in
            guard let self else { return nil }
            if let action = request.query("action") { return self.answer(action, request, responder) }
            return .complete(.page(WebPages.index(paths: self.visible(to: request).map(\.path))))
        }
        for name in Self.aliases { try register(alias: name) }
        try server.register("/stream/all") { [weak self] request, _ in self?.answerAll(request) }
    }

    private static let aliases = ["stream", "snapshot", "state"]

    private func register(alias name: String) throws {
        try server.register("/\(name)") { [weak self] request, responder in
            self?.answer(name, request, responder)
        }
    }

    /// The paths of the streams, in their order.
    package var paths: [String] { streams.withLock { $0.map(\.path) } }

    /// The streams that the sender of a request may see, in their order.
    private func visible(to request: HTTPRequest) -> [WebStream] {
        streams.withLock { $0 }.filter { maySee(request, $0.path) }
    }

    /// Answers `stream`, `snapshot`, `state`, or one of them with `_N` behind, for one of the visible streams.
    private func answer(_ name: String, _ request: HTTPRequest, _ responder: Responder) -> HTTPAnswer? {
        var request = request
        var number = 0
        request.subpath = name
        if let mark = name.utf8.lastIndex(of: UInt8(ascii: "_")), let asked = Int(name[name.utf8.index(after: mark)...])
        {
            number = asked
            request.subpath = String(name[..<mark])
        }
        request.query.removeAll { $0.name == "action" }
        let streams = visible(to: request)
        guard Self.aliases.contains(request.subpath), streams.indices.contains(number) else { return nil }
        return streams[number].answer(request, responder)
    }

    /// All visible streams on one connection, or those that `path=` names: for pages, since a browser opens six
    /// connections to a server. Each part says in `X-Stream` whose it is.
    private func answerAll(_ request: HTTPRequest) -> HTTPAnswer? {
        let asked = request.query.filter { $0.name == "path" }.map(\.value)
        let streams = visible(to: request).filter { asked.isEmpty || asked.contains($0.path) }
        guard !streams.isEmpty else { return nil }
        var feeds: [NamedFeed] = []
        do throws(ViewerRequest.Refusal) {
            for stream in streams { if let feed = try stream.feed(request) { feeds.append(feed) } }
        } catch {
            return .complete(.text(400, error.sentence))
        }
        guard !feeds.isEmpty else {
            return .complete(
                .text(503, "these streams have as many viewers as they take", headers: ["Retry-After": "5"]))
        }
        return .streams(feeds)
    }

    /// Begins a stream; viewers may come from now on.
    ///
    /// - Throws: `CampipeError` of kind `.configuration` when the path is taken.
    func open(_ path: String, limits: StreamLimits, _ surroundings: WebStream.Surroundings) throws -> WebStream {
        let stream = WebStream(path: path, limits: limits, server: server, surroundings)
        do {
            try server.register(path, coversBelow: true) { [weak stream] request, responder in
                stream?.answer(request, responder)
            }
        } catch {
            stream.close()
            throw error
        }
        let place = order.firstIndex(of: path) ?? .max
        let count = streams.withLock { streams in
            // Nodes open in any order, and one that is started again comes back to its place.
            let behind = streams.firstIndex { (order.firstIndex(of: $0.path) ?? .max) > place }
            streams.insert(stream, at: behind ?? streams.count)
            return streams.count
        }
        numberNames(upTo: count)
        lookForAwaited()
        return stream
    }

    /// Makes `/stream_0` and its like routes, once each; a taken one is somebody else's.
    private func numberNames(upTo count: Int) {
        let new = numbered.withLock { numbered in
            defer { numbered = max(numbered, count) }
            return numbered..<max(numbered, count)
        }
        for number in new { for name in Self.aliases { try? register(alias: "\(name)_\(number)") } }
    }

    /// Calls back once, when streams at all these paths may be viewed; must not block.
    package func whenOpen(_ paths: [String], _ action: @escaping @Sendable () -> Void) {
        awaited.withLock { $0 = (Set(paths), action) }
        lookForAwaited()
    }

    private func lookForAwaited() {
        let open = Set(paths)
        let action = awaited.withLock { awaited -> (@Sendable () -> Void)? in
            guard let wanted = awaited, open.isSuperset(of: wanted.paths) else { return nil }
            awaited = nil
            return wanted.action
        }
        action?()
    }

    /// Ends a stream: its viewers are closed, its path is free.
    func close(_ stream: WebStream) {
        server.unregister(stream.path)
        streams.withLock { streams in streams.removeAll { $0 === stream } }
        stream.close()
    }
}
