import CampipeConfig
import CampipeKit
import CampipeRuntime
import Dispatch
import Glibc

/// `campipe run`: a pipeline from its file to its end.
struct RunCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let path = invocation.arguments[0]
        var overrides = invocation.all(Flags.set).map { Override(path: $0.path.description, text: $0.text) }
        if let listen = invocation[Flags.listen] { overrides.append(Override(path: "server.listen", text: "\"\(listen)\"")) }
        guard let loaded = LoadedPipeline(path, overrides: overrides, console: console) else { return .configuration }

        let clock = SystemClock()
        let printer = LogPrinter(format: invocation[Flags.logFormat] ?? .text, console: console, clock: clock)
        let log = printer.log(level: invocation[Flags.logLevel] ?? .info)
        let graph = GraphDescription(loaded.description, screen: !invocation[Flags.noScreen])
        do {
            let services = try ProcessServices(for: graph, server: loaded.description.server, clock: clock, log: log)
            defer { services.stop() }
            announce(services, loaded.description)
            return run(graph, services, printer, clock: clock, log: log)
        } catch {
            log.error("cannot start", ["cause": error])
            return .failed
        }
    }

    private func run(
        _ graph: GraphDescription, _ services: ProcessServices, _ printer: LogPrinter, clock: SystemClock, log: Log
    ) -> ExitCode {
        let environment = NodeEnvironment(
            pipeline: graph.name, clock: clock, log: log, services: services.services,
            seed: UInt64(bitPattern: clock.wallTime.microseconds))
        let pipeline = Pipeline(graph: graph, registry: ProcessServices.registry, environment: environment)
        let ended = DispatchSemaphore(value: 0)
        let outcome = Lock(PipelineOutcome())
        let stopper = SignalStopper { count in
            if count == 1 {
                log.info("stopping; once more stops at once")
                pipeline.stop()
            } else {
                pipeline.abandon()
            }
        }
        services.watch(pipeline)
        let status = console.isErrorTerminal && !paintsScreen(graph) ? StatusPainter(pipeline, console, printer, clock) : nil
        pipeline.start { result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
        if let duration = invocation[Flags.duration] {
            clock.schedule(at: clock.now + duration) { pipeline.stop() }
        }
        ended.wait()
        stopper.cancel()
        status?.stop()
        return Self.exitCode(outcome.withLock { $0 }, log: log)
    }

    private static func exitCode(_ outcome: PipelineOutcome, log: Log) -> ExitCode {
        for node in outcome.stragglers { log.error("did not finish in time", ["node": node]) }
        return outcome.isClean ? .ok : .failed
    }

    private func paintsScreen(_ graph: GraphDescription) -> Bool {
        graph.nodes.contains { $0.isEnabled && $0.descriptor.name == "terminal" } && isatty(STDOUT_FILENO) == 1
    }

    /// Says what is served, and the line that opens it to the house.
    private func announce(_ services: ProcessServices, _ file: PipelineDescription) {
        guard let address = services.address else { return }
        let pages = services.paths.map { "  \(address)\($0)/" }
        guard !pages.isEmpty else { return }
        console.complain("campipe serves \(file.name):\n\(pages.joined(separator: "\n"))\n")
        guard ["127.0.0.1", "localhost", "::1"].contains(file.server.host), !file.server.allowsAnyone else { return }
        let words = [
            "./campipe", "run", invocation.arguments[0], "--listen", "0.0.0.0:\(services.port)", "--set", "server.auth=none",
        ]
        console.complain("Only this machine sees it. For everyone in your network:\n  \(words.joined(separator: " "))\n")
    }
}
