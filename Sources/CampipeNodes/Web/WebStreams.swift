package import CampipeHTTP
import CampipeKit

/// All streams that a server shows: one for each `http` sink. A service, composed where the server is.
///
/// It answers at `/` with the list, and under mjpg-streamer's and ustreamer's names (`/stream`, `/snapshot`, `/state`,
/// `/?action=stream`) for the first stream there is. Any thread may call it.
package final class WebStreams: Sendable {
    private let server: HTTPServer
    private let streams = Lock<[WebStream]>([])
    private let awaited = Lock<(paths: Set<String>, action: @Sendable () -> Void)?>(nil)

    /// - Throws: `CampipeError` of kind `.configuration` when one of the paths is taken.
    package init(server: HTTPServer) throws {
        self.server = server
        try server.register("/") { [weak self] request, responder in
            guard let self else { return nil }
            if request.query("action") != nil { return self.first?.answer(request, responder) }
            return .complete(.page(WebPages.index(paths: self.paths)))
        }
        for name in ["stream", "snapshot", "state"] {
            try server.register("/\(name)") { [weak self] request, responder in
                var request = request
                request.subpath = name
                return self?.first?.answer(request, responder)
            }
        }
    }

    /// The paths of the streams, in the order in which they came.
    package var paths: [String] { streams.withLock { $0.map(\.path) } }

    /// Begins a stream; viewers may come from now on.
    ///
    /// - Throws: `CampipeError` of kind `.configuration` when the path is taken.
    func open(_ path: String, want: Want, clock: any PipelineClock, demand: Demand) throws -> WebStream {
        let stream = WebStream(path: path, want: want, server: server, clock: clock, demand: demand)
        do {
            try server.register(path, coversBelow: true) { [weak stream] request, responder in
                stream?.answer(request, responder)
            }
        } catch {
            stream.close()
            throw error
        }
        streams.withLock { $0.append(stream) }
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

    private var first: WebStream? { streams.withLock { $0.first } }
}
