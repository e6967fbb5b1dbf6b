import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime
import Dispatch
import Foundation
import Glibc

/// `campipe run`: a pipeline from its file to its end.
struct RunCommand {
    private let invocation: Invocation
    private let console: Console
    private let words: [String]

    /// - Parameter words: The whole command line, for the line that opens the pipeline to the house.
    init(_ invocation: Invocation, _ console: Console, words: [String]) {
        self.invocation = invocation
        self.console = console
        self.words = words
    }

    func perform() -> ExitCode {
        var overrides = invocation.all(Flags.set).map { Override(path: $0.place, text: $0.text) }
        if let listen = invocation[Flags.listen] {
            overrides.append(Override(path: "server.listen", text: JSONString.quoted(listen), name: "--listen"))
        }
        let path = invocation.arguments[0]
        let clock = SystemClock()
        var lan: LANAccess?
        let file: PipelineDescription
        do throws(CampipeError) {
            let wantsLAN = invocation[Flags.lan]
            let loaded = try LoadedPipeline.description(of: path, overrides: overrides, console) {
                server throws(CampipeError) in
                guard wantsLAN else { return [] }
                let made = try lanAccess(server, clock)
                lan = made
                return made.overrides
            }
            guard let loaded else { return .configuration }
            file = loaded
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
        overrides += lan?.overrides ?? []
        let graph = GraphDescription(file, screen: !invocation[Flags.noScreen])
        let signals = SignalStopper()
        let output = LineOutput(isUnderPicture: console.isErrorTerminal && paintsScreen(graph), console.complain)
        defer { output.close() }
        let log = LogPrinter(
            format: invocation[Flags.logFormat] ?? .text, style: console.errorStyle, clock: clock, output: output
        ).log(level: invocation[Flags.logLevel] ?? .info)
        do {
            let services = try ProcessServices(
                for: graph, server: file.server, lines: lines(above: output), clock: clock, log: log)
            defer { services.stop() }
            let environment = NodeEnvironment(
                pipeline: graph.name, clock: clock, log: log, services: services.services,
                seed: UInt64(bitPattern: clock.wallTime.microseconds))
            let pipeline = Pipeline(graph: graph, registry: BuiltInNodes.registry, environment: environment)
            try services.watch(pipeline, name: graph.name)
            announce(services, file, lan, output, log)
            let watch = RefusalWatch(pipeline, path: path, file: file, overrides: overrides, clock: clock, log: log)
            return run(pipeline, graph, signals, output, watch, clock: clock, log: log)
        } catch {
            log.error("cannot start", ["cause": error])
            return .failed
        }
    }

    private func run(
        _ pipeline: Pipeline, _ graph: GraphDescription, _ signals: SignalStopper, _ output: LineOutput,
        _ watch: RefusalWatch, clock: SystemClock, log: Log
    ) -> ExitCode {
        let ended = DispatchSemaphore(value: 0)
        let outcome = Lock(PipelineOutcome())
        pipeline.start(changed: { watch.changed($0, $1) }) { result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
        let leave: @Sendable () -> Void = { [self] in
            if paintsScreen(graph) { console.print(Self.screenEnd) }
            output.close()
            _exit(ExitCode.failed.rawValue)
        }
        signals.listen { count in
            switch count {
            case 1:
                log.info("stopping; once more stops at once")
                pipeline.stop()
            case 2:
                pipeline.abandon()
                // A node that holds all workers must not hold the process.
                clock.schedule(at: clock.now + .seconds(1), leave)
            default: leave()
            }
        }
        if let duration = invocation[Flags.duration] {
            clock.schedule(at: clock.now + duration) { pipeline.stop() }
        }
        let status = statusPainter(pipeline, output, clock)
        ended.wait()
        status?.stop()
        let result = outcome.withLock { $0 }
        // What a terminal sink would have done, had it finished.
        if !result.stragglers.isEmpty, paintsScreen(graph) { console.print(Self.screenEnd) }
        for node in result.stragglers { log.error("did not finish in time", ["node": node]) }
        return result.isClean ? .ok : .failed
    }

    /// Only where a person reads the log.
    private func statusPainter(
        _ pipeline: Pipeline, _ output: LineOutput, _ clock: SystemClock
    ) -> StatusPainter? {
        guard console.isErrorTerminal, invocation[Flags.logFormat] != .json else { return nil }
        return StatusPainter(pipeline, output: output, columns: { console.columns }, clock: clock)
    }

    /// Standard output, for nodes that write lines to it: around the status line, where both are on one terminal.
    private func lines(above output: LineOutput) -> LineWriter {
        guard console.isOneTerminal else { return .standardOutput }
        return LineWriter { line in try output.above { try LineWriter.standardOutput.write(line) } }
    }

    /// Whether a picture fills the terminal.
    private func paintsScreen(_ graph: GraphDescription) -> Bool {
        console.isOutputTerminal && graph.nodes.contains { $0.isEnabled && $0.descriptor.name == "terminal" }
    }

    /// The cursor shown, and the screen of before.
    private static let screenEnd = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    private func lanAccess(_ server: ServerSettings, _ clock: SystemClock) throws(CampipeError) -> LANAccess {
        try LANAccess(
            server, addresses: MachineAddresses.all, hostName: ProcessInfo.processInfo.hostName, time: clock.wallTime,
            mayTell: invocation[Flags.logFormat] != .json, folder: StateFolder("lan"))
    }

    /// Says what is served, once it is, who may see it, and the line that opens it to the house.
    private func announce(
        _ services: ProcessServices, _ file: PipelineDescription, _ lan: LANAccess?, _ output: LineOutput, _ log: Log
    ) {
        let isJSON = invocation[Flags.logFormat] == .json
        let showsCode = console.errorStyle.usesColor
        let command =
            ProcessInfo.processInfo.environment["CAMPIPE_COMMAND"] ?? CommandLine.arguments.first ?? "campipe"
        services.whenServing { [words] address in
            let announcement = Announcement(
                name: file.name, paths: services.paths, address: address, isSecure: file.server.tls != nil,
                machine: MachineAddresses.all, command: command, words: words)
            if isJSON {
                for page in announcement.pages { log.info("serving", ["url": page]) }
                if let opening = announcement.opening { log.info("only this machine sees it", ["open": opening]) }
                return
            }
            output.add(announcement.text)
            guard let lan else { return }
            let invitation = Invitation(
                lan, address: address, isSecure: file.server.tls != nil, machine: MachineAddresses.all)
            output.add(invitation.text + (showsCode ? invitation.code ?? "" : ""))
        }
    }
}
