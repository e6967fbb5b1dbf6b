package import CampipeKit

/// A running graph: started from a description, changed by plans, stopped in order.
///
/// Any thread may call it. Its own decisions are made in the turns of one runner, the controller, so that a seeded
/// executor can draw their order too.
package final class Pipeline: Sendable {
    private let controller: Controller

    /// - Parameters:
    ///   - graph: What is to run; checked.
    ///   - registry: Where converters are found.
    ///   - environment: Clock, log, services.
    ///   - executor: Where nodes run that do not block.
    ///   - threads: Makes the executor of a node that may block, by its name; nil runs it on `executor` (tests).
    package init(
        graph: GraphDescription, registry: Registry, environment: NodeEnvironment,
        executor: any RunnerExecutor = PoolExecutor(),
        threads: (@Sendable (String) -> any RunnerExecutor)? = { ThreadExecutor(name: $0) }
    ) {
        controller = Controller(
            graph: graph, registry: registry, environment: environment, executor: executor, threads: threads)
    }

    /// Opens all nodes and lets items flow. Called once.
    ///
    /// - Parameters:
    ///   - changed: Told of each node's new state, on the executor; must not block.
    ///   - finished: Told once, when all nodes ended or the deadline of `stop` came.
    package func start(
        changed: @escaping @Sendable (String, SourceStatus) -> Void = { _, _ in },
        finished: @escaping @Sendable (PipelineOutcome) -> Void
    ) {
        controller.send(.start(changed: changed, finished: finished))
    }

    /// Stops the sources, drains the links and finishes the sinks.
    ///
    /// What still waits when the deadline comes is dropped as `stopped`, and each node is finished with what it has. Who
    /// has not finished after half as long again is named.
    package func stop(within deadline: Duration = .seconds(10)) { controller.send(.stop(deadline)) }

    /// Ends at once, without draining.
    package func abandon() { controller.send(.abandon) }

    /// What stood in a source's way may be mended: if it waits to be tried again, it is tried at once.
    ///
    /// - Parameter options: Its options as they are now, in the place of those it was described with; nil leaves them.
    package func retry(_ source: String, options: Value.ValueMap? = nil) { controller.send(.retry(source, options)) }

    /// How it is now.
    package var snapshot: PipelineSnapshot { controller.snapshot }

    /// How a source gave items of late; cheap. nil where there is no such source now.
    package func news(of source: String) -> SourceNews? {
        let runner = controller.currentRunners.first { $0.assignment.key == .explicit(source) }
        return (runner as? SourceRunner)?.news
    }

    /// The plan that is in force.
    package var plan: Plan { controller.currentPlan }

    /// What runs its nodes; for tests that look whether something is left behind.
    var runners: [NodeRunner] { controller.currentRunners }
}
