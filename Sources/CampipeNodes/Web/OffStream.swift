import CampipeHTTP

/// The place of an `http` sink that is off, since what it shows is: its path says so, and no picture comes.
///
/// Its page is a page like the others. Pictures are a 503 with a sentence and `X-Campipe-State: off`; `/state` is that of
/// a stream which is not online. It has no number: `/stream` and `/stream_N` mean streams that show something.
package struct OffStream: Sendable {
    package let path: String
    /// Why it is off, as the rest of a sentence: `its input watch is disabled`.
    package let reason: String
    let access: StreamAccess

    /// - Parameter access: What the sink's option `access` says, if anything.
    package init(path: String, reason: String, access: String?) {
        self.path = path
        self.reason = reason
        self.access = access.flatMap(StreamAccess.init(rawValue:)) ?? .viewer
    }

    /// Who may have what a request below the path asks for.
    func access(_ request: HTTPRequest) -> RouteAccess { access.route(request, of: path) }

    /// Answers what is asked below the path; nil is 404.
    ///
    /// - Parameter nodes: How the pipeline's nodes are, as JSON, for `/state`.
    func answer(_ request: HTTPRequest, nodes: () -> String?) -> HTTPAnswer? {
        if HLSWindow.Piece(request.subpath, request.query) != nil { return isOff }
        guard let call = StreamCall(request), call.number == 0 else { return nil }
        switch call.kind {
        case .page: return .complete(.page(WebPages.off(path: path, reason: reason)))
        case .state: return .complete(.json(WebStream.offStateJSON(nodes: nodes())))
        case .stream, .snapshot, .video: return isOff
        }
    }

    private var isOff: HTTPAnswer {
        .complete(.text(503, "off: \(reason)", headers: ["X-Campipe-State": "off"]))
    }
}
