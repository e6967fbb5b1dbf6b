import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation
import Testing

@testable import CampipeNodes

/// A recording whose disk a test owns, and pictures for it.
final class RecordingRig {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let disk: FaultyDisk
    private let told = Lock<[Event]>([])
    private let removed = Lock(0)
    private let troubles = Lock<[NodeTrouble?]>([])
    private let entries = Lock<[Log.Entry]>([])
    private var work: RecordingWork

    init(
        _ name: String, disk: FaultyDisk = FaultyDisk(), isGated: Bool = false,
        _ change: (inout RecordingSettings) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        self.disk = disk
        var faults: [Fault] = []
        let path = "\(folder.path)/\(name)"
        let pattern = try #require(FileNamePattern(path, fields: ["id"], at: .root, into: &faults))
        var settings = RecordingSettings(
            kind: try #require(RecordingFormat(path: path)), pattern: pattern, fields: ["id": "rec"],
            preRoll: .seconds(1), preRollLimit: .mebibytes(64), postRoll: .seconds(1), fragment: .seconds(1), crf: 23,
            retention: RetentionPolicy())
        change(&settings)
        let log = Log(level: .trace) { [entries] entry in entries.withLock { $0.append(entry) } }
        let trouble = RecordingTrouble(
            TroubleTeller { [troubles] trouble in troubles.withLock { $0.append(trouble) } }, clock: clock, log: log)
        let surroundings = RecordingSurroundings(
            id: "rec", clock: clock, log: log, pool: .shared, captureTime: CaptureTime(isLive: true, clock: clock),
            started: clock.wallTime, disk: disk, trouble: trouble,
            events: EventTeller { [told] event in told.withLock { $0.append(event) } },
            removals: RemovalTeller { [removed] _, count in removed.withLock { $0 += count } }, waker: Waker {})
        work = RecordingWork(settings, isGated: isGated, surroundings)
        work.start()
    }

    var events: [Event] { told.withLock { $0 } }
    /// Pictures that it said are in no file.
    var lost: Int { removed.withLock { $0 } }
    var trouble: NodeTrouble? { troubles.withLock { $0.last ?? nil } }
    var logged: [Log.Entry] { entries.withLock { $0 } }
    func said(_ message: String) -> Int { entries.withLock { $0.count { $0.message == message } } }

    /// Pushes a packet when its time has come.
    func push(_ packet: Packet) throws {
        if packet.captured > clock.now { clock.advance(to: packet.captured) }
        try work.take(packet)
    }

    func gate(_ isOpen: Bool, at instant: Instant, _ event: Event? = nil) throws {
        try work.gate(GateChange(isOpen: isOpen, at: instant, event: event))
    }

    func finish() throws {
        defer { work.tellRest() }
        try work.finish()
    }

    /// The payloads of a file's pictures.
    func pictures(_ name: String) throws -> [[UInt8]] { try Self.pictures("\(folder.path)/\(name)") }

    static func pictures(_ path: String) throws -> [[UInt8]] {
        let reader = try MediaReader(path: path)
        var found: [[UInt8]] = []
        while let packet = try reader.next() { found.append(packet.data.array) }
        return found
    }

    /// JPEGs of 64x48, ten a second, each with bytes of its own.
    static func jpegs(_ count: Int) throws -> [Packet] {
        try (0..<count).map { number in
            let frame = Pictures.frame(.yuv420, Size(64, 48)) { plane, x, y in
                plane == 0 ? UInt8((number * 7 + x * 3 + y) % 200) : UInt8(100 + number % 50)
            }
            var format = PacketFormat(.jpeg, size: Size(64, 48), rate: 10)
            format.timebase = .nanoseconds
            let time = Duration.milliseconds(number * 100)
            return Packet(
                try JPEGEncoder().encode(frame, quality: 80, pool: .shared), format: format, captured: .zero + time,
                pts: MediaTime(time))
        }
    }

    /// H.264 of 64x48, ten a second, a keyframe each second.
    static func video(_ count: Int) throws -> [Packet] {
        let transcoder = JPEGTranscoder(quality: 23, pool: .shared, clock: ManualClock(), log: .silent)
        return try jpegs(count).flatMap { try transcoder.transcode($0) } + transcoder.drain()
    }
}
