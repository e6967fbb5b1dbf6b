import CampipeKit
import Dispatch

@testable import CampipeRuntime

/// Hands each packet on after a time, which is the manual clock's.
struct SleepingTransform: Transform {
    typealias Input = Packet
    static let name = "sleeping"
    static let summary = "Takes its time."
    @Option("How long.") var microseconds = 1000
    private var clock: (any PipelineClock)?
    mutating func open(_ context: borrowing Context) throws { clock = context.clock }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        (clock as? ManualClock)?.advance(by: .microseconds(microseconds))
        output.emit(item)
    }
}

/// Takes one, and wants no more until it is woken, which nobody does.
struct StuckSink: Sink {
    typealias Input = Packet
    static let name = "stuck"
    static let summary = "Takes one."
    mutating func consume(_ item: consuming Packet) throws -> Next { .wait }
}

/// Fails as it is told to.
struct FailingTransform: Transform {
    typealias Input = Packet
    static let name = "failing"
    static let summary = "Fails at some packets."
    @Option("It fails at the packets whose number is a multiple, but 0.") var every = 10
    private var collector: Collector?
    private var id = ""
    mutating func open(_ context: borrowing Context) throws {
        collector = try context.service(Collector.self)
        id = context.id
        collector?.add(.opened, to: id)
    }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        if item.number > 0, item.number % every == 0 { throw CampipeError(.failed, "at \(item.number)") }
        output.emit(item)
    }
    mutating func finish() throws { collector?.add(.finished, to: id) }
}

/// Wants the next packet so many seconds after each.
struct SlowSink: Sink {
    typealias Input = Packet
    static let name = "slow"
    static let summary = "Takes its time."
    @Option("For each.") var seconds = 1
    private var collector: Collector?
    private var clock: (any PipelineClock)?
    private var id = ""
    mutating func open(_ context: borrowing Context) throws {
        collector = try context.service(Collector.self)
        clock = context.clock
        id = context.id
    }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        collector?.add(.packet(item.number, item.captured), to: id)
        return clock.map { .waitUntil($0.now + .seconds(seconds)) } ?? .more
    }
    mutating func finish() throws { collector?.add(.finished, to: id) }
}

/// Fails at each packet.
struct FailingSink: Sink {
    typealias Input = Packet
    static let name = "failing"
    static let summary = "Fails."
    mutating func consume(_ item: consuming Packet) throws -> Next { throw CampipeError(.exhausted, "no room") }
}

/// Takes all, and cannot be finished.
struct UnfinishableSink: Sink {
    typealias Input = Packet
    static let name = "unfinishable"
    static let summary = "Cannot be finished."
    mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    mutating func finish() throws { throw CampipeError(.exhausted, "no room for the end") }
}

/// Keeps five packets at a time, and loses them.
struct LosingSink: Sink {
    typealias Input = Packet
    static let name = "losing"
    static let summary = "Keeps five."
    static let inputs: [any AnyPort] = [In<Packet>("input", taste: .complete)]
    private var held = 0

    private func lost(_ count: Int) -> CampipeError {
        var error = CampipeError(.exhausted, "no room")
        error.lostItems = count
        return error
    }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        held += 1
        guard held == 5 else { return .more }
        held = 0
        throw lost(5)
    }
    mutating func finish() throws { if held > 0 { throw lost(held) } }
}

/// Keeps all, two items a second.
struct SlowKeepingSink: Sink {
    typealias Input = Packet
    static let name = "slow_keeping"
    static let summary = "Is slow."
    static let inputs: [any AnyPort] = [In<Packet>("input", taste: .complete)]
    private var clock: (any PipelineClock)?
    mutating func open(_ context: borrowing Context) throws { clock = context.clock }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        guard let clock else { return .more }
        return .waitUntil(clock.now + .milliseconds(500))
    }
    mutating func wake() throws -> Next { .more }
}

/// Fails at the fifth packet.
struct LastWordSink: Sink {
    typealias Input = Packet
    static let name = "last_word"
    static let summary = "Fails at the fifth."
    mutating func consume(_ item: consuming Packet) throws -> Next {
        if item.number == 4 { throw CampipeError(.failed, "at 4") }
        return .more
    }
}

/// Cannot be opened.
struct UnopenableTransform: Transform {
    typealias Input = Packet
    static let name = "unopenable"
    static let summary = "Cannot be opened."
    mutating func open(_ context: borrowing Context) throws { throw CampipeError(.failed, "cannot be opened") }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {}
}

/// Blocks its thread in `consume` until it is let go.
struct BlockingSink: Sink {
    typealias Input = Packet
    static let name = "blocking"
    static let summary = "Blocks."
    static let execution = Execution.ownThread
    private var collector: Collector?
    private var latch: Latch?
    private var id = ""
    mutating func open(_ context: borrowing Context) throws {
        collector = try context.service(Collector.self)
        latch = try context.service(Latch.self)
        id = context.id
    }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        collector?.add(.packet(item.number, item.captured), to: id)
        latch?.wait()
        return .more
    }
    mutating func finish() throws {
        collector?.add(.finished, to: id)
        latch?.finished()
    }
}

/// Hangs in its turn on the shared pool until it is let go.
struct HangingTransform: Transform {
    typealias Input = Packet
    static let name = "hanging"
    static let summary = "Hangs."
    private var latch: Latch?
    mutating func open(_ context: borrowing Context) throws { latch = try context.service(Latch.self) }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        latch?.wait()
        output.emit(item)
    }
    mutating func finish() throws { latch?.finished() }
}

/// What a blocked node waits at, and who waits for it.
final class Latch: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    func wait() { gate.wait() }
    func open() { for _ in 0..<1000 { gate.signal() } }
    func finished() { done.signal() }
    /// Whether the node finished before long.
    func waitForFinish() -> Bool { done.wait(timeout: .now() + .seconds(20)) == .success }
}
