import CampipeConfig
import CampipeHTTP
import CampipeKit
import CampipeMedia
import CampipeNodes
import CampipeRuntime

/// What the nodes of a process share, each made only where a node of the graph needs it.
final class ProcessServices: Sendable {
    let services: Services
    /// Where the server listens; nil without one.
    private let address: ListenAddress?
    /// The paths of the `http` sinks that show something.
    let paths: [String]
    private let server: HTTPServer?
    private let streams: WebStreams?
    private let graph: GraphDescription
    /// Why nodes fail from the start, by their ids.
    private let failures: [String: String]
    private let started: WallTime
    private let fetcher: Lock<HTTPFetcher?>
    private let cameras = RTSPSessions()
    private let recordings: RecordingRegister?

    /// - Throws: `CampipeError` when the server cannot listen where it should.
    ///
    /// - Parameters:
    ///   - graph: What is made of the file.
    ///   - lines: Where nodes write lines.
    ///   - screen: Where nodes show pictures; nil is nowhere.
    ///   - recordings: Remembers where recordings keep their lists; nil remembers none.
    init(
        for graph: GraphDescription, of file: PipelineDescription, lines: LineWriter = .standardOutput,
        screen: TerminalScreen? = nil, recordings: RecordingRegister? = nil, clock: any PipelineClock, log: Log
    ) throws(CampipeError) {
        let settings = file.server
        var services = Services()
        services.add(StillPictures(), as: (any StillPainter).self)
        services.add(lines)
        if let screen { services.add(screen) }
        if let recordings { services.add(recordings, as: (any RecordingLists).self) }
        self.recordings = recordings
        self.graph = graph
        failures = file.failures
        started = clock.wallTime
        let fetcher = Lock<HTTPFetcher?>(nil)
        self.fetcher = fetcher
        let makeFetcher: @Sendable () throws -> HTTPFetcher = {
            try fetcher.withLock { made in
                if let made { return made }
                let new = try HTTPFetcher()
                made = new
                return new
            }
        }
        services.add(HTTPFetcher.self, madeBy: makeFetcher)
        services.add((any WebClient).self) { FetchingWebClient(try makeFetcher()) }
        services.add(cameras)
        services.add(PublishOrigins())
        services.add(CaptureDevices.v4l2)
        let off = file.offStreams
        let order = graph.nodes.filter(\.isEnabled).flatMap(\.inspection.httpPaths)
        paths = order.filter { path in !off.contains { $0.path == path } }
        if order.isEmpty {
            server = nil
            streams = nil
            address = nil
        } else {
            let server = try HTTPServer(
                options: HTTPServer.Options(settings), clock: clock, log: log.with("node", "server"))
            let streams = try WebStreams(server: server, order: order, off: off)
            services.add(streams)
            self.streams = streams
            do throws(CampipeError) {
                address = try server.listen(
                    on: ListenAddress(host: settings.host, port: UInt16(settings.port)), tls: TLSFiles(settings.tls))
            } catch {
                server.stop()
                throw error
            }
            self.server = server
        }
        self.services = services
    }

    /// Serves `/healthz`, `/readyz` and `/metrics` of a pipeline, and tells `/state` of its nodes.
    func watch(_ pipeline: Pipeline) throws {
        try server?.register("/healthz", access: .open) { _, _ in .complete(.text(200, "ok")) }
        try server?.register("/readyz", access: .open) { [failures] _, _ in
            let readiness = Readiness(pipeline.snapshot, lacksNodes: !failures.isEmpty)
            return .complete(.text(readiness.isReady ? 200 : 503, readiness.word))
        }
        guard let server, let streams else { return }
        streams.tellSources { source in
            pipeline.news(of: source)
        }
        streams.tellNodes { [failures] in NodeStates.json(pipeline.snapshot, failures: failures) }
        let page = MetricsPage(pipeline, graph: graph, server: server, streams: streams, started: started)
        try server.register("/metrics", access: .admin) { _, _ in page.answer }
    }

    /// Calls back once with where it serves, when viewers may come; never without a server.
    func whenServing(_ action: @escaping @Sendable (ListenAddress) -> Void) {
        guard let address, !paths.isEmpty else { return }
        streams?.whenOpen(paths) { action(address) }
    }

    /// Ends what was made; not while nodes still use it.
    func stop() {
        server?.stop()
        fetcher.withLock { $0 }?.stop()
        cameras.stop()
        recordings?.finish()
    }
}
