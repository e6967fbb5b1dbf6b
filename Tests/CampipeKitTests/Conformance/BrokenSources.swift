import CampipeKit
import Glibc

// Sources that each break one rule of the contract and keep the others.

/// When their items are due: 25 a second.
private struct Schedule {
    private(set) var made = 0
    mutating func next() -> Int {
        defer { made += 1 }
        return 40 * made
    }
}

/// The times of its pictures wrap.
struct Wrapping: Source {
    static let name = "wrapping"
    static let summary = "Makes pictures whose times wrap."
    static let outputs: [any AnyPort] = [Out<Frame>("out", format: .frames(.gray8))]
    private var made = 0
    private var pool = FramePool.shared
    mutating func open(_ context: borrowing Context) throws { pool = context.pool }
    mutating func next(to output: inout Output) throws -> Next {
        var frame = Pictures.frame(40 * made, pool: pool)
        frame.pts = MediaTime(.milliseconds(40 * (made % 16)))
        output.emit(frame)
        made += 1
        return .more
    }
}

/// Says that its pictures are in colour.
struct Boastful: Source {
    static let name = "boastful"
    static let summary = "Says that its pictures are in colour."
    static let outputs: [any AnyPort] = [Out<Frame>("out")]
    var format: Format? { .frames(.yuv420) }
    private var schedule = Schedule()
    private var pool = FramePool.shared
    mutating func open(_ context: borrowing Context) throws { pool = context.pool }
    mutating func next(to output: inout Output) throws -> Next {
        output.emit(Pictures.frame(schedule.next(), pool: pool))
        return .more
    }
}

/// Makes pictures by chance, of no seed.
struct Whimsical: Source {
    static let name = "whimsical"
    static let summary = "Makes pictures by chance."
    static let outputs: [any AnyPort] = [Out<Frame>("out", format: .frames(.gray8))]
    private var schedule = Schedule()
    private var pool = FramePool.shared
    mutating func open(_ context: borrowing Context) throws { pool = context.pool }
    mutating func next(to output: inout Output) throws -> Next {
        output.emit(Pictures.frame(schedule.next(), level: UInt8.random(in: 0...255), pool: pool))
        return .more
    }
}

/// Cannot be stopped before its first packet.
struct Unready: Source {
    static let name = "unready"
    static let summary = "Cannot be stopped before its first packet."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    private var schedule = Schedule()
    mutating func next(to output: inout Output) throws -> Next {
        output.emit(Pictures.packet(schedule.next()))
        return .more
    }
    mutating func finish() throws {
        if schedule.made == 0 { throw CampipeError(.failed, "there is nothing to hang up") }
    }
}

/// Keeps a packet for ever, once in a hundred.
struct Nostalgic: Source {
    final class Memory {
        var own: Memory?
        var packet: Packet?
    }
    static let name = "nostalgic"
    static let summary = "Keeps a packet for ever."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    private var made = 0
    mutating func next(to output: inout Output) throws -> Next {
        let packet = Pictures.packet(40 * made)
        made += 1
        if made % 100 == 0 {
            let memory = Memory()
            memory.own = memory
            memory.packet = packet
        }
        output.emit(packet)
        return .more
    }
}

/// Says its password in each event.
struct Blurting: Source {
    static let name = "blurting"
    static let summary = "Says its password in each event."
    static let outputs: [any AnyPort] = [Out<Event>("out")]
    @Option("Its password.") var password: Secret? = nil
    private var made = 0
    mutating func next(to output: inout Output) throws -> Next {
        let url = "http://admin:\(password?.revealed ?? "")@camera/"
        output.emit(
            Event(
                .motionStarted, id: "\(made)", captured: Pictures.at(40 * made), node: "blurting",
                payload: ["url": .text(url)]))
        made += 1
        return .more
    }
}

/// Takes its time to finish.
struct Lingering: Source {
    static let name = "lingering"
    static let summary = "Takes its time to finish."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    private var schedule = Schedule()
    mutating func next(to output: inout Output) throws -> Next {
        output.emit(Pictures.packet(schedule.next()))
        return .more
    }
    mutating func finish() throws { usleep(5000) }
}
