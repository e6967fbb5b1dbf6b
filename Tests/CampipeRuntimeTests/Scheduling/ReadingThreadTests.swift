import CampipeKit
import Dispatch
import Foundation
import Testing

@testable import CampipeRuntime

/// A camera that one thread reads together with others.
private final class ReadCamera: Sendable {
    private struct State {
        var arrived: [Instant] = []
        var waker: Waker?
        var hasEnded = false
    }
    private let state = Lock(State())

    func open(_ waker: Waker) { state.withLock { $0.waker = waker } }
    var isOpen: Bool { state.withLock { $0.waker != nil } }

    /// A picture came; nil: the last one did.
    func arrive(_ captured: Instant?) {
        let waker = state.withLock { state -> Waker? in
            if let captured { state.arrived.append(captured) } else { state.hasEnded = true }
            return state.waker
        }
        waker?.wakeHere()
    }

    func take() -> (captured: Instant?, hasEnded: Bool) {
        state.withLock { state in
            state.arrived.isEmpty ? (nil, state.hasEnded) : (state.arrived.removeFirst(), false)
        }
    }
}

private final class ReadCameras: Sendable {
    let all: [ReadCamera]
    init(_ count: Int) { all = (0..<count).map { _ in ReadCamera() } }
}

private struct ReadSource: Source {
    static let name = "read"
    static let summary = "Takes what the reading thread brought."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    @Option("Which one.") var camera = 0
    private var read: ReadCamera?
    private var made = 0
    var format: Format? { .packets(.jpeg) }
    mutating func open(_ context: borrowing Context) throws {
        read = try context.service(ReadCameras.self).all[camera]
        read?.open(context.waker)
    }
    mutating func next(to output: inout Output) throws -> Next {
        guard let read else { return .ended }
        let (captured, hasEnded) = read.take()
        guard let captured else { return hasEnded ? .ended : .wait }
        output.emit(Packet.numbered(made, captured: captured))
        made += 1
        return .more
    }
}

/// Takes its thread for a time, for some of its items.
private struct DawdlingSink: Sink {
    typealias Input = Packet
    static let name = "slow"
    static let summary = "Takes its thread for a time."
    @Option("How long.") var microseconds = 30_000
    @Option("For one item of so many.") var of = 1
    private var count = 0
    mutating func consume(_ item: consuming Packet) throws -> Next {
        count += 1
        if count % of == 0 { usleep(UInt32(microseconds)) }
        return .more
    }
}

/// One thread reads all cameras, and does short turns itself (docs/adr/0002); in real time.
@Suite(.serialized) struct ReadingThreadTests {
    private static let cameras = 16

    /// - Returns: The ages at the sinks of all cameras but the first, which has the slow sink.
    private func run(of: Int, scale: Int) -> AgeHistogram {
        let cameras = ReadCameras(Self.cameras)
        var services = Services()
        services.add(Collector())
        services.add(cameras)
        let nodes = (0..<Self.cameras).flatMap { number -> [NodeDescription] in
            let slow = ["microseconds": "\(30_000 * scale)", "of": "\(of)"]
            return [
                .source("cam\(number)", ReadSource.self, ["camera": "\(number)"]),
                number == 0
                    ? .sink("sink0", DawdlingSink.self, from: "cam0", slow)
                    : .sink("sink\(number)", CollectingSink.self, from: "cam\(number)"),
            ]
        }
        let clock = SystemClock()
        let pipeline = Pipeline(
            graph: GraphDescription(name: "test", nodes: nodes), registry: Registry(),
            environment: NodeEnvironment(pipeline: "test", clock: clock, log: .silent, services: services),
            executor: PoolExecutor(workers: 2))
        let ended = DispatchSemaphore(value: 0)
        pipeline.start { _ in ended.signal() }
        let thread = Thread {
            while !cameras.all.allSatisfy(\.isOpen) { usleep(1000) }
            for _ in 0..<240 {
                usleep(10_000)
                // All are readable at once; who is read late is late.
                let now = clock.now
                for camera in cameras.all { camera.arrive(now) }
            }
            for camera in cameras.all { camera.arrive(nil) }
        }
        thread.start()
        #expect(ended.wait(timeout: .now() + .seconds(120)) == .success)
        return pipeline.snapshot.nodes.reduce(into: AgeHistogram()) { sum, node in
            if node.id != "sink0", let ages = node.ages { sum.merge(ages) }
        }
    }

    /// A slow turn on the reading thread is 30 ms for all, whatever the scale.
    @Test(
        "Sixteen cameras are read by one thread: beside a consumer of 30 ms the p99 age of the others stays under 2 ms",
        arguments: [1, 60])
    func siblings(of: Int) throws {
        let (holds, seen) = try RealTime.holds { scale in
            let age = try #require(run(of: of, scale: scale).percentile(0.99)) / scale
            return (age < .milliseconds(2), "\(age)")
        }
        #expect(holds, "\(seen)")
    }
}
