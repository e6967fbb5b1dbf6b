import CampipeKit
import Testing

@testable import CampipeRuntime

/// Nobody is blamed for a time in which the process itself stood still.
@Suite struct PulseTests {
    /// A clock whose timers wait while its process stands still.
    private final class StoppableClock: PipelineClock {
        private let clock = ManualClock()
        private let held = Lock<[Timer]?>(nil)

        var now: Instant { clock.now }
        var wallTime: WallTime { clock.wallTime }

        @discardableResult
        func schedule(at instant: Instant, _ work: @escaping @Sendable () -> Void) -> Timer {
            let timer = Timer(work)
            clock.schedule(at: instant) { [held] in
                let isHeld = held.withLock { held -> Bool in
                    held?.append(timer)
                    return held != nil
                }
                if !isHeld { timer.fire() }
            }
            return timer
        }

        func advance(by duration: Duration) { clock.advance(by: duration) }

        /// Lets time pass in which nothing runs.
        func standStill(for duration: Duration) {
            held.withLock { $0 = [] }
            clock.advance(by: duration)
            for timer in held.withLock({ $0.take() }) ?? [] { timer.fire() }
        }
    }

    /// A camera each of several that gives ten pictures a second, but not while it is told not to.
    private final class Scene {
        let clock = StoppableClock()
        let executor: SeededExecutor
        let pipeline: Pipeline
        let states = Lock<[SourceStatus]>([])
        let lines = Lock<[String]>([])

        init(cameras: Int, seed: UInt64, silentAfter: Int = 1_000_000) {
            executor = SeededExecutor(seed: seed)
            let nodes = (0..<cameras).flatMap { index -> [NodeDescription] in
                [
                    .source("a\(index)", PacedSource.self, ["count": "\(silentAfter)"]),
                    .sink("c\(index)", SwallowingSink.self, from: "a\(index)"),
                ]
            }
            let log = Log { [lines] entry in lines.withLock { $0.append(entry.message) } }
            pipeline = Pipeline(
                graph: GraphDescription(name: "test", nodes: nodes), registry: Registry(),
                environment: NodeEnvironment(pipeline: "test", clock: clock, log: log), executor: executor,
                threads: nil)
            pipeline.start(
                changed: { [states] id, status in if id.hasPrefix("a") { states.withLock { $0.append(status) } } },
                finished: { _ in })
        }

        func run(for seconds: Int) {
            for _ in 0..<seconds * 100 {
                executor.run()
                clock.advance(by: .milliseconds(10))
            }
            executor.run()
        }

        var stalls: Int { states.withLock { $0.count { $0.state == .stalled } } }
        var standstills: [String] { lines.withLock { $0.filter { $0.contains("stood still") } } }
    }

    @Test("a beat that is late by two seconds tells of a standstill, and one that is early moves the next")
    func watch() {
        func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
        var watch = StandstillWatch(at: at(0))
        #expect(watch.nextBeat == at(1))
        #expect(watch.beat(at: at(0.5)) == nil)
        #expect(watch.nextBeat == at(1.5))
        #expect(watch.beat(at: at(3.4)) == nil)
        #expect(watch.last == nil)
        #expect(watch.beat(at: at(6.4)) == StandstillWatch.Standstill(from: at(3.4), through: at(6.4)))
        #expect(watch.beat(at: at(7.4)) == nil)
        #expect(watch.last?.through == at(6.4))
    }

    /// Seen red as it was: three stalls, "no picture came for 40.0 s".
    @Test("After the process stood still no camera is blamed, and it is said once", arguments: 1...10)
    func stopped(seed: Int) {
        let scene = Scene(cameras: 3, seed: UInt64(seed))
        scene.run(for: 8)
        scene.clock.standStill(for: .seconds(40))
        scene.run(for: 20)
        #expect(scene.stalls == 0)
        #expect(scene.standstills.count == 1)
        #expect(scene.standstills.first?.contains("for 40 s") == true)
    }

    @Test("A camera that is silent after a standstill is stalled when its time is over anew")
    func silent() {
        let scene = Scene(cameras: 1, seed: 1, silentAfter: 80)
        scene.run(for: 8)
        scene.clock.standStill(for: .seconds(40))
        scene.run(for: 4)
        #expect(scene.stalls == 0)
        scene.run(for: 2)
        #expect(scene.stalls == 1)
    }

    @Test("A camera that is silent while the process runs is blamed, and no standstill is told")
    func noStandstill() {
        let scene = Scene(cameras: 1, seed: 1, silentAfter: 30)
        scene.run(for: 10)
        #expect(scene.stalls == 1)
        #expect(scene.standstills.isEmpty)
    }
}

/// A camera of ten pictures a second, which come when they are looked for.
private struct PacedSource: Source {
    static let name = "paced"
    static let summary = "Gives ten packets a second, of those that are due the newest."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    @Option("How many.") var count = 100

    private var made = 0
    private var clock: (any PipelineClock)?
    private var due = Instant.zero

    var format: Format? { .packets(.jpeg) }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        due = context.clock.now
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard made < count, let clock else { return .wait }
        guard clock.now >= due else { return .waitUntil(due) }
        // What comes through a network comes a moment after one looks again.
        if clock.now - due > .seconds(1) {
            due = clock.now + .milliseconds(100)
            return .waitUntil(due)
        }
        output.emit(Packet.numbered(made, captured: clock.now))
        made += 1
        due = clock.now + .milliseconds(100)
        return .waitUntil(due)
    }
}

private struct SwallowingSink: Sink {
    typealias Input = Packet
    static let name = "swallowing"
    static let summary = "Takes packets."
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
}
