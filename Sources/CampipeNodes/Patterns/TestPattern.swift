import CampipeKit
import CampipeMedia

/// Generates a stream: pictures of a scene, or packets without a picture that only measure the graph.
///
/// Registered for both kinds of item; `format` tells which one the options mean.
struct TestPattern<Made: Item>: Source {
    static var name: String { "test_pattern" }
    static var summary: String { "Generates pictures of a scene, or empty packets for benchmarks." }
    static var outputs: [any AnyPort] { [Out<Made>("out")] }

    @Option("What is to be seen.") var scene = PatternScene.bars
    @Option(16...7680, "Pixels across.") var width = 1280
    @Option(16...4320, "Pixels down.") var height = 720
    @Option(0.01...1000, "Pictures a second.") var fps = 15.0
    @Option(1...Int.max, "How many there are; left out, it goes on.") var count: Int? = nil
    @Option("In real time, as a camera, or as fast as it goes, as a file.") var speed = PatternSpeed.realtime
    @Option("Pictures, or packets without a picture.") var kind = PatternKind.picture

    private var schedule = PatternSchedule(start: .zero, fps: 1)
    private var clock: (any PipelineClock)?
    private var painter: DemoScene?
    private var pool = FramePool.shared

    var isLive: Bool { speed == .realtime }
    var format: Format? {
        switch kind {
        case .picture: .frames(FrameFormat(.yuv420, size: Size(width, height), rate: fps))
        case .empty: .packets(.empty)
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        schedule = PatternSchedule(start: isLive ? context.clock.now : .zero, fps: fps, count: count)
        pool = context.pool
        if kind == .picture { painter = DemoScene(scene.kind, size: Size(width, height)) }
    }

    mutating func next(to output: inout Output) throws -> Next {
        if kind == .empty, !isLive { return emitEmpty(to: &output) }
        switch schedule.take(now: isLive ? clock?.now : nil, to: &output) {
        case .rest(let next): return next
        case .picture(let number):
            let (captured, time) = (schedule.due(number), schedule.offset(number))
            if let painter {
                output.emit(painter.frame(at: time, rate: fps, captured: captured, pool: pool))
            } else {
                output.emit(Packet(.empty, format: .empty, captured: captured, pts: MediaTime(time)))
            }
            return .more
        }
    }

    /// Many in one turn, since there is nothing to wait for.
    private mutating func emitEmpty(to output: inout Output) -> Next {
        for _ in 0..<32 {
            guard case .make(let number, _) = schedule.step() else { return .ended }
            let time = schedule.nanoseconds(number)
            output.emit(
                Packet(
                    .empty, format: .empty, captured: Instant(nanoseconds: time),
                    pts: MediaTime(ticks: time, timebase: .nanoseconds)))
        }
        return .more
    }
}

/// Whether time passes for a generated stream.
enum PatternSpeed: String, OptionChoice {
    /// Each picture when it is due; late ones give way. Live.
    case realtime
    /// As fast as they are taken; none is lost. Not live.
    case max
}

enum PatternKind: String, OptionChoice {
    case picture, empty
}
