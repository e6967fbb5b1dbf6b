import CampipeKit
import CampipeRuntime
import Testing

@testable import CampipeApp

/// A pipeline that pushes to a server, by the real clock: whatever the server does, the rest goes on, all is counted, and
/// it stops at once.
@Suite("Pushing to a server, in a pipeline", .serialized)
struct PublishRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ server: RecordingServer, _ more: String = "") throws -> RunningPipeline {
        try RunningPipeline(
            folder.file(
                "pipeline.yaml",
                """
                version: 1
                sources: {p: {type: test_pattern, width: 64, height: 48, fps: 25}}
                sinks:
                  up: {type: publish, input: p, url: "rtsp://127.0.0.1:\(server.port)/live"\(more)}
                  lines: {type: log, input: p}
                """))
    }

    private func state(_ pipeline: RunningPipeline) -> SourceStatus? {
        pipeline.pipeline.snapshot.nodes.first { $0.id == "up" }?.state
    }

    private func lines(_ pipeline: RunningPipeline) -> Int { pipeline.lines.withLock { $0.count } }

    /// Stops it.
    ///
    /// - Returns: How long that took, and how it went.
    private func end(_ pipeline: RunningPipeline) -> (time: Duration, outcome: PipelineOutcome?) {
        let clock = SystemClock()
        let start = clock.now
        let outcome = pipeline.end()
        return (clock.now - start, outcome)
    }

    @Test("frames are encoded for it, and it runs once the server has taken the first picture")
    func runs() throws {
        let server = try RecordingServer()
        defer { server.stop() }
        let pipeline = try run(server)
        #expect(RunningPipeline.wait { server.packetCount >= 20 })
        #expect(state(pipeline)?.state == .running)
        #expect(server.visits[0].description.contains("H264/90000") && server.visits[0].units.first == 5)
        let ended = end(pipeline)
        #expect(ended.outcome?.failures.isEmpty == true && ended.time < .seconds(3), "\(ended)")
        #expect(RunningPipeline.wait { server.visits[0].requests.last?.method == "TEARDOWN" })
    }

    @Test("one that says nothing holds up nothing, neither the others nor the end")
    func hangs() throws {
        let server = try RecordingServer(.hang)
        defer { server.stop() }
        let pipeline = try run(server)
        #expect(RunningPipeline.wait { server.visits.count == 1 && lines(pipeline) >= 10 })
        #expect(state(pipeline)?.state == .connecting)
        let before = lines(pipeline)
        #expect(RunningPipeline.wait { lines(pipeline) >= before + 25 })
        let ended = end(pipeline)
        #expect(ended.time < .seconds(3), "\(ended.time)")
        #expect(ended.outcome?.stragglers.isEmpty == true)
        // Nothing was published, as the run says.
        let cause = ended.outcome?.failures.first { $0.node == "up" }
        #expect(cause != nil, "\(ended)")
    }

    @Test("one that does not answer in time, and is there again, is found again")
    func times() throws {
        let server = try RecordingServer(.hang)
        let port = server.port
        let pipeline = try run(server, ", connect_timeout: 300ms")
        #expect(RunningPipeline.wait { state(pipeline)?.state == .waiting })
        #expect(
            state(pipeline)?.reason?.contains("no answer in 0.3 s") == true, "\(String(describing: state(pipeline)))")
        server.stop()
        let next = try RecordingServer(port: port)
        defer { next.stop() }
        #expect(RunningPipeline.wait { next.packetCount >= 10 })
        #expect(next.visits[0].units.first == 5 && state(pipeline)?.state == .running)
        #expect(end(pipeline).time < .seconds(3))
    }
}
