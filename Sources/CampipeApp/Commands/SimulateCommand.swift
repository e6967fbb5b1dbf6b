import CampipeHTTP
import CampipeKit
import CampipeMedia
import Dispatch

/// `campipe simulate`: demo scenes served as real cameras would.
struct SimulateCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let name = invocation[Flags.scene] ?? "porch"
        guard let kind = DemoScene.Kind(rawValue: name) else {
            let known = DemoScene.Kind.allCases.map(\.rawValue)
            let fix = "; \(Nearest.fix(name, in: known))"
            console.complain(UsageError("there is no scene \"\(name)\"\(fix)", command: .simulate).text)
            return .usage
        }
        let signals = SignalStopper()
        let output = LineOutput(console.complain)
        defer { output.close() }
        let clock = SystemClock()
        let log = LogPrinter(
            format: invocation[Flags.logFormat] ?? .text, style: console.errorStyle, clock: clock, output: output
        ).log(level: invocation[Flags.logLevel] ?? .info)
        let size = invocation[Flags.size].map { Size($0.width, $0.height) } ?? Size(1280, 720)
        let cameras = (1...(invocation[Flags.cameras] ?? 1)).map {
            SimulatedCamera(kind, size: size, fps: invocation[Flags.fps] ?? 15, seed: UInt64($0))
        }
        let faults = SimulationFaults(
            omitsBoundary: invocation[Flags.noBoundary], stallEvery: invocation[Flags.stallEvery],
            cutEvery: invocation[Flags.cutEvery], damageEvery: invocation[Flags.damageEvery],
            stallFor: invocation[Flags.stallFor] ?? SimulationFaults.usualStall)
        if invocation[Flags.stallFor] != nil, faults.stallEvery == nil {
            console.complain(
                UsageError("--stall-for needs --stall-every, which says when to stall", command: .simulate).text)
            return .usage
        }
        let simulator = CameraSimulator(cameras, faults: faults, clock: clock, log: log)
        do {
            let address = try ListenAddress(invocation[Flags.simulateListen] ?? "127.0.0.1:8090")
            let bound = try simulator.start(on: address)
            let shown = bound.isForAll ? ListenAddress(host: "127.0.0.1", port: bound.port) : bound
            for number in cameras.indices { console.print("\(shown.url(isSecure: false))/cam\(number + 1)\n") }
            if !bound.isLoopback {
                log.warning(
                    "everybody in the network can see these scenes: no password is asked for",
                    ["address": others(bound).url(isSecure: false)])
            }
        } catch {
            log.error("cannot start", ["cause": error])
            return .failed
        }
        let ended = DispatchSemaphore(value: 0)
        signals.listen { _ in ended.signal() }
        if let duration = invocation[Flags.duration] { clock.schedule(at: clock.now + duration) { ended.signal() } }
        ended.wait()
        simulator.stop()
        return .ok
    }

    /// Where other machines find it.
    private func others(_ bound: ListenAddress) -> ListenAddress {
        ListenAddress(host: bound.isForAll ? MachineAddresses.all.first ?? bound.host : bound.host, port: bound.port)
    }
}
