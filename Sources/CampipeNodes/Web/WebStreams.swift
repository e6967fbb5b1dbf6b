package import CampipeHTTP
import CampipeKit

/// All streams that a server shows: one for each `http` sink. A service, composed where the server is.
///
/// It answers at `/` with the list of those that the visitor may see, and under mjpg-streamer's and ustreamer's names (`/stream`, `/snapshot`, `/state`,
/// `/?action=stream`) for the first stream there is. Any thread may call it.
package final class WebStreams: Sendable {
    private let server: HTTPServer
    /// Where each path stands in the file.
    private let order: [String: Int]
    private let streams = Lock<[WebStream]>([])
    private let awaited = Lock<(paths: Set<String>, action: @Sendable () -> Void)?>(nil)

    /// - Parameter order: The paths as the file has them; sinks are opened in any order.
    /// - Throws: `CampipeError` of kind `.configuration` when one of the paths is taken.
    package init(server: HTTPServer, order: [String] = []) throws {
        self.server = server
        self.order = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
        try server.register("/", access: .each { [weak self] in self?.indexAccess($0) ?? .admin }) {
            [weak self] request, responder in
            guard let self else { return nil }
            if request.query("action") != nil { return self.first?.answer(request, responder) }
            return self.index(request)
        }
        for name in ["stream", "snapshot", "state"] {
            let named: @Sendable (HTTPRequest) -> HTTPRequest = { request in
                var request = request
                request.subpath = name
                return request
            }
            try server.register("/\(name)", access: .each { [weak self] in self?.first?.access(named($0)) ?? .admin }) {
                [weak self] request, responder in self?.first?.answer(named(request), responder)
            }
        }
    }

    /// The paths of the streams, in the file's order.
    package var paths: [String] { streams.withLock { $0.map(\.path) } }

    /// Begins a stream; viewers may come from now on.
    ///
    /// - Throws: `CampipeError` of kind `.configuration` when the path is taken.
    func open(
        _ path: String, access: StreamAccess, want: Want, clock: any PipelineClock, demand: Demand
    ) throws -> WebStream {
        let stream = WebStream(path: path, access: access, want: want, server: server, clock: clock, demand: demand)
        do {
            try server.register(
                path, access: .each { [weak stream] in stream?.access($0) ?? .admin }, coversBelow: true
            ) { [weak stream] request, responder in stream?.answer(request, responder) }
        } catch {
            stream.close()
            throw error
        }
        let order = order
        streams.withLock { streams in
            let rank = order[path] ?? .max
            let place = streams.firstIndex { order[$0.path] ?? .max > rank } ?? streams.count
            streams.insert(stream, at: place)
        }
        lookForAwaited()
        return stream
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

    /// The list for who may see any of it. Where something is public it is open, and `/?sign-in` asks who it is.
    private func indexAccess(_ request: HTTPRequest) -> RouteAccess {
        if request.query("action") != nil { return first?.access(request) ?? .admin }
        let hasPublic = streams.withLock { $0.contains { $0.access == .public } }
        return hasPublic && request.query("sign-in") == nil ? .personal : .signedIn
    }

    private func index(_ request: HTTPRequest) -> HTTPAnswer {
        if request.query("sign-in") != nil {
            return .complete(HTTPResponse(303, headers: ["Location": "/", "Cache-Control": "no-store"]))
        }
        let visible = streams.withLock { $0.filter { $0.isVisible(to: request.visitor) }.map(\.path) }
        return .complete(.page(WebPages.index(paths: visible, canSignIn: request.visitor == .nobody)))
    }

    private var first: WebStream? { streams.withLock { $0.first } }
}
