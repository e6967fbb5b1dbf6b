import CampipeKit

/// Makes numbered pictures, as a camera at 25 a second would, or as fast as they are asked for.
struct Counter: Source {
    static let name = "counter"
    static let summary = "Makes numbered pictures."
    static let outputs: [any AnyPort] = [Out<Frame>("out", format: .frames(.gray8))]
    @Option(0...1_000_000, "How many.") var count = 3
    @Option("Whether as fast as they are asked for.") var fast = true
    var isLive: Bool { !fast }
    var format: Format? { .frames(.gray8) }
    private var made = 0
    private var pool = FramePool.shared
    private var clock: (any PipelineClock)?

    mutating func open(_ context: borrowing Context) throws {
        pool = context.pool
        clock = context.clock
    }
    mutating func next(to output: inout Output) throws -> Next {
        guard made < count else { return .ended }
        let interval = Duration.milliseconds(40)
        let captured = fast ? Instant.zero + interval * made : clock?.now ?? .zero
        output.emit(Pictures.frame(Int(captured.nanoseconds / 1_000_000), level: UInt8(made % 256), pool: pool))
        made += 1
        return fast ? .more : .waitUntil(captured + interval)
    }
}

/// Keeps back so many pictures, and lets only every so manieth through.
struct Delay: Transform {
    static let name = "delay"
    static let summary = "Hands pictures on later."
    @Option(0...100, "How many it keeps back.") var keep = 2
    @Option(1...100, "Every so manieth goes on.") var every = 1
    @Option("At which number it fails.") var failAt: Int? = nil
    private var kept: [Frame] = []
    private var seen = 0
    private(set) var gaps: [Gap] = []
    var holds: Int { keep }

    mutating func gap(_ gap: Gap) { gaps.append(gap) }
    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        seen += 1
        if seen == failAt { throw CampipeError(.badData, "number \(seen) is bad") }
        if seen % every == 0 { kept.append(consume frame) }
        if kept.count > keep / every { output.emit(kept.removeFirst()) }
    }
    mutating func drain(to output: inout Output) throws {
        for frame in kept { output.emit(frame) }
        kept = []
    }
}

/// Marks pictures with what its sides said.
struct Stamp: Join {
    static let name = "stamp"
    static let summary = "Paints as many levels as there were events."
    static let events = In<Event>("events", optional: true, many: true)
    static let logo = In<Frame>("logo", optional: true)
    static let inputs: [any AnyPort] = [
        In<Frame>("input", accepts: [.frames(.gray8)]), events, logo,
    ]
    mutating func process(_ primary: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {
        let level = UInt8(side.events(Self.events).count) &+ 10 &* (side.latest(Self.logo)?.level ?? 0)
        primary.mapLuma { _ in level }
        output.emit(primary)
    }
}

/// Writes down what happens to it.
struct Notebook: Sink {
    static let name = "notebook"
    static let summary = "Writes down what happens to it."
    static let audio = In<Packet>("audio", optional: true)
    static let inputs: [any AnyPort] = [In<Frame>("input", taste: .complete), audio]
    static let lateAfter: Duration? = .seconds(1)
    static let keepsHistory = true
    @Option("After how many it has enough.") var enough = 1000
    @Option("What it wants to be woken after.") var nap = Duration.zero
    private var log = Log.silent
    private var clock: (any PipelineClock)?
    private var seen = 0

    var want: Want? { Want(maxWidth: 320) }
    mutating func open(_ context: borrowing Context) throws {
        (log, clock) = (context.log, context.clock)
        context.demand.set(3, Want(maxWidth: 160))
        let waker = context.waker
        context.clock.schedule(at: .zero + .seconds(100)) { waker.wake() }
        log.info("open", ["id": context.id, "live": context.isLive])
    }
    mutating func finish() throws { log.info("finish") }
    mutating func begin(_ input: Format) throws { log.info("begin", ["format": input]) }
    mutating func gap(_ gap: Gap) { log.info("gap", ["count": gap.count]) }
    mutating func gate(_ change: GateChange) throws { log.info("gate", ["open": change.isOpen]) }
    mutating func consume(_ frame: consuming Frame) throws -> Next {
        seen += 1
        log.info("frame")
        if seen == enough { return .ended }
        return nap == .zero ? .more : .waitUntil((clock?.now ?? .zero) + nap)
    }
    mutating func consume<T: Item>(_ item: consuming T, on port: In<T>) throws -> Next {
        log.info("\(T.kind) on \(port.name)")
        return .more
    }
    mutating func wake() throws -> Next {
        log.info("wake", ["at": (clock?.now.nanoseconds ?? 0) / 1_000_000])
        return .wait
    }
}
