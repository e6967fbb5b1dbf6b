import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime
import Dispatch

/// Probes whatever a pipeline can read, by running one for a moment: RTSP, files, the demo.
struct GraphProber: CameraProber {
    private let clock: any PipelineClock

    init(clock: any PipelineClock) { self.clock = clock }

    /// What a running pipeline told.
    private struct Signs {
        var failure: String?
        var isOver = false
    }

    func probe(_ camera: CameraEntry) throws(CampipeError) -> CameraFinding {
        let file = try camera.pipeline(name: "probe", sink: "probe: {type: discard, input: camera}")
        let graph = GraphDescription(file)
        let services = try ProcessServices(for: graph, of: file, clock: clock, log: .silent)
        defer { services.stop() }
        let pipeline = Pipeline(
            graph: graph, registry: BuiltInNodes.registry,
            environment: NodeEnvironment(pipeline: "probe", clock: clock, log: .silent, services: services.services))
        let signs = Lock(Signs())
        let bell = DispatchSemaphore(value: 0)
        let over = DispatchSemaphore(value: 0)
        pipeline.start(
            changed: { id, status in
                guard id == "camera", status.state == .waiting || status.state == .failed else { return }
                signs.withLock { $0.failure = status.reason ?? "it cannot be read" }
                bell.signal()
            },
            finished: { outcome in
                signs.withLock { signs in
                    signs.isOver = true
                    if signs.failure == nil { signs.failure = outcome.failures.first?.error.description }
                }
                bell.signal()
                over.signal()
            })
        let measured = measure(pipeline, signs, bell)
        pipeline.stop(within: .seconds(2))
        _ = over.wait(timeout: .now() + 5)
        guard measured.count > 0 else {
            let failure = signs.withLock { $0.failure }
            throw CampipeError(
                .failed, failure ?? "no picture came in \(Int(CameraProbers.patience.seconds)) s")
        }
        return finding(of: camera, pipeline.snapshot, measured)
    }

    /// Counts what the camera emits, from its first picture on.
    private func measure(
        _ pipeline: Pipeline, _ signs: borrowing Lock<Signs>, _ bell: DispatchSemaphore
    ) -> (count: Int, fps: Double?) {
        let deadline = clock.now + CameraProbers.patience
        var cadence = Cadence()
        while true {
            let now = clock.now
            let count = pipeline.snapshot.links.reduce(0) { max($0, $1.ledger.offered) }
            cadence.came(count, at: now)
            let (isOver, hasFailed) = signs.withLock { ($0.isOver, $0.failure != nil) }
            if isOver || hasFailed { return (count, nil) }
            if cadence.isEnough(now) || now >= deadline { return (count, cadence.fps) }
            _ = bell.wait(timeout: .now() + .milliseconds(50))
        }
    }

    private func finding(
        of camera: CameraEntry, _ snapshot: PipelineSnapshot, _ measured: (count: Int, fps: Double?)
    ) -> CameraFinding {
        var speaks = "pictures"
        var size: Size?
        var rate: Double?
        if case .packets(let format) = snapshot.formats[PlannedOutput(.explicit("camera"))] {
            speaks = Self.name(of: format)
            (size, rate) = (format.size, format.rate)
        }
        let origin =
            switch camera.scheme {
            case "file": " from a file"
            case "demo": " of the built-in demo"
            case "rtsp": " over RTSP"
            case "rtsps": " over RTSP and TLS"
            default: " by \(camera.scheme)"
            }
        // Which of the two it was, the camera was asked for in the handshake only.
        let login = camera.scheme.hasPrefix("rtsp") && camera.password != nil ? "Basic or Digest" : nil
        return CameraFinding(speaks: speaks + origin, size: size, fps: measured.fps ?? rate, login: login)
    }

    private static func name(of format: PacketFormat) -> String {
        switch format.coding {
        case .jpeg: "MJPEG"
        case .h264: "H.264"
        case .h265: "H.265"
        default: format.codecName ?? format.coding?.rawValue ?? "pictures"
        }
    }
}
