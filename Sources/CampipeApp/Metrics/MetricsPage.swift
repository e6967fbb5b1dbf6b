import CampipeHTTP
import CampipeKit
import CampipeNodes
import CampipeRuntime

/// Answers `/metrics` of a running pipeline.
final class MetricsPage: Sendable {
    private let name: String
    private let pipeline: Pipeline
    private let server: HTTPServer
    private let streams: WebStreams
    /// The sinks' ids by the paths that they serve.
    private let nodes: [String: String]
    private let sources: [String]
    private let started: WallTime
    private let links = Lock(LinkTotals())

    init(
        _ pipeline: Pipeline, graph: GraphDescription, server: HTTPServer, streams: WebStreams, started: WallTime
    ) {
        self.pipeline = pipeline
        self.server = server
        self.streams = streams
        self.started = started
        name = graph.name
        sources = graph.nodes.filter { $0.descriptor.contract == .source }.map(\.id)
        var nodes: [String: String] = [:]
        // One that is switched off leaves its path to another.
        for node in graph.nodes where node.isEnabled {
            for path in node.inspection.httpPaths { nodes[path] = node.id }
        }
        self.nodes = nodes
    }

    var answer: HTTPAnswer {
        let snapshot = pipeline.snapshot
        let links = links.withLock { links in
            links.update(snapshot)
            return links
        }
        let metrics = PipelineMetrics(
            pipeline: name, version: VersionCommand.version, started: Double(started.microseconds) / 1e6,
            snapshot: snapshot, off: sources.filter { snapshot.off.contains($0) }, links: links,
            streams: streams.counters.map { .init(node: nodes[$0.path] ?? $0.path, counters: $0.counters) },
            server: server.counters, usage: .current, copies: PixelBuffer.copies)
        return .complete(
            HTTPResponse(
                200, headers: ["Content-Type": MetricsText.contentType, "Cache-Control": "no-store"],
                body: Bytes(metrics.text.utf8)))
    }
}
