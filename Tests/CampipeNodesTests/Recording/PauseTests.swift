import CampipeKit
import CampipeMedia
import CampipeStore
import Glibc
import Testing

@testable import CampipeNodes

@Suite("Recordings that pause")
struct PauseTests {
    private func rig(
        _ name: String, _ isFull: Lock<Bool>, isGated: Bool = false,
        _ change: (inout RecordingSettings) -> Void = { _ in }
    ) throws -> RecordingRig {
        let disk = FaultyDisk { call, _ in
            isFull.withLock { $0 } && call.isWrite && !Self.isRename(call) ? .fails(ENOSPC) : nil
        }
        return try RecordingRig(name, disk: disk, isGated: isGated, change)
    }

    private static func isRename(_ call: FaultyDisk.Call) -> Bool { if case .rename = call { true } else { false } }

    @Test(
        "while the disk is full nothing fails; it is told, and what is lost; then it goes on with what is kept",
        arguments: ["mp4", "mkv", "ts", "mjpeg", "jpg"])
    func full(_ ending: String) throws {
        let isFull = Lock(false)
        let rig = try rig("%H%M%S-%f.\(ending)", isFull)
        let packets = try ["mp4", "ts"].contains(ending) ? RecordingRig.video(120) : RecordingRig.jpegs(120)
        for (number, packet) in packets.enumerated() {
            if number == 30 { isFull.withLock { $0 = true } }
            if number == 80 {
                #expect(rig.trouble == .waiting("the disk is full"))
                isFull.withLock { $0 = false }
            }
            try rig.push(packet)
        }
        try rig.finish()
        #expect(rig.trouble == nil)
        let alarms = rig.events.filter { $0.kind == .diskFull }
        #expect(alarms.map(\.phase) == [.began, .ended])
        #expect(Set(alarms.map(\.id)).count == 1)
        var lost = 0
        if case .number(let number)? = alarms.last?.payload["lost"] { lost = Int(number) }
        #expect(rig.lost == lost)
        let found =
            ending == "jpg"
            ? rig.folder.files.count : try rig.folder.files.reduce(0) { try $0 + rig.pictures($1).count }
        #expect(found + lost == 120, "\(found) found, \(lost) lost")
        // It looks again after 1, 3, 7 s, and then has a second of what came before.
        #expect((20...80).contains(lost), "\(lost)")
        #expect(rig.said("the disk is full: the recording pauses") == 1)
        #expect(rig.logged.flatMap(\.facts).allSatisfy { !$0.value.isEmpty })
        #expect(rig.said("the recording goes on") == 1)
    }

    @Test("a disk that is full when a segment ends is one pause: nothing begins in it, and what it cost is counted")
    func fullAtTheEnd() throws {
        let isFull = Lock(false)
        // Nothing is written in between, so that the disk is found full at the end of a file.
        let rig = try rig("%H%M%S-%f.mkv", isFull) { ($0.segment, $0.fragment) = (.seconds(1), .seconds(60)) }
        for (number, packet) in try RecordingRig.video(160).enumerated() {
            if number == 30 { isFull.withLock { $0 = true } }
            if number == 100 { isFull.withLock { $0 = false } }
            try rig.push(packet)
        }
        try rig.finish()
        let alarms = rig.events.filter { $0.kind == .diskFull }
        #expect(Set(alarms.map(\.id)).count == 1 && alarms.map(\.phase) == [.began, .ended], "\(alarms.map(\.phase))")
        let found = try rig.folder.files.reduce(0) { try $0 + rig.pictures($1).count }
        #expect(found + rig.lost == 160, "\(found) found, \(rig.lost) lost")
    }

    @Test("a disk that stays full to the end is a failure that says what is lost")
    func fullToTheEnd() throws {
        let isFull = Lock(false)
        let rig = try rig("clip.mjpeg", isFull)
        for (number, packet) in try RecordingRig.jpegs(50).enumerated() {
            if number == 20 { isFull.withLock { $0 = true } }
            try rig.push(packet)
        }
        let error = #expect(throws: CampipeError.self) { try rig.finish() }
        #expect(error?.kind == .exhausted && error?.lostItems == 30)
        let told = rig.logged.filter { $0.message == "pictures were not recorded" }.flatMap(\.facts)
        #expect(told.filter { $0.key == "cause" }.map(\.value) == ["the disk is full"])
        #expect(try rig.pictures("clip.mjpeg").count == 20)
    }

    @Test("an event while the disk is full begins its clip when there is room, with its pre-roll")
    func eventInPause() throws {
        let isFull = Lock(true)
        let rig = try rig("%H%M%S-%f.mjpeg", isFull, isGated: true) { $0.postRoll = .seconds(20) }
        for (number, packet) in try RecordingRig.jpegs(100).enumerated() {
            if number == 20 { try rig.gate(true, at: packet.captured) }
            if number == 40 { isFull.withLock { $0 = false } }
            try rig.push(packet)
        }
        try rig.finish()
        #expect(rig.folder.files.count == 1)
        #expect(try rig.pictures(try #require(rig.folder.files.first)).count >= 50)
    }

    @Test("what is to be on a disk of its own waits while none is mounted, and leaves the root's alone")
    func notMounted() throws {
        let rig = try RecordingRig("deep/%H%M%S.mjpeg") { $0.requiresMount = true }
        try #require(!MountCheck.isMounted(rig.folder.path), "the folder for temporary files is a mount of its own")
        for packet in try RecordingRig.jpegs(30) { try rig.push(packet) }
        #expect(rig.folder.files == [])
        #expect(rig.trouble == .waiting("no disk is mounted for \(rig.folder.path)/deep"))
        #expect(rig.events.map(\.kind) == ["disk_missing"])
        let error = #expect(throws: CampipeError.self) { try rig.finish() }
        #expect(error?.lostItems == 30)
    }

    @Test("a call that does not return for 10 s is told of from outside, and that it returned")
    func stuck() throws {
        let clock = ManualClock()
        let troubles = Lock<[NodeTrouble?]>([])
        let trouble = RecordingTrouble(
            TroubleTeller { trouble in troubles.withLock { $0.append(trouble) } }, clock: clock, log: .silent)
        for _ in 0..<5 { trouble.watched { clock.advance(by: .seconds(4)) } }
        #expect(troubles.withLock { $0.isEmpty })
        trouble.watched {
            clock.advance(by: .seconds(9))
            #expect(troubles.withLock { $0.isEmpty })
            clock.advance(by: .seconds(2))
            #expect(
                troubles.withLock { $0 } == [.stalled("the disk does not answer: a call has not returned for 10 s")])
            clock.advance(by: .seconds(60))
        }
        let last = troubles.withLock { $0 }
        #expect(last.count == 2 && last.last == .some(nil))
        #expect(clock.nextTimer == nil)
    }

    @Test("it is looked again after 1 s, then less and less often, each half minute at most")
    func patience() {
        var pause = RecordingPause()
        #expect(RecordingPause().isWaiting == false)
        _ = pause.begin(.full, at: .zero)
        var looks: [Int] = []
        for second in 0..<200 where pause.isDue(at: .zero + .seconds(second)) { looks.append(second) }
        #expect(looks == [1, 3, 7, 15, 31, 61, 91, 121, 151, 181])
    }
}
