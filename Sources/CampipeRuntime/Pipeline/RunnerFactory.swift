import CampipeKit

/// Makes the runners of planned nodes.
struct RunnerFactory: Sendable {
    let graph: GraphDescription
    let registry: Registry
    let environment: NodeEnvironment
    /// Where nodes run that do not block.
    let executor: any RunnerExecutor
    /// Makes the executor of a node that may block; nil runs it with the others.
    let threads: (@Sendable (String) -> any RunnerExecutor)?
    /// The source that feeds each node's main input, by their ids.
    private let sources: [String: String]

    init(
        graph: GraphDescription, registry: Registry, environment: NodeEnvironment, executor: any RunnerExecutor,
        threads: (@Sendable (String) -> any RunnerExecutor)?
    ) {
        self.graph = graph
        self.registry = registry
        self.environment = environment
        self.executor = executor
        self.threads = threads
        sources = Self.sources(of: graph)
    }

    /// - Returns: nil for what neither the graph nor the registry knows.
    func make(_ node: PlannedNode, report: @escaping @Sendable (RunnerReport) -> Void) -> NodeRunner? {
        guard let assignment = assignment(for: node) else { return nil }
        let executor: any RunnerExecutor =
            if assignment.registration.descriptor.execution == .ownThread, let threads { threads(assignment.id) } else {
                executor
            }
        return assignment.registration.descriptor.contract == .source
            ? SourceRunner(assignment, environment: environment, executor: executor, report: report)
            : ConsumerRunner(assignment, environment: environment, executor: executor, report: report)
    }

    private func assignment(for node: PlannedNode) -> NodeAssignment? {
        switch node.key {
        case .explicit(let id):
            guard let description = graph[id] else { return nil }
            var assignment = NodeAssignment(
                key: node.key, id: id, registration: description.registration, options: description.options,
                source: source(of: id), isLive: node.isLive)
            assignment.camera = description.camera
            let off = description.descriptor.isMixer ? GraphOrder(graph).off : []
            assignment.feeds = (description.inputs.first?.from ?? []).map { reference in
                let node = graph[reference.node]
                return Feed(
                    id: reference.node, source: source(of: reference.node), camera: node?.camera,
                    isOff: off.contains(reference.node))
            }
            assignment.connected = Set(description.inputs.filter { !$0.from.isEmpty }.map(\.port))
            assignment.onError = description.onError
            assignment.when = description.when
            assignment.stallAfter = description.stallAfter
            assignment.reconnects = description.reconnects
            assignment.onDemand = description.onDemand
            return assignment
        case .implicit(let role, let upstream, let request, _):
            guard let registration = registry.converter(role) else { return nil }
            let origin = upstream.node.origin
            var assignment = NodeAssignment(
                key: node.key, id: node.key.description, registration: registration, options: request.options,
                source: source(of: origin), isLive: node.isLive)
            assignment.camera = graph[origin]?.camera
            // One picture that cannot be converted must not take the stream away.
            assignment.onError = .skip
            return assignment
        }
    }

    private func source(of id: String) -> String { sources[id] ?? id }

    private static func sources(of graph: GraphDescription) -> [String: String] {
        var sources: [String: String] = [:]
        for node in graph.nodes {
            // Up to one that is known already, so that a chain is walked once.
            var way = [node.id]
            while sources[way[way.count - 1]] == nil, way.count <= graph.nodes.count,
                let from = graph[way[way.count - 1]]?.inputs.first?.from.first
            {
                way.append(from.node)
            }
            let last = way[way.count - 1]
            let source = sources[last] ?? last
            for id in way { sources[id] = source }
        }
        return sources
    }
}
