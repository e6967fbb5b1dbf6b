import CampipeKit

@testable import CampipeRuntime

/// Says for viewers what they want, and keeps what they were shown.
final class Viewers: Sendable {
    struct Picture: Hashable, Sendable {
        var number: Int
        var width: Int
        var subscription: Demand.ID
        var sink = "web"
    }
    private struct State {
        var demands: [String: Demand] = [:]
        var pictures: [Picture] = []
        var initial: Want?
    }
    private let state = Lock(State())

    /// What a sink wants as soon as it is opened.
    var initial: Want? {
        get { state.withLock { $0.initial } }
        set { state.withLock { $0.initial = newValue } }
    }
    func open(_ id: String, _ demand: Demand) {
        let want = state.withLock { state -> Want? in
            state.demands[id] = demand
            return state.initial
        }
        if let want { demand.set(1, want) }
    }
    func demand(_ id: String) -> Demand? { state.withLock { $0.demands[id] } }
    func show(_ picture: Picture) { state.withLock { $0.pictures.append(picture) } }
    var pictures: [Picture] { state.withLock { $0.pictures } }
    /// What one viewer was shown, in order.
    func numbers(_ sink: String, _ subscription: Demand.ID) -> [Int] {
        pictures.filter { $0.sink == sink && $0.subscription == subscription }.map(\.number)
    }

    /// Sets a demand once the sink is open.
    func set(_ id: String, _ subscription: Demand.ID, _ want: Want, _ test: TestPipeline) {
        test.run(for: .milliseconds(1))
        demand(id)?.set(subscription, want)
    }
}

/// A camera of JPEG packets 1280 wide, that may change.
struct ResizingSource: Source {
    static let name = "resizing"
    static let summary = "Changes its format."
    static let outputs: [any AnyPort] = [Out<Packet>("out")]

    @Option("How many.") var count = 40
    @Option("Whether it is live, at ten a second.") var live = false
    @Option("At which it changes; 0 never.") var changeAt = 0
    @Option("To what: small, or h264.") var to = "small"

    private var made = 0
    private var start: Instant?
    private var clock: (any PipelineClock)?

    static let size = Size(1280, 720)

    var isLive: Bool { live }
    var format: Format? { .packets(PacketFormat(.jpeg, size: Self.size)) }

    mutating func open(_ context: borrowing Context) throws { clock = context.clock }

    mutating func next(to output: inout Output) throws -> Next {
        guard made < count else { return .ended }
        var captured = Instant.zero + .milliseconds(100 * (made + 1))
        if live, let clock {
            let began = start ?? clock.now
            start = began
            captured = began + .milliseconds(100 * made)
            if clock.now < captured { return .waitUntil(captured) }
        }
        var format = PacketFormat(.jpeg, size: Self.size)
        if changeAt > 0, made >= changeAt {
            format = to == "small" ? PacketFormat(.jpeg, size: Size(320, 180)) : PacketFormat(.h264, size: Self.size)
        }
        output.emit(
            Packet(
                .empty, format: format, captured: captured,
                pts: MediaTime(ticks: Int64(made), timebase: Timebase(1, 1000))))
        made += 1
        return made < count ? .more : .ended
    }
}

/// Packets to grey frames, as small as asked.
struct TestDecoder: Transform {
    typealias Input = Packet
    static let name = "test_decoder"
    static let summary = "Decodes."
    static let accepts: [Format] = [.packets(.any)]
    static let outputs: [any AnyPort] = [Out<Frame>("out")]
    static let role: ConverterRole? = .decode
    @Option("Pixels across.") var maxWidth: Int? = nil
    private var collector: Collector?

    mutating func open(_ context: borrowing Context) throws {
        collector = try context.service(Collector.self)
        collector?.add(.opened, to: "decoder")
    }
    func output(for input: Format) throws -> Format { .frames(.any) }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        let width = min(item.format.size?.width ?? 64, maxWidth ?? .max)
        let pixels = FramePool.shared.buffer(.gray8, Size(width, 16))
        output.emit(Frame(pixels, captured: item.captured, pts: item.pts))
    }
    mutating func finish() throws { collector?.add(.finished, to: "decoder") }
}

struct TestConverter: Transform {
    static let name = "test_converter"
    static let summary = "Converts."
    static let role: ConverterRole? = .convert
    @Option("Pixels across.") var maxWidth: Int? = nil
    mutating func process(_ item: consuming Frame, to output: inout Output) throws {
        let width = min(item.size.width, maxWidth ?? .max)
        output.emit(Frame(FramePool.shared.buffer(.gray8, Size(width, 16)), captured: item.captured, pts: item.pts))
    }
}

/// Wants nothing until somebody comes.
struct ViewerSink: Sink {
    typealias Input = Packet
    static let name = "viewer"
    static let summary = "Shows pictures to viewers."
    static let inputs: [any AnyPort] = [In<Packet>("input", accepts: [.packets(.jpeg)])]
    private var viewers: Viewers?
    private var id = ""
    var want: Want? { nil }
    mutating func open(_ context: borrowing Context) throws {
        id = context.id
        viewers = try context.service(Viewers.self)
        viewers?.open(context.id, context.demand)
    }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        viewers?.show(
            Viewers.Picture(
                number: item.number, width: item.format.size?.width ?? 0, subscription: item.subscription,
                sink: id))
        return .more
    }
}

/// Takes JPEG and nothing else.
struct JPEGSink: Sink {
    typealias Input = Packet
    static let name = "jpeg_sink"
    static let summary = "Takes JPEG."
    static let inputs: [any AnyPort] = [In<Packet>("input", accepts: [.packets(.jpeg)])]
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
}

/// A camera of JPEG packets 1280 wide, one each nine seconds.
struct SlowCamera: Source {
    static let name = "slow_camera"
    static let summary = "Gives a picture each nine seconds."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    private var made = 0
    private var due: Instant?
    private var clock: (any PipelineClock)?

    mutating func open(_ context: borrowing Context) { clock = context.clock }

    mutating func next(to output: inout Output) -> Next {
        guard let clock else { return .ended }
        let now = clock.now
        if let due, now < due { return .waitUntil(due) }
        output.emit(
            Packet(
                Bytes([UInt8(made)]), format: PacketFormat(.jpeg, size: Size(1280, 720)), captured: now,
                pts: MediaTime(ticks: Int64(made), timebase: Timebase(1, 1000))))
        made += 1
        due = now + .seconds(9)
        output.rest(until: now + .seconds(9))
        return .waitUntil(now + .seconds(9))
    }
}
