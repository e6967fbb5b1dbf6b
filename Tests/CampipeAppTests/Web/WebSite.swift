import CampipeHTTP
import CampipeKit
import CampipeMedia
import CampipeNodes
import CampipeRuntime
import Glibc

/// A scripted camera and its `http` sinks in the real runtime, on a manual clock; only the server's sockets are real.
final class WebSite {
    let clock = ManualClock()
    let executor = SeededExecutor(seed: 1)
    let camera: CameraScript
    let server: HTTPServer
    let pipeline: Pipeline
    let port: UInt16
    let painter = CountingPainter()

    /// - Parameter sinks: The options of each sink, all fed by the camera.
    init(camera: CameraScript, sinks: [Value.ValueMap] = [["path": "/front"]]) throws {
        self.camera = camera
        server = try HTTPServer(clock: clock)
        port = try server.listen(on: ListenAddress("127.0.0.1:0")).port
        var services = Services()
        services.add(camera)
        let streams = try WebStreams(server: server)
        services.add(streams)
        services.add(painter, as: (any StillPainter).self)
        let registry = BuiltInNodes.registry
        guard let sink = registry.named("http").first else { throw CampipeError(.notFound, "no http sink") }
        var nodes = [NodeDescription(id: "front", registration: Registration(source: BrightCamera.self))]
        for (number, options) in sinks.enumerated() {
            nodes.append(
                NodeDescription(
                    id: "web\(number)", registration: sink, options: options,
                    inputs: [InputDescription(from: [PortReference("front")])]))
        }
        pipeline = Pipeline(
            graph: GraphDescription(name: "test", nodes: nodes), registry: registry,
            environment: NodeEnvironment(pipeline: "test", clock: clock, log: .silent, services: services),
            executor: executor, threads: nil)
        streams.tellSources { [pipeline] source in
            pipeline.news(of: source)
        }
        pipeline.start { _ in }
        settle()
    }

    deinit { server.stop() }

    /// Runs all turns that are due, at this time.
    func settle() { while executor.step() {} }

    /// Runs turns until a condition holds that another thread brings about, without any time passing.
    func until(_ condition: () -> Bool) -> Bool {
        for _ in 0..<30_000 {
            settle()
            if condition() { return true }
            usleep(1000)
        }
        return false
    }

    /// Lets time pass, timer by timer.
    func pass(_ duration: Duration) {
        let end = clock.now + duration
        while clock.now < end {
            settle()
            guard let next = clock.nextTimer, next < end else { break }
            clock.advance(to: next)
        }
        clock.advance(to: end)
        settle()
    }

    /// How many converters of a role run or are kept ready and wanted.
    func converters(_ role: ConverterRole) -> Int {
        pipeline.plan.nodes.filter { node in
            if case .implicit(let own, _, _, _) = node.key { own == role && node.isWanted } else { false }
        }.count
    }

    /// The open links that end in a sink.
    func openLinks(to sink: String = "web0") -> Int {
        pipeline.plan.links.filter { $0.isOpen && $0.key.to == .explicit(sink) }.count
    }

    func get(_ target: String) throws -> PartReader { try PartReader(port: port, target) }
}

/// The real painter, counting what it decodes.
final class CountingPainter: StillPainter {
    private let real = StillPictures()
    private let decodes = Lock(0)
    var decodeCount: Int { decodes.withLock { $0 } }

    func dimmed(_ packet: Packet, pool: FramePool) throws -> Frame {
        decodes.withLock { $0 += 1 }
        return try real.dimmed(packet, pool: pool)
    }
    func dimmed(_ frame: consuming Frame) -> Frame { real.dimmed(frame) }
    func aged(_ dimmed: Frame, by age: Duration) -> Frame { real.aged(dimmed, by: age) }
    func noSignal(_ size: Size, pool: FramePool) -> Frame { real.noSignal(size, pool: pool) }
    func waiting(_ size: Size, pool: FramePool) -> Frame { real.waiting(size, pool: pool) }
    func jpeg(_ frame: Frame, pool: FramePool) throws -> Bytes { try real.jpeg(frame, pool: pool) }
}
