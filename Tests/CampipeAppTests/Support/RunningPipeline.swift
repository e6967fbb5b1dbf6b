import CampipeConfig
import CampipeHTTP
import CampipeKit
import CampipeNodes
import CampipeRuntime
import Dispatch
import Glibc
import Testing

@testable import CampipeApp

/// A pipeline file at work in this process, by the real clock, with a terminal and a standard output of its own.
final class RunningPipeline: Sendable {
    let pipeline: Pipeline
    /// What `terminal` wrote.
    let screen = Lock<[UInt8]>([])
    /// What `log` wrote.
    let lines = Lock<[String]>([])
    private let services: ProcessServices
    private let address = Lock<ListenAddress?>(nil)
    private let outcome = Lock<PipelineOutcome?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        let loaded = LoadedPipeline(path)
        let file = try #require(loaded.description, "\(loaded.report.text())")
        let graph = GraphDescription(file)
        let clock = SystemClock()
        services = try ProcessServices(for: graph, of: file, clock: clock, log: .silent)
        var services = services.services
        services.add(
            TerminalScreen(
                environment: [:], measure: { TerminalScreen.Size(columns: 40, rows: 16) },
                writing: { [screen] bytes in
                    screen.withLock { $0 = bytes }
                    return true
                }))
        services.add(
            LineWriter { [lines] line in
                lines.withLock { $0.append(line) }
                return .written
            })
        let environment = NodeEnvironment(pipeline: graph.name, clock: clock, log: .silent, services: services)
        pipeline = Pipeline(graph: graph, registry: BuiltInNodes.registry, environment: environment)
        try self.services.watch(pipeline)
        self.services.whenServing { [address] served in address.withLock { $0 = served } }
        pipeline.start { [outcome, ended] result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
    }

    deinit { services.stop() }

    /// Where it serves, once it does.
    func port() throws -> UInt16 {
        _ = Self.wait { address.withLock { $0 } != nil }
        return try #require(address.withLock { $0 }?.port)
    }

    /// Waits for its end, and ends it if it does not by itself.
    func end(stopping: Bool = true) -> PipelineOutcome? {
        if stopping { pipeline.stop() }
        _ = ended.wait(timeout: .now() + .seconds(60))
        return outcome.withLock { $0 }
    }

    /// Waits until something is so.
    static func wait(_ seconds: Int = 60, until condition: () throws -> Bool) rethrows -> Bool {
        let clock = SystemClock()
        let deadline = clock.now + .seconds(seconds)
        while try !condition() {
            guard clock.now < deadline else { return try condition() }
            usleep(20_000)
        }
        return true
    }
}
