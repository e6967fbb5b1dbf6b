@testable import CampipeKit
import Foundation

@testable import CampipeRuntime

/// The nodes of drawn graphs: each keeps a record of what it was given and made.
enum DrawnNodes {
    static let source = Registration(source: DrawnSource.self)
    static let transform = Registration(transform: DrawnTransform.self)
    static let join = Registration(join: DrawnJoin.self)
    static let sink = Registration(sink: DrawnSink.self)
    static let historySink = Registration(sink: HistorySink.self)
    static let eventSink = Registration(sink: EventSink.self)
    static let threadSink = Registration(sink: ThreadSink.self)

    static let payload = Bytes([UInt8](repeating: 7, count: 200))

    /// Lets work take time: of the manual clock, or really.
    static func work(_ microseconds: Int, _ clock: (any PipelineClock)?) {
        guard microseconds > 0 else { return }
        if let clock = clock as? ManualClock {
            clock.advance(by: .microseconds(microseconds))
        } else {
            usleep(UInt32(min(microseconds / 20, 200)))
        }
    }
}

/// Emits numbered packets: as fast as there is room, or live on the clock's grid.
struct DrawnSource: Source {
    static let name = "drawn_source"
    static let summary = "Emits numbered packets."
    static let outputs: [any AnyPort] = [Out<Packet>("out")]

    @Option("How many.") var count = 10
    @Option("Microseconds between them.") var interval = 1000
    @Option("Whether it is live.") var live = false
    @Option("The coding.") var coding = "jpeg"
    @Option("Packets in a group.") var group = 6

    private var made = 0
    private var start: Instant?
    private var clock: (any PipelineClock)?
    private var record: NodeRecord?

    var isLive: Bool { live }
    var format: Format? { .packets(PacketFormat(Coding(rawValue: coding))) }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        record = try context.service(Journal.self)[context.id]
        record?.open()
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard made < count else { return .ended }
        var captured = Instant.zero + .microseconds(interval * (made + 1))
        if live, let clock {
            let began = start ?? clock.now
            start = began
            captured = began + .microseconds(interval * made)
            if clock.now < captured { return .waitUntil(captured) }
        }
        let place = made % group
        let isPlain = coding == "jpeg"
        output.emit(
            Packet(
                DrawnNodes.payload, format: PacketFormat(Coding(rawValue: coding)), captured: captured,
                pts: MediaTime(ticks: Int64(made + 1) * 1000, timebase: Timebase(1, 1_000_000)),
                isKeyframe: isPlain || place == 0, isDisposable: !isPlain && place % 2 == 1))
        record?.emitted[0].append(captured)
        made += 1
        return made < count ? .more : .ended
    }

    mutating func finish() throws { record?.finish() }
}

/// Holds back, leaves out, multiplies, takes its time, fails; and says events.
struct DrawnTransform: Transform {
    typealias Input = Packet
    static let name = "drawn_transform"
    static let summary = "Does to packets what its options say."
    static let out = Out<Packet>("out")
    static let events = Out<Event>("events")
    static let outputs: [any AnyPort] = [out, events]

    @Option("How many it holds back.") var hold = 0
    @Option("Which share it keeps, one of so many.") var keep = 1
    @Option("How many it makes of one.") var copies = 1
    @Option("Nanoseconds between them.") var spread = 10
    @Option("Microseconds of work.") var work = 0
    @Option("It fails at each so-manieth.") var failEvery = 0
    @Option("An event begins or ends at each so-manieth.") var eventEvery = 0

    private var held: [Packet] = []
    private var taken = 0
    private var isActive = false
    private var clock: (any PipelineClock)?
    private var record: NodeRecord?

    var holds: Int { hold * keep }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        record = try context.service(Journal.self)[context.id]
        record?.open()
    }

    mutating func gap(_ gap: Gap) { record?.take(gap) }

    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        let captured = item.captured
        record?.take(captured)
        DrawnNodes.work(work, clock)
        if failEvery > 0, let record, record.received % failEvery == 0 {
            record.failed += 1
            throw CampipeError(.failed, "as told")
        }
        taken += 1
        if eventEvery > 0, taken % eventEvery == 0 { say(captured, &output) }
        guard taken % keep == 0 else { return }
        held.append(item)
        if held.count > hold { emit(held.removeFirst(), &output) }
    }

    mutating func drain(to output: inout Output) throws {
        while !held.isEmpty { emit(held.removeFirst(), &output) }
    }

    mutating func finish() throws { record?.finish() }

    private mutating func say(_ captured: Instant, _ output: inout Output) {
        isActive.toggle()
        let id = "e\((taken - 1) / (2 * eventEvery))"
        output.emit(
            Event("drawn", id: id, phase: isActive ? .began : .ended, captured: captured, node: Self.name),
            on: Self.events)
        record?.emitted[1].append(captured)
    }

    private func emit(_ packet: Packet, _ output: inout Output) {
        for copy in 0..<copies {
            var packet = packet
            if copy > 0 { packet.captured = packet.captured + .nanoseconds(copy * spread) }
            record?.emitted[0].append(packet.captured)
            output.emit(packet)
        }
    }
}

/// Hands its primary on, and looks at what comes with it.
struct DrawnJoin: Join {
    typealias Primary = Packet
    static let name = "drawn_join"
    static let summary = "Hands its primary on."
    static let side = In<Packet>("side", optional: true)
    static let other = In<Packet>("other", optional: true)
    static let events = In<Event>("events", optional: true)
    static let inputs: [any AnyPort] = [In<Packet>("input"), side, other, events]

    private var record: NodeRecord?
    private var isDeaf = false

    mutating func open(_ context: borrowing Context) throws {
        let journal = try context.service(Journal.self)
        isDeaf = journal.hasDeafJoins
        record = journal[context.id]
        record?.open()
    }

    mutating func gap(_ gap: Gap) { record?.take(gap) }

    mutating func process(_ primary: consuming Packet, with side: borrowing Sides, to output: inout Output) throws {
        let captured = primary.captured
        if isDeaf { output.ports.ports[0].controls.removeAll { if case .gap = $0.1 { true } else { false } } }
        record?.take(captured)
        for item in side.items(Self.side) { record?.take(side: "side", item.captured, primary: captured) }
        for item in side.items(Self.other) { record?.take(side: "other", item.captured, primary: captured) }
        for item in side.events(Self.events) { record?.take(side: "events", item.captured, primary: captured) }
        record?.emitted[0].append(captured)
        output.emit(primary)
    }

    mutating func finish() throws { record?.finish() }
}
