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
            console.complain("campipe: there is no scene \"\(name)\"; \(Nearest.fix(name, in: known) ?? "")\n")
            return .usage
        }
        let clock = SystemClock()
        let size = invocation[Flags.size].map { Size($0.width, $0.height) } ?? Size(1280, 720)
        let fps = invocation[Flags.fps] ?? 15
        let cameras = (0..<(invocation[Flags.cameras] ?? 1)).map {
            SimulatedCamera(kind, size: size, fps: fps, seed: UInt64($0 + 1))
        }
        let faults = SimulationFaults(
            omitsBoundary: invocation[Flags.noBoundary], stallEvery: invocation[Flags.stallEvery],
            cutEvery: invocation[Flags.cutEvery], damageEvery: invocation[Flags.damageEvery])
        let simulator = CameraSimulator(cameras, faults: faults, clock: clock)
        do {
            let address = try ListenAddress(invocation[Flags.simulateListen] ?? "127.0.0.1:8090")
            let port = try simulator.start(on: address)
            let host = address.host.contains(":") ? "[\(address.host)]" : address.host
            for number in cameras.indices { console.print("http://\(host):\(port)/cam\(number + 1)\n") }
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
        let ended = DispatchSemaphore(value: 0)
        let stopper = SignalStopper { _ in ended.signal() }
        if let duration = invocation[Flags.duration] { clock.schedule(at: clock.now + duration) { ended.signal() } }
        ended.wait()
        stopper.cancel()
        simulator.stop()
        return .ok
    }
}
