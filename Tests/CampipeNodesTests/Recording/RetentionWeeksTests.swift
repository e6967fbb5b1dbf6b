import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation
import Testing

@testable import CampipeNodes

/// The `file` sink by a clock that a test turns: weeks in seconds.
@Suite("Weeks of recordings")
struct RetentionWeeksTests {
    private let folder: TemporaryFolder
    private let jpeg: Bytes

    init() throws {
        folder = try TemporaryFolder()
        jpeg = try JPEGEncoder().encode(
            Pictures.frame(.yuv420, Size(64, 48)) { _, _, _ in 128 }, quality: 80, pool: .shared)
    }

    /// A recorder of the whole day in files of six hours, its start at the world's time of the clock.
    private func sink(_ options: Value.ValueMap, clock: ManualClock) throws -> NodeHarness {
        var all: Value.ValueMap = ["path": .text("\(folder.path)/rec/%s.mjpeg"), "segment": "6h"]
        for entry in options.entries { all[entry.key] = entry.value }
        return try NodeHarness(
            Registration(sink: FileSink.self), options: all, id: "rec", isLive: true,
            connected: [FileSink.events.name], clock: clock)
    }

    private func picture(at instant: Instant) -> Packet {
        var format = PacketFormat(.jpeg, size: Size(64, 48))
        format.timebase = .nanoseconds
        return Packet(jpeg, format: format, captured: instant, pts: MediaTime(instant - Instant.zero))
    }

    private func event(_ phase: Event.Phase, _ number: Int, at instant: Instant) -> Event {
        Event(
            phase == .began ? .motionStarted : .motionEnded, id: "\(number)", phase: phase, captured: instant,
            node: "watch")
    }

    /// Records a picture each two hours; of the days that are named, motion at noon.
    private func record(_ harness: NodeHarness, hours: Range<Int>, eventDays: Set<Int> = []) throws {
        for hour in hours where hour % 2 == 0 {
            let now = harness.clock.now
            try harness.push(picture(at: now))
            if hour % 24 == 12, eventDays.contains(hour / 24) {
                try harness.push(event(.began, hour, at: now + .seconds(60)), on: FileSink.events)
                try harness.push(event(.ended, hour, at: now + .seconds(90)), on: FileSink.events)
            }
            try harness.advance(by: .seconds(7200))
        }
    }

    /// When the files began that are there, in hours of the year 2026.
    private var files: [Int] {
        folder.files.compactMap { Int($0.dropFirst("rec/".count).dropLast(".mjpeg".count)) }
            .map { ($0 - 1_767_225_600) / 3600 }.sorted()
    }

    private func said(_ harness: NodeHarness, _ part: String) -> Int {
        harness.logged.count { $0.message.contains(part) }
    }

    /// As another process would see it: an index made of the list.
    private func index() throws -> RecordingIndex {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/rec")
        let list = try #require(names.first { $0.hasPrefix(".campipe-") })
        let index = try RecordingIndex(path: nil)
        try index.update(["\(folder.path)/rec/\(list)"])
        return index
    }

    @Test("six weeks of one recording keep three days, those with an event thirty days, and no byte twice")
    func weeks() throws {
        let clock = ManualClock()
        let harness = try sink(["retention": ["max_age": "3d", "with_event": "30d"]], clock: clock)
        let eventDays: Set<Int> = [2, 9, 20, 40]
        try record(harness, hours: 0..<(42 * 24), eventDays: eventDays)
        let totals = try index().totals(ClipQuery())
        try harness.end()
        // Of days 2 and 9 the events are over thirty days old.
        #expect(files == [20 * 24 + 12] + stride(from: 930, through: 1002, by: 6))
        // The index, made while it recorded, knows the same, and what happened.
        #expect(totals.count == files.count)
        let happened = try index().clips(ClipQuery(withEvents: true))
        #expect(
            happened.compactMap(\.start?.microseconds).map { ($0 / 1_000_000 - 1_767_225_600) / 3600 } == [972, 492])
        #expect(happened.allSatisfy { $0.events.map(\.kind) == ["motion_started"] })
        #expect(happened.allSatisfy { $0.events[0].ended == $0.events[0].begun + .seconds(30) })
    }

    @Test("for space those with an event go last")
    func space() throws {
        let bytes = jpeg.count * 3
        let harness = try sink(
            [
                "retention": [
                    "max_age": "100d", "with_event": "200d", "max_total": .text("\(bytes * 6)B"),
                ]
            ], clock: ManualClock())
        try record(harness, hours: 0..<(20 * 24), eventDays: [1, 5])
        try harness.end()
        #expect(files == [36, 132, 456, 462, 468, 474])
    }

    @Test("a clock that is set forward deletes nothing for two days, and says so once", arguments: [false, true])
    func setForward(_ isTold: Bool) throws {
        let clock = ManualClock()
        let harness = try sink(["retention": ["max_age": "3d"]], clock: clock)
        try record(harness, hours: 0..<48)
        // The one that is open ends after the jump.
        let before = files.dropLast()
        clock.setWallTime(clock.wallTime + .seconds(40 * 86_400))
        try record(harness, hours: 0..<24)
        #expect(before.allSatisfy(files.contains))
        #expect(said(harness, "the clock was set") == 1)
        if isTold {
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/rec")
            let list = try #require(names.first { $0.hasPrefix(".campipe-") })
            try ListedClock("\(folder.path)/rec/\(list)").trust(at: clock.wallTime)
            try record(harness, hours: 0..<2)
        } else {
            try record(harness, hours: 0..<22)
            #expect(before.allSatisfy(files.contains))
            try record(harness, hours: 0..<6)
        }
        #expect(!before.contains(where: files.contains))
        try harness.end()
    }

    @Test("a clock that is set back keeps what is new, and what is old goes in its time")
    func setBack() throws {
        let clock = ManualClock()
        let harness = try sink(
            ["retention": ["max_age": "1d", "max_total": .text("\(jpeg.count * 30)B")]], clock: clock)
        try record(harness, hours: 0..<24)
        clock.setWallTime(clock.wallTime + .seconds(-300 * 86_400))
        try record(harness, hours: 0..<24)
        // By the clock none is too old.
        #expect(files.count == 8)
        try record(harness, hours: 0..<40)
        // What is over the limit goes in the order of writing, whatever the clock says; two days after it was set, what is
        // too old by it.
        #expect(files.count == 6)
        #expect(!files.contains(0) && files.contains(12))
        #expect(said(harness, "the clock was set") <= 1)
        try harness.end()
    }

    @Test("without retention a tenth of the disk stays free, and the start says so", arguments: [false, true])
    func standard(_ isGiven: Bool) throws {
        let harness = try sink(isGiven ? ["retention": ["max_age": "3d"]] : [:], clock: ManualClock())
        try record(harness, hours: 0..<12)
        try harness.end()
        #expect(said(harness, "10% of the disk stays free") == (isGiven ? 0 : 1))
    }

    @Test("after a restart nothing is forgotten: neither what happened nor that the clock was set")
    func restart() throws {
        let options: Value.ValueMap = ["retention": ["max_age": "3d", "with_event": "30d"]]
        let clock = ManualClock()
        let first = try sink(options, clock: clock)
        try record(first, hours: 0..<48, eventDays: [0])
        clock.setWallTime(clock.wallTime + .seconds(5 * 86_400))
        try record(first, hours: 0..<6)
        try first.end()
        let all = files
        let second = try sink(options, clock: ManualClock(wall: clock.wallTime))
        try record(second, hours: 0..<6)
        #expect(all.allSatisfy(files.contains))
        #expect(said(second, "the clock was set") == 1)
        try record(second, hours: 0..<48)
        try second.end()
        #expect(files.filter { $0 < 42 } == [12])
    }

    @Test("a recording with a when has its events too, and keeps them as long")
    func gated() throws {
        let clock = ManualClock()
        let harness = try NodeHarness(
            Registration(sink: FileSink.self),
            options: [
                "path": .text("\(folder.path)/rec/%s.mjpeg"), "pre_roll": "0s", "post_roll": "1s",
                "retention": ["max_age": "1d", "with_event": "10d"],
            ], id: "rec", isLive: true, isGated: true, clock: clock)
        for day in 0..<12 {
            let event = event(.began, day, at: clock.now)
            try harness.gate(GateChange(isOpen: true, at: clock.now, event: event))
            try harness.push(picture(at: clock.now))
            try harness.gate(GateChange(isOpen: false, at: clock.now, event: nil))
            try harness.push(picture(at: clock.now + .seconds(2)))
            try harness.advance(by: .seconds(86_400))
        }
        try harness.end()
        // Each clip begins with the last picture before its event, which is of the day before; the second day's ended eleven
        // days ago.
        #expect(files == (1...10).map { $0 * 24 })
        let clips = try index().clips(ClipQuery())
        #expect(clips.allSatisfy { $0.events.map(\.node) == ["watch"] && $0.events[0].ended != nil })
    }

    @Test("options that do not go together are pointed at", arguments: [nil, "3d"])
    func faults(_ maxAge: String?) {
        var retention: Value.ValueMap = ["with_event": "2d"]
        if let maxAge { retention["max_age"] = .text(maxAge) }
        let faults = Registration(sink: FileSink.self).inspect(["path": "a.mp4", "retention": .map(retention)]).faults
        #expect(faults.map(\.code) == [.invalidValue])
        #expect(faults.map(\.path) == [["retention", "with_event"]])
    }
}
