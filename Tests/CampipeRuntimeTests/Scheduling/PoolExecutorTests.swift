import CampipeKit
import Dispatch
import Foundation
import Testing

@testable import CampipeRuntime

/// Emits packets on its clock's grid, captured when they are emitted: their age is the pipeline's alone.
private struct TickingSource: Source {
    static let name = "ticking"
    static let summary = "Ticks."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    @Option("How many.") var count = 100
    @Option("Between them.") var milliseconds = 10
    private var made = 0
    private var start: Instant?
    private var clock: (any PipelineClock)?
    var format: Format? { .packets(.jpeg) }
    mutating func open(_ context: borrowing Context) throws { clock = context.clock }
    mutating func next(to output: inout Output) throws -> Next {
        guard made < count, let clock else { return .ended }
        let now = clock.now
        let began = start ?? now
        start = began
        let due = began + .milliseconds(milliseconds * made)
        if now < due { return .waitUntil(due) }
        output.emit(Packet.numbered(made, captured: now))
        made += 1
        return .more
    }
}

/// Takes its thread for a time.
private struct BusyTransform: Transform {
    typealias Input = Packet
    static let name = "busy"
    static let summary = "Takes its thread for a time."
    @Option("How long.") var microseconds = 6000
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        usleep(UInt32(microseconds))
        output.emit(item)
    }
}

/// Tells on which thread it runs.
private struct ThreadTellingSink: Sink {
    typealias Input = Packet
    static let name = "telling"
    static let summary = "Tells its thread."
    static let execution = Execution.ownThread
    private var collector: Collector?
    private var names: ThreadNames?
    mutating func open(_ context: borrowing Context) throws { names = try context.service(ThreadNames.self) }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        let name = try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        names?.add(name.trimmingCharacters(in: .whitespacesAndNewlines))
        return .more
    }
}

/// Has some thousand turns, each of next to nothing, and counts on how many its thread is another than at the last
/// turn of any of its like.
private final class ShortTurns: Runner, @unchecked Sendable {
    // Touched in turns only.
    private var left = 5000
    private let threads: ThreadChanges
    private let done: DispatchGroup

    init(_ executor: PoolExecutor, _ threads: ThreadChanges, _ done: DispatchGroup) {
        self.threads = threads
        self.done = done
        super.init(executor: executor)
        done.enter()
    }

    override func turn() -> Bool {
        threads.consumed()
        left -= 1
        if left == 0 { done.leave() }
        return left > 0
    }
}

private final class ThreadChanges: Sendable {
    private let state = Lock<(items: Int, changes: Int, thread: UInt)>((0, 0, 0))
    func consumed() {
        let thread = UInt(pthread_self())
        state.withLock { state in
            state.items += 1
            if state.thread != thread { state.changes += 1 }
            state.thread = thread
        }
    }
    var items: Int { state.withLock(\.items) }
    var changes: Int { state.withLock(\.changes) }
}

private final class ThreadNames: Sendable {
    private let names = Lock<Set<String>>([])
    func add(_ name: String) { _ = names.withLock { $0.insert(name) } }
    var all: Set<String> { names.withLock { $0 } }
}

/// The pool in real time (design 4.3).
@Suite(.serialized) struct PoolExecutorTests {
    private func run(
        _ nodes: [NodeDescription], workers: Int, services more: (inout Services) -> Void = { _ in }
    ) -> (snapshot: PipelineSnapshot, collector: Collector) {
        let collector = Collector()
        var services = Services()
        services.add(collector)
        more(&services)
        let pipeline = Pipeline(
            graph: GraphDescription(name: "test", nodes: nodes), registry: Registry(),
            environment: NodeEnvironment(pipeline: "test", clock: SystemClock(), log: .silent, services: services),
            executor: PoolExecutor(workers: workers))
        let ended = DispatchSemaphore(value: 0)
        pipeline.start { _ in ended.signal() }
        #expect(ended.wait(timeout: .now() + .seconds(60)) == .success)
        return (pipeline.snapshot, collector)
    }

    /// Inline a sixth is lost, whatever the scale.
    @Test("Two nodes of 6 ms each at 100 a second on two workers lose nothing")
    func twoSlowNodes() {
        let (holds, seen) = RealTime.holds { scale in
            let count = max(30, 100 / scale)
            let work = ["microseconds": "\(6000 * scale)"]
            let (_, collector) = run(
                [
                    .source("a", TickingSource.self, ["count": "\(count)", "milliseconds": "\(10 * scale)"]),
                    .transform("b", BusyTransform.self, from: "a", work),
                    .transform("c", BusyTransform.self, from: "b", work), .sink("d", CollectingSink.self, from: "c"),
                ], workers: 2)
            let came = collector.numbers("d").count
            return (came == count, "\(came) of \(count)")
        }
        #expect(holds, "\(seen)")
    }

    /// Inline it is 10 ms, whatever the scale.
    @Test("Beside a node of 30 ms the p99 age of a sibling stays under 2 ms")
    func sibling() throws {
        let (holds, seen) = try RealTime.holds { scale in
            let (snapshot, _) = run(
                [
                    .source(
                        "a", TickingSource.self,
                        ["count": "\(max(30, 100 / scale))", "milliseconds": "\(10 * scale)"]),
                    .transform("slow", BusyTransform.self, from: "a", ["microseconds": "\(30_000 * scale)"]),
                    .sink("b", CollectingSink.self, from: "slow"), .sink("c", CollectingSink.self, from: "a"),
                ], workers: 2)
            let histogram = try #require(snapshot.nodes.first { $0.id == "c" }?.ages)
            let age = try #require(histogram.percentile(0.99)) / scale
            return (age < .milliseconds(2), "\(age)")
        }
        #expect(holds, "\(seen)")
    }

    /// What breaks it has two workers take turns: then each second turn is on another thread.
    @Test("A few nodes of short turns stay on one worker")
    func shortTurns() {
        var shares: [Double] = []
        for _ in 0..<6 where shares.last.map({ $0 >= 0.02 }) ?? true {
            let executor = PoolExecutor(workers: 2)
            let threads = ThreadChanges()
            let done = DispatchGroup()
            let runners = (0..<8).map { _ in ShortTurns(executor, threads, done) }
            for runner in runners { runner.wake() }
            #expect(done.wait(timeout: .now() + .seconds(60)) == .success)
            shares.append(Double(threads.changes) / Double(threads.items))
        }
        #expect(shares.last ?? 1 < 0.02, "\(shares)")
    }

    @Test("Nodes that block have a thread of their own, named after them")
    func ownThreads() {
        let names = ThreadNames()
        _ = run(
            [
                .source("a", TickingSource.self, ["count": "20", "milliseconds": "1"]),
                .sink("recordings", ThreadTellingSink.self, from: "a"), .sink("b", ThreadTellingSink.self, from: "a"),
            ], workers: 1, services: { $0.add(names) })
        #expect(names.all == ["recordings", "b"])
    }

    @Test("As many nodes that block as you like take no worker from the others")
    func blockedThreads() {
        let latch = Latch()
        let blocked = (0..<8).map { NodeDescription.sink("blocked\($0)", BlockingSink.self, from: "a") }
        let collector = Collector()
        var services = Services()
        services.add(collector)
        services.add(latch)
        let pipeline = Pipeline(
            graph: GraphDescription(
                name: "test",
                nodes: [.source("a", TickingSource.self, ["count": "100000", "milliseconds": "1"])] + blocked
                    + [.sink("c", CollectingSink.self, from: "a")]), registry: Registry(),
            environment: NodeEnvironment(pipeline: "test", clock: SystemClock(), log: .silent, services: services),
            executor: PoolExecutor(workers: 1))
        let ended = DispatchSemaphore(value: 0)
        pipeline.start { _ in ended.signal() }
        let deadline = SystemClock().now + .seconds(30)
        while collector.numbers("c").count < 100, SystemClock().now < deadline {
            _ = ended.wait(timeout: .now() + .milliseconds(2))
        }
        #expect(collector.numbers("c").count >= 100)
        pipeline.stop()
        latch.open()
        #expect(ended.wait(timeout: .now() + .seconds(30)) == .success)
    }

    @Test("No call on a link waits, though nobody takes and nobody puts", arguments: WhenFull.allCases)
    func noCallWaits(_ whenFull: WhenFull) {
        let executor = SeededExecutor(seed: 1)
        let ends = [TurnsRunner(executor: executor) {}, TurnsRunner(executor: executor) {}]
        let key = LinkKey(from: PlannedOutput(.explicit("a")), to: .explicit("b"))
        let link = Link(PlannedLink(key: key, policy: LinkPolicy(whenFull, maxItems: 2)), from: ends[0], to: ends[1])
        let ports = OutputPorts([Out<Packet>("out").descriptor])
        for number in 0..<1000 {
            var output = Output(ports)
            output.emit(Packet.numbered(number, captured: .zero + .milliseconds(number)))
            let range = EmittedRange(items: number..<number + 1, controls: 0..<0)
            link.offer(ports.ports[0], range, isLast: true)
            _ = link.room()
        }
        var batch = Batch()
        while link.take(into: &batch, limit: 8, clock: ManualClock()) {}
        #expect(!link.take(into: &batch, limit: 8, clock: ManualClock()))
        #expect(link.ledger.isBalanced)
        #expect(link.ledger.offered == 1000)
    }
}
