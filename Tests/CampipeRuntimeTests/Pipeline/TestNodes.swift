import CampipeKit

@testable import CampipeRuntime

/// Emits numbered packets: as fast as there is room, or live on the clock's grid.
struct CountingSource: Source {
    static let name = "counting"
    static let summary = "Emits numbered packets."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    @Option("How many.") var count = 100
    @Option("Items a second; 0 emits as fast as there is room.") var rate = 0
    @Option("Whether it is live.") var live = false

    private var made = 0
    private var start: Instant?
    private var clock: (any PipelineClock)?

    var isLive: Bool { live }
    var format: Format? { .packets(.jpeg) }

    mutating func open(_ context: borrowing Context) throws { clock = context.clock }

    mutating func next(to output: inout Output) throws -> Next {
        guard made < count else { return .ended }
        let interval = Duration.nanoseconds(rate == 0 ? 1_000_000 : 1_000_000_000 / Int64(rate))
        var captured = Instant.zero + interval * made
        if rate > 0, let clock {
            let began = start ?? clock.now
            start = began
            captured = began + interval * made
            if clock.now < captured { return .waitUntil(captured) }
        }
        output.emit(Packet.numbered(made, captured: captured))
        made += 1
        return made < count ? .more : .ended
    }
}

/// Hands each packet on.
struct PassingTransform: Transform {
    typealias Input = Packet
    static let name = "passing"
    static let summary = "Hands each packet on."
    mutating func process(_ item: consuming Packet, to output: inout Output) throws { output.emit(item) }
}

/// Takes packets and tells where a test can see.
struct CollectingSink: Sink {
    typealias Input = Packet
    static let name = "collecting"
    static let summary = "Keeps what it is given."

    private var collector: Collector?
    private var id = ""

    mutating func open(_ context: borrowing Context) throws {
        collector = try context.service(Collector.self)
        id = context.id
    }
    mutating func gap(_ gap: Gap) { collector?.add(.gap(gap), to: id) }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        collector?.add(.packet(item.number, item.captured), to: id)
        return .more
    }
    mutating func finish() throws { collector?.add(.finished, to: id) }
}

/// What sinks were given, in order.
final class Collector: Sendable {
    enum Entry: Hashable, Sendable {
        case packet(Int, Instant)
        case gap(Gap)
        case opened
        case format(Format)
        case finished
    }
    private let entries = Lock<[String: [Entry]]>([:])

    func add(_ entry: Entry, to id: String) { entries.withLock { $0[id, default: []].append(entry) } }
    subscript(id: String) -> [Entry] { entries.withLock { $0[id] ?? [] } }
    func numbers(_ id: String) -> [Int] {
        self[id].compactMap { if case .packet(let number, _) = $0 { number } else { nil } }
    }
}

extension Packet {
    static func numbered(_ number: Int, captured: Instant) -> Packet {
        Packet(
            .empty, format: .jpeg, captured: captured, pts: MediaTime(ticks: Int64(number), timebase: Timebase(1, 1000))
        )
    }
    var number: Int { Int(pts.rescaled(to: Timebase(1, 1000))?.ticks ?? -1) }
}
