package import CampipeHTTP
package import CampipeKit

/// All streams that a server shows: one for each `http` sink. A service, composed where the server is.
///
/// It answers at `/` with the list of those that the visitor may see, at `/stream/all` with their pictures on one
/// connection, and under mjpg-streamer's and ustreamer's names (`/stream`, `/snapshot`, `/state`, `/?action=stream`) for
/// the first stream there is; with `_N` behind the name for stream N, counted from 0 as mjpg-streamer does. Any thread
/// may call it.
package final class WebStreams: Sendable {
    private let server: HTTPServer
    /// Where each path stands in the file.
    private let order: [String: Int]
    /// The streams that are off, in the file's order.
    private let off: [OffStream]
    private let streams = Lock<[WebStream]>([])
    /// What streams that are over did, by their paths.
    private let past = Lock<[String: BroadcastFeed.Counters]>([:])
    private let awaited = Lock<(paths: Set<String>, action: @Sendable () -> Void)?>(nil)
    /// How many numbered names are routes by now.
    private let numbered = Lock(0)
    private let sources = Lock<(@Sendable (String) -> SourceNews?)?>(nil)
    private let nodes = Lock<(@Sendable () -> String)?>(nil)

    /// - Parameters:
    ///   - server: Where the streams are served.
    ///   - order: The paths as the file has them; sinks are opened in any order. What is not among them comes behind.
    ///   - off: Those that will not be opened, in that order too.
    /// - Throws: `CampipeError` of kind `.configuration` when one of the paths is taken.
    package init(server: HTTPServer, order: [String] = [], off: [OffStream] = []) throws(CampipeError) {
        self.server = server
        self.off = off
        self.order = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
        try server.register("/", access: .each { [weak self] in self?.indexAccess($0) ?? .admin }) {
            [weak self] request, responder in
            guard let self else { return nil }
            if request.query("action") != nil { return self.answer(request, responder) }
            return self.index(request)
        }
        // Browsers ask for it with each page.
        try? server.register("/favicon.ico", access: .open) { _, _ in
            .complete(HTTPResponse(204, headers: ["Cache-Control": "max-age=86400"]))
        }
        for kind in Self.aliases { try register(alias: kind.rawValue) }
        for stream in off {
            try server.register(stream.path, access: .each { stream.access($0) }, coversBelow: true) {
                [nodes] request, _ in stream.answer(request) { nodes.withLock { $0 }?() }
            }
        }
        try server.register("/stream/all", access: .each { [weak self] _ in self?.listAccess ?? .admin }) {
            [weak self] request, _ in self?.answerAll(request)
        }
    }

    private static let aliases: [StreamCall.Kind] = [.stream, .snapshot, .state]

    private func register(alias name: String) throws(CampipeError) {
        let named: @Sendable (HTTPRequest) -> HTTPRequest = { request in
            var request = request
            request.subpath = name
            request.query.removeAll { $0.name == "action" }
            return request
        }
        try server.register("/\(name)", access: .each { [weak self] in self?.access(named($0)) ?? .admin }) {
            [weak self] request, responder in self?.answer(named(request), responder)
        }
    }

    /// The paths of the streams, in the file's order.
    package var paths: [String] { streams.withLock { $0.map(\.path) } }

    /// Begins a stream; viewers may come from now on.
    ///
    /// - Throws: `CampipeError` of kind `.configuration` when the path is taken.
    func open(
        _ path: String, access: StreamAccess, limits: StreamLimits, _ surroundings: WebStream.Surroundings
    ) throws -> WebStream {
        var surroundings = surroundings
        surroundings.nodes = { [nodes] in nodes.withLock { $0 }?() }
        surroundings.news = { [sources, source = surroundings.source] in sources.withLock { $0 }?(source) }
        let stream = WebStream(path: path, access: access, limits: limits, server: server, surroundings)
        do {
            try server.register(
                path, access: .each { [weak stream] in stream?.access($0) ?? .admin }, coversBelow: true
            ) { [weak stream] request, responder in stream?.answer(request, responder) }
        } catch {
            stream.close()
            throw error
        }
        let order = order
        let count = streams.withLock { streams in
            // Nodes open in any order, and one that is started again comes back to its place.
            let rank = order[path] ?? .max
            let place = streams.firstIndex { order[$0.path] ?? .max > rank } ?? streams.count
            streams.insert(stream, at: place)
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

    /// From now on `/state` tells how the pipeline's nodes are.
    ///
    /// - Parameter json: Gives a JSON object; called on the server's thread, and must not block.
    package func tellNodes(_ json: @escaping @Sendable () -> String) { nodes.withLock { $0 = json } }

    /// From now on streams know how their sources give pictures, also while nobody looks.
    ///
    /// - Parameter news: Of a source by its id, nil where there is none; any thread calls it, and it must not block.
    package func tellSources(_ news: @escaping @Sendable (String) -> SourceNews?) { sources.withLock { $0 = news } }

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
        stream.close()
        // In this order: what it did is never missing, nor does it fall while both are looked at.
        streams.withLock { streams in
            let counters = stream.counters
            past.withLock { $0[stream.path, default: .init()].retire(counters) }
            streams.removeAll { $0 === stream }
        }
    }

    /// What each stream did for all viewers that it ever had, in their order; those that are over come last.
    package var counters: [(path: String, counters: BroadcastFeed.Counters)] {
        streams.withLock { streams in
            var past = past.withLock { $0 }
            let present = streams.map { stream in
                var counters = past.removeValue(forKey: stream.path) ?? .init()
                counters.add(stream.counters)
                return (path: stream.path, counters: counters)
            }
            return present + past.sorted { $0.key < $1.key }.map { (path: $0.key, counters: $0.value) }
        }
    }

    // MARK: Who may have what

    /// The list for who may see any of it. Where something is public it is open, and `/?sign-in` asks who it is.
    private func indexAccess(_ request: HTTPRequest) -> RouteAccess {
        if request.query("action") != nil { return access(request) }
        return request.query("sign-in") == nil ? listAccess : .signedIn
    }

    private var listAccess: RouteAccess {
        off.contains { $0.access == .public } || streams.withLock { $0.contains { $0.access == .public } }
            ? .personal : .signedIn
    }

    private func access(_ request: HTTPRequest) -> RouteAccess { stream(of: request)?.access(request) ?? .admin }

    /// The streams whose pictures the sender of a request may see, in their order.
    private func visible(to request: HTTPRequest) -> [WebStream] {
        streams.withLock { $0 }.filter { $0.access.shows($0.path, to: request.visitor) }
    }

    /// The stream that an alias means.
    private func stream(of request: HTTPRequest) -> WebStream? {
        StreamCall(request).flatMap { stream($0.number) }
    }

    private func stream(_ number: Int) -> WebStream? {
        streams.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }

    // MARK: Answers

    private func index(_ request: HTTPRequest) -> HTTPAnswer {
        if request.query("sign-in") != nil {
            return .complete(HTTPResponse(303, headers: ["Location": "/", "Cache-Control": "no-store"]))
        }
        let off = off.filter { $0.access.shows($0.path, to: request.visitor) }.map(\.path)
        let paths = (visible(to: request).map(\.path) + off).enumerated().sorted { left, right in
            (order[left.element] ?? .max, left.offset) < (order[right.element] ?? .max, right.offset)
        }
        return .complete(
            .page(
                WebPages.index(
                    paths: paths.map(\.element), off: Set(off), canSignIn: request.visitor == .nobody)))
    }

    private func answer(_ request: HTTPRequest, _ responder: Responder) -> HTTPAnswer? {
        guard let call = StreamCall(request), let stream = stream(call.number) else { return nil }
        var plain = request
        plain.subpath = call.kind.rawValue
        plain.query.removeAll { $0.name == "action" }
        return stream.answer(plain, responder)
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
}
