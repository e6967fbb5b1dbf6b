import CampipeConfig
import CampipeHTTP
import CampipeKit
import CampipeMedia
import CampipeNodes
import CampipeRuntime
import Foundation

@testable import CampipeApp

/// A whole pipeline that reads cameras over real connections, by a manual clock: time passes only when the test lets it.
final class CameraRig {
    let clock = ManualClock(now: .zero + .seconds(100))
    let pipeline: Pipeline
    let services: ProcessServices
    let log: Log
    private let entries = Lock<[Log.Entry]>([])
    private let shown = Lock<[String: [SourceStatus]]>([:])
    private let ending = Lock<PipelineOutcome?>(nil)
    private let address = Lock<UInt16?>(nil)
    private let watcher = Lock<RefusalWatch?>(nil)

    /// - Parameters:
    ///   - text: A pipeline file without its version.
    ///   - path: Where it stands, when it is to be watched for a changed password.
    init(_ text: String, path: String? = nil) throws {
        let file: PipelineFile
        if let path {
            file = PipelineFile.load(path, registry: BuiltInNodes.registry)
        } else {
            file = PipelineFile(
                Array(("version: 1\n" + text).utf8), name: "test", registry: BuiltInNodes.registry,
                surroundings: .process(folder: "."))
        }
        guard let description = file.description else {
            throw CampipeError(.configuration, file.report.text())
        }
        let graph = GraphDescription(description)
        let entries = entries
        log = Log(level: .debug) { entry in entries.withLock { $0.append(entry) } }
        services = try ProcessServices(for: graph, of: description, clock: clock, log: log)
        let environment = NodeEnvironment(
            pipeline: "test", clock: clock, log: log, services: services.services, seed: 7)
        pipeline = Pipeline(graph: graph, registry: BuiltInNodes.registry, environment: environment)
        services.whenServing { [address] served in address.withLock { $0 = served.port } }
        if let path {
            let watch = RefusalWatch(
                pipeline, path: path, file: description, overrides: [], plugins: PluginSet(), clock: clock, log: log)
            watcher.withLock { $0 = watch }
        }
        let watch = watcher.withLock { $0 }
        pipeline.start(
            changed: { [shown] id, status in
                shown.withLock { $0[id, default: []].append(status) }
                watch?.changed(id, status)
            },
            finished: { [ending] outcome in ending.withLock { $0 = outcome } })
    }

    deinit {
        pipeline.abandon()
        for _ in 0..<500 where outcome == nil { usleep(10_000) }
        services.stop()
    }

    var outcome: PipelineOutcome? { ending.withLock { $0 } }
    var port: UInt16? { address.withLock { $0 } }
    var logged: [Log.Entry] { entries.withLock { $0 } }
    func states(_ id: String = "cam") -> [SourceStatus] { shown.withLock { $0[id] ?? [] } }
    func state(_ id: String = "cam") -> SourceStatus { states(id).last ?? SourceStatus(.connecting) }

    /// What was said of a source's losses, at the level of warnings.
    var warnings: [Log.Entry] { logged.filter { $0.level == .warning && $0.message.contains("connects again") } }

    /// Lets time pass where the pipeline waits for it, until a condition holds; for thirty seconds of the world at most.
    ///
    /// - Parameter isSilent: Whether the camera has said all that it will say, so that only time can bring anything.
    func run(isSilent: () -> Bool = { false }, until condition: () -> Bool) -> Bool {
        let real = SystemClock()
        let deadline = real.now + .seconds(30)
        while real.now < deadline {
            if condition() { return true }
            let state = state()
            // A call that was asked for when its time had come already.
            clock.advance(by: .zero)
            if let retryAt = state.retryAt, retryAt > clock.now {
                clock.advance(to: retryAt)
            } else if isSilent() {
                usleep(3000)  // what was sent is on its way
                if isSilent() { clock.advance(by: .milliseconds(500)) }
            }
            usleep(2000)
        }
        return condition()
    }

    /// A picture as a camera makes it.
    static func picture() throws -> [UInt8] {
        let scene = DemoScene(.porch, size: Size(160, 96))
        let frame = scene.frame(at: .zero, rate: 15, captured: .zero, pool: .shared)
        return try JPEGEncoder().encode(frame, quality: 80, pool: .shared).array
    }
}
