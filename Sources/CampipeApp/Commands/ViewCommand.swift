import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime

/// `campipe view`: any camera in this terminal, without a file.
///
/// As players do, it gives up on what cannot be opened; what was seen once is waited for when it goes away.
struct ViewCommand {
    private let invocation: Invocation
    private let console: Console
    private let input: PasswordInput

    init(_ invocation: Invocation, _ console: Console, input: PasswordInput = .standardInput) {
        self.invocation = invocation
        self.console = console
        self.input = input
    }

    func perform() -> ExitCode {
        guard console.isOutputTerminal else {
            console.complain(
                "campipe: there is no terminal to show pictures in; `campipe probe URL` tells what a camera speaks\n")
            return .failed
        }
        guard console.showsPictures else {
            console.complain(
                "campipe: this terminal cannot show pictures (TERM=dumb); `campipe probe URL` tells what a camera speaks\n"
            )
            return .failed
        }
        do throws(CampipeError) {
            let camera = try CameraArguments(invocation, console, input).camera
            let rate = invocation[Flags.viewFPS].map { ", fps: \($0)" } ?? ""
            let file = try camera.pipeline(name: "view", sink: "screen: {type: terminal, input: camera\(rate)}") {
                console.complain("campipe: warning: \($0)\n")
            }
            try show(file)
            return .ok
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
    }

    /// What became of the camera.
    private struct Story {
        var hasRun = false
        /// Why it could not be opened.
        var failure: String?
    }

    private func show(_ file: PipelineDescription) throws(CampipeError) {
        let clock = SystemClock()
        let suspension = SuspensionSignals()
        let signals = SignalStopper()
        let footerRows = console.footerRows(serves: false)
        let output = console.lines(footerRows: footerRows)
        // Of a camera that goes away the status line tells.
        let log = LogPrinter(format: .text, style: console.errorStyle, clock: clock, output: output).log(level: .error)
        let graph = GraphDescription(file)
        let screen = TerminalScreen.standardOutput(
            columns: invocation[Flags.columns], footerRows: footerRows
        ) { [console] isCovered in
            if console.isErrorTerminal { output.cover(isCovered) }
        }
        let services = try ProcessServices(for: graph, of: file, screen: screen, clock: clock, log: log)
        defer { services.stop() }
        let pipeline = Pipeline(
            graph: graph, registry: BuiltInNodes.registry,
            environment: NodeEnvironment(
                pipeline: graph.name, clock: clock, log: log, services: services.services,
                seed: UInt64(bitPattern: clock.wallTime.microseconds)))
        let keys = TerminalKeys { key in if TerminalKeys.quits(key) { pipeline.stop() } }
        suspension.listen(
            pause: {
                screen.pause()
                keys?.pause()
            },
            resume: {
                keys?.resume()
                screen.resume()
            })
        let story = Lock(Story())
        let run = PipelineRun(pipeline: pipeline, signals: signals, clock: clock, log: log) { [console] in
            keys?.end()
            if screen.isShown { console.paint(TerminalScreen.end) }
        }
        let outcome = run.perform(
            status: { statusPainter(pipeline, output, clock) },
            changed: { id, status in
                guard id == "camera" else { return }
                let mustStop = story.withLock { story -> Bool in
                    switch status.state {
                    case .running: story.hasRun = true
                    case .waiting, .stalled, .failed:
                        guard !story.hasRun, story.failure == nil else { return false }
                        story.failure = status.reason ?? "the camera gives no picture"
                        return true
                    default: break
                    }
                    return false
                }
                if mustStop { pipeline.stop() }
            })
        keys?.end()
        if !outcome.stragglers.isEmpty, screen.isShown { console.paint(TerminalScreen.end) }
        output.close()
        if let failure = story.withLock({ $0.failure }) { throw CampipeError(.failed, failure) }
        if let failure = outcome.failures.first { throw failure.error }
        if let straggler = outcome.stragglers.first {
            throw CampipeError(.failed, "\(straggler) did not finish in time")
        }
    }

    private func statusPainter(_ pipeline: Pipeline, _ output: LineOutput, _ clock: SystemClock) -> StatusPainter? {
        guard console.isErrorTerminal else { return nil }
        return StatusPainter(pipeline, output: output, columns: { console.columns }, clock: clock)
    }
}
