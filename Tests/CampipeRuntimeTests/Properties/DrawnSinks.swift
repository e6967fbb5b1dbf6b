import CampipeKit

@testable import CampipeRuntime

/// Takes packets; pauses, or wants no more after some.
struct DrawnSink: Sink {
    typealias Input = Packet
    static let name = "drawn_sink"
    static let summary = "Takes packets."

    @Option("It pauses at each so-manieth, until its waker calls.") var waitEvery = 0
    @Option("It pauses at each so-manieth, until a time.") var untilEvery = 0
    @Option("For so many microseconds.") var pause = 1000
    @Option("It wants no more after so many.") var limit = 0
    @Option("Items a second.") var rate = 0
    @Option("Whether it keeps what it was given.") var keeps = false

    private var clock: (any PipelineClock)?
    private var waker: Waker?
    private var record: NodeRecord?
    private var pausedUntil = Instant.distantPast

    var want: Want? { Want(maxRate: rate > 0 ? Double(rate) : nil) }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        waker = context.waker
        record = try context.service(Journal.self)[context.id]
        record?.open()
    }

    mutating func gap(_ gap: Gap) {
        record?.take(gap)
        if keeps { record?.entries.append(.gap(gap)) }
    }

    mutating func consume(_ item: consuming Packet) throws -> Next {
        guard let clock, let waker, let record else { return .more }
        record.take(item.captured)
        if keeps { record.entries.append(.item(Int(item.pts.ticks), item.captured)) }
        if clock.now < pausedUntil { record.wrong("was given an item while it paused") }
        if limit > 0, record.received >= limit { return .ended }
        if waitEvery > 0, record.received % waitEvery == 0 {
            pausedUntil = clock.now + .microseconds(pause)
            clock.schedule(at: pausedUntil) { waker.wake() }
            return .wait
        }
        if untilEvery > 0, record.received % untilEvery == 0 {
            pausedUntil = clock.now + .microseconds(pause)
            return .waitUntil(pausedUntil)
        }
        return .more
    }

    mutating func wake() throws -> Next {
        guard let clock else { return .more }
        return clock.now < pausedUntil ? .waitUntil(pausedUntil) : .more
    }

    mutating func finish() throws { record?.finish() }
}

/// Takes packets, and its `when` itself.
struct HistorySink: Sink {
    typealias Input = Packet
    static let name = "history_sink"
    static let summary = "Takes packets, and its when itself."
    static let keepsHistory = true
    static let inputs: [any AnyPort] = [In<Packet>("input", taste: .complete)]

    private var record: NodeRecord?

    mutating func open(_ context: borrowing Context) throws {
        record = try context.service(Journal.self)[context.id]
        record?.open()
    }
    mutating func gap(_ gap: Gap) { record?.take(gap) }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        record?.take(item.captured)
        record?.entries.append(.item(Int(item.pts.ticks), item.captured))
        return .more
    }
    mutating func gate(_ change: GateChange) throws { record?.entries.append(.gate(change.isOpen, change.at)) }
    mutating func finish() throws { record?.finish() }
}

/// Takes events.
struct EventSink: Sink {
    typealias Input = Event
    static let name = "event_sink"
    static let summary = "Takes events."

    private var record: NodeRecord?

    mutating func open(_ context: borrowing Context) throws {
        record = try context.service(Journal.self)[context.id]
        record?.open()
    }
    mutating func gap(_ gap: Gap) { record?.take(gap) }
    mutating func consume(_ item: consuming Event) throws -> Next {
        record?.take(item.captured)
        return .more
    }
    mutating func finish() throws { record?.finish() }
}

/// Takes packets on a thread of its own, where each takes its time.
struct ThreadSink: Sink {
    typealias Input = Packet
    static let name = "thread_sink"
    static let summary = "Takes packets on a thread of its own."
    static let execution = Execution.ownThread

    private var clock: (any PipelineClock)?
    private var record: NodeRecord?

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        record = try context.service(Journal.self)[context.id]
        record?.open()
    }
    mutating func gap(_ gap: Gap) { record?.take(gap) }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        record?.take(item.captured)
        DrawnNodes.work(1500, clock)
        return .more
    }
    mutating func finish() throws { record?.finish() }
}
