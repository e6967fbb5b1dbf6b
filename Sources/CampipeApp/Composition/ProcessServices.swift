import CampipeConfig
import CampipeHTTP
import CampipeKit
import CampipeNodes
import CampipeRuntime

/// What the nodes of a process share, made only where a node of the graph needs it.
final class ProcessServices: Sendable {
    static let registry = BuiltInNodes.registry

    let services: Services
    /// `http://127.0.0.1:8080`; nil without a server.
    let address: String?
    let port: Int
    /// The paths of the `http` sinks.
    let paths: [String]
    private let server: HTTPServer?

    /// - Throws: `CampipeError` when the server cannot listen where it should.
    init(for graph: GraphDescription, server settings: ServerSettings, clock: any PipelineClock, log: Log) throws {
        var services = Services()
        let enabled = graph.nodes.filter(\.isEnabled)
        paths = enabled.flatMap { node in
            node.inspection.resources.filter { $0.kind == .httpPath }.map(\.name)
        }
        if paths.isEmpty {
            server = nil
            address = nil
            port = 0
        } else {
            let server = try HTTPServer(clock: clock, log: log.with("node", "server"))
            let bound = try server.listen(on: ListenAddress(host: settings.host, port: UInt16(settings.port)))
            services.add(try WebStreams(server: server))
            self.server = server
            port = Int(bound.port)
            let host = ["0.0.0.0", "::", ""].contains(settings.host) ? "127.0.0.1" : settings.host
            address = "http://\(host.contains(":") ? "[\(host)]" : host):\(bound.port)"
        }
        self.services = services
    }

    /// Lets `/state` and its like see the pipeline.
    func watch(_ pipeline: Pipeline) {}

    func stop() { server?.stop() }
}
