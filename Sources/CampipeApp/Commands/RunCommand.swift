import CampipeConfig
import CampipeHTTP
import CampipeKit
import CampipeNodes
import CampipeRuntime
import Foundation

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
            if invocation[Flags.lan], let address = try? ListenAddress(listen), address.isLoopback {
                let wanted = ListenAddress(host: "0.0.0.0", port: address.port)
                console.complain(
                    UsageError(
                        "--lan serves on all addresses, and --listen \(listen) on this machine alone",
                        fix: "write --listen \(wanted) --lan, or leave --lan out", command: .run
                    ).text)
                return .usage
            }
            overrides.append(Override(path: "server.listen", text: JSONString.quoted(listen), name: "--listen"))
        }
        let path = invocation.arguments[0]
        let clock = SystemClock()
        var lan: LANAccess?
        let plugins = PluginSet(invocation, console)
        let file: PipelineDescription
        let registry: Registry
        do throws(CampipeError) {
            let wantsLAN = invocation[Flags.lan]
            let loaded = try LoadedPipeline(path, plugins: plugins, overrides: overrides, isToRun: true) {
                server throws(CampipeError) in
                guard wantsLAN else { return [] }
                let made = try lanAccess(server, clock)
                lan = made
                return made.overrides
            }
            guard let description = loaded.shown(console) else { return .configuration }
            file = description
            registry = loaded.registry
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
        overrides += lan?.overrides ?? []
        let graph = GraphDescription(file, screen: !invocation[Flags.noScreen])
        let suspension = paintsScreen(graph) ? SuspensionSignals() : nil
        let signals = SignalStopper()
        let footerRows = console.footerRows(
            serves: graph.nodes.contains { $0.isEnabled && !$0.inspection.httpPaths.isEmpty })
        let output = console.lines(footerRows: footerRows)
        defer { output.close() }
        let lines = HeldLines(lines(above: output))
        let screen = TerminalScreen.standardOutput(footerRows: footerRows) { [console] isCovered in
            if console.isErrorTerminal { output.cover(isCovered) }
            lines.cover(isCovered)
        }
        let log = LogPrinter(
            format: invocation[Flags.logFormat] ?? .text, style: console.errorStyle, clock: clock, output: output
        ).log(level: invocation[Flags.logLevel] ?? .info)
        do {
            let services = try ProcessServices(
                for: graph, of: file, lines: LineWriter(lines.write), screen: screen,
                recordings: try? RecordingRegister(environment: console.environment), clock: clock, log: log)
            defer { services.stop() }
            let environment = NodeEnvironment(
                pipeline: graph.name, clock: clock, log: log, services: services.services,
                seed: UInt64(bitPattern: clock.wallTime.microseconds))
            let pipeline = Pipeline(graph: graph, registry: registry, environment: environment)
            try services.watch(pipeline)
            // Where pictures fill the terminal, q ends them, and all else with them.
            let keys =
                paintsScreen(graph) ? TerminalKeys { if TerminalKeys.quits($0) { pipeline.stop() } } : nil
            defer { keys?.end() }
            suspension?.listen(
                pause: {
                    screen.pause()
                    keys?.pause()
                },
                resume: {
                    keys?.resume()
                    screen.resume()
                })
            announce(services, file, lan, output, log)
            for node in file.nodes {
                if let failure = node.failure {
                    log.error("failed", ["node": node.id, "cause": failure])
                } else if let reason = node.off?.reason {
                    log.info("off", ["node": node.id, "cause": reason])
                }
            }
            let sinks = graph.nodes.filter { $0.isEnabled && $0.descriptor.contract == .sink }
            if !console.showsPictures, !sinks.isEmpty, sinks.allSatisfy({ $0.descriptor.name == "terminal" }) {
                log.warning("this runs for nothing: all it does is to show pictures in a terminal, and there is none")
            }
            let watch = RefusalWatch(
                pipeline, path: path, file: file, overrides: overrides, plugins: plugins, clock: clock, log: log)
            // What a terminal sink would have done, had it finished.
            let leave: @Sendable () -> Void = { [console] in
                keys?.end()
                if screen.isShown { console.paint(TerminalScreen.end) }
                lines.close()
            }
            let code = run(pipeline, signals, output, watch, leave, clock: clock, log: log)
            return file.failures.isEmpty ? code : .failed
        } catch {
            log.error("cannot start", ["cause": error])
            return .failed
        }
    }

    private func run(
        _ pipeline: Pipeline, _ signals: SignalStopper, _ output: LineOutput, _ watch: RefusalWatch,
        _ leave: @escaping @Sendable () -> Void, clock: SystemClock, log: Log
    ) -> ExitCode {
        let run = PipelineRun(pipeline: pipeline, signals: signals, clock: clock, log: log) {
            leave()
            output.close()
        }
        let result = run.perform(
            for: invocation[Flags.duration], status: { statusPainter(pipeline, output, clock) },
            changed: { watch.changed($0, $1) })
        if !result.stragglers.isEmpty { leave() }
        let snapshot = pipeline.snapshot
        // Whoever hangs in a call, such as to an output that nobody reads, has lost what it hangs at and what waits.
        for node in result.stragglers where !result.failures.contains(where: { $0.node == node }) {
            let items = snapshot.lostItems(of: node) + snapshot.waitingItems(of: node)
            guard snapshot.nodes.contains(where: { $0.id == node && $0.contract == .sink }) else { continue }
            log.error("the run failed", ["node": node, "items": items + 1, "cause": "did not finish in time"])
        }
        if !result.failures.isEmpty {
            for node in result.unread { log.error("the input was not read to its end", ["node": node]) }
        }
        for failure in result.failures {
            log.error(
                "the run failed",
                [
                    "node": failure.node, "failures": failure.count, "items": snapshot.lostItems(of: failure.node),
                    "cause": failure.error,
                ])
        }
        if snapshot.nodes.isEmpty { log.info("ended, since no node is left that works") }
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

    /// Whether pictures are to fill the terminal.
    private func paintsScreen(_ graph: GraphDescription) -> Bool {
        console.showsPictures && graph.nodes.contains { $0.isEnabled && $0.descriptor.name == "terminal" }
    }

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
            let machine = MachineAddresses.all
            let announcement = Announcement(
                name: file.name, paths: services.paths, address: address, isSecure: file.server.tls != nil,
                machine: machine, variables: file.variables, command: command, words: words)
            output.show(addresses: announcement.pages)
            if isJSON {
                for page in announcement.pages { log.info("serving", ["url": page]) }
                if let opening = announcement.opening { log.info("only this machine sees it", ["open": opening]) }
                return
            }
            output.add(announcement.text)
            guard let lan else { return }
            let invitation = Invitation(
                lan, address: address, isSecure: file.server.tls != nil, machine: machine)
            output.add(invitation.text + (showsCode ? invitation.code ?? "" : ""))
        }
    }
}
