import CampipeKit
import Foundation
import Testing

@testable import CampipeStore

@Suite("Retention")
struct RetentionTests {
    private let roomy = RetentionPlan.Volume(capacity: 1000, free: 900)

    /// A recording of 100 bytes, so many hours old.
    private func recording(_ path: String, hours: Int, isOpen: Bool = false) -> RetentionPlan.Recording {
        RetentionPlan.Recording(path: path, bytes: 100, modified: morning + .seconds(-hours * 3600), isOpen: isOpen)
    }

    private func deleted(
        _ policy: RetentionPolicy, _ recordings: [RetentionPlan.Recording], volume: RetentionPlan.Volume? = nil
    ) -> [String] {
        RetentionPlan(policy: policy, recordings: recordings, volume: volume ?? roomy, now: morning)
            .deletions.map { "\($0.recording.path) \($0.reason.rawValue)" }
    }

    @Test("without a policy nothing goes")
    func none() {
        #expect(deleted(RetentionPolicy(), [recording("a", hours: 10_000)]) == [])
    }

    @Test("what is older than max_age goes, oldest first, and what is as old stays")
    func maxAge() {
        let all = [
            recording("a", hours: 1), recording("b", hours: 3), recording("c", hours: 2), recording("d", hours: 9),
        ]
        #expect(deleted(RetentionPolicy(maxAge: .seconds(2 * 3600)), all) == ["d max_age", "b max_age"])
    }

    @Test("over max_total the oldest go until it holds")
    func maxTotal() {
        let all = (1...5).map { recording("\($0)", hours: $0) }
        #expect(
            deleted(RetentionPolicy(maxTotal: ByteCount(bytes: 300)), all) == ["5 max_total", "4 max_total"])
        #expect(deleted(RetentionPolicy(maxTotal: ByteCount(bytes: 500)), all) == [])
    }

    @Test(
        "under min_free the oldest go until it holds",
        arguments: [
            FreeSpace.share(Percent(fraction: 0.2)), .size(ByteCount(bytes: 200)),
        ])
    func minFree(_ free: FreeSpace) {
        let all = (1...5).map { recording("\($0)", hours: $0) }
        let tight = RetentionPlan.Volume(capacity: 1000, free: 50)
        #expect(deleted(RetentionPolicy(minFree: free), all, volume: tight) == ["5 min_free", "4 min_free"])
        #expect(deleted(RetentionPolicy(minFree: free), all) == [])
    }

    @Test("an open file never goes, and its bytes count")
    func open() {
        let all = [recording("open", hours: 9, isOpen: true), recording("a", hours: 1), recording("b", hours: 2)]
        let plan = RetentionPlan(
            policy: RetentionPolicy(maxAge: .seconds(3600 * 5), maxTotal: ByteCount(bytes: 50)), recordings: all,
            volume: roomy, now: morning)
        #expect(plan.deletions.map(\.recording.path) == ["b"])
        #expect(plan.shortfall == RetentionPlan.Shortfall(reason: .maxTotal, bytes: 150))
    }

    @Test("files of the future are not old, and go last")
    func future() {
        let all = [recording("future", hours: -5), recording("a", hours: 1)]
        #expect(deleted(RetentionPolicy(maxAge: .seconds(60)), all) == ["a max_age"])
        let more = all + [recording("b", hours: -9)]
        #expect(
            deleted(RetentionPolicy(maxTotal: ByteCount(bytes: 0)), more) == ["a max_total", "future max_total"])
    }

    @Test("the newest that is whole stays, however small the limit, until it is too old")
    func newest() {
        let tight = RetentionPlan.Volume(capacity: 1000, free: 0)
        for policy in [
            RetentionPolicy(maxTotal: ByteCount(bytes: 1)), RetentionPolicy(minFree: .size(ByteCount(bytes: 900))),
        ] {
            let two = [recording("new", hours: 1), recording("old", hours: 2)]
            #expect(deleted(policy, two, volume: tight).map { $0.prefix(3) } == ["old"])
            let one = [recording("new", hours: 1), recording("open", hours: 0, isOpen: true)]
            let plan = RetentionPlan(policy: policy, recordings: one, volume: tight, now: morning)
            #expect(plan.deletions.isEmpty)
            #expect(plan.shortfall?.reason == (policy.maxTotal == nil ? .minFree : .maxTotal))
            #expect(plan.shortfall?.bytes == (policy.maxTotal == nil ? 900 : 199))
        }
        #expect(deleted(RetentionPolicy(maxAge: .seconds(60)), [recording("new", hours: 1)]) == ["new max_age"])
    }

    /// Recordings of 100 bytes, so many hours old, those with an event marked by a star.
    private func recordings(_ names: [String]) -> [RetentionPlan.Recording] {
        names.enumerated().map { place, name in
            var recording = recording(name, hours: Int(name.filter(\.isNumber)) ?? 0)
            recording.hasEvent = name.hasSuffix("*")
            recording.place = place
            return recording
        }
    }

    @Test("what has an event is kept as long as with_event says, the rest as max_age says")
    func withEvent() {
        let policy = RetentionPolicy(maxAge: .seconds(3 * 3600), withEvent: .seconds(30 * 3600))
        let all = recordings(["31*", "30*", "9", "8*", "4", "3", "2*", "1"])
        #expect(deleted(policy, all) == ["31* with_event", "9 max_age", "4 max_age"])
        #expect(deleted(RetentionPolicy(maxAge: .seconds(3 * 3600)), all).count == 5)
        // Never shorter than without one.
        #expect(
            deleted(RetentionPolicy(maxAge: .seconds(9 * 3600), withEvent: .seconds(3600)), all)
                == ["31* with_event", "30* with_event"])
    }

    @Test(
        "for space those with an event go last, and the newest of all stays",
        arguments: [
            (600, ["8 max_total", "6 max_total"]), (400, ["8", "6", "4", "2"].map { "\($0) max_total" }),
            (300, ["8", "6", "4", "2", "9*"].map { "\($0) max_total" }),
            (1, ["8", "6", "4", "2", "9*", "7*", "3*"].map { "\($0) max_total" }),
        ])
    func eventsLast(_ bytes: Int, _ expected: [String]) {
        let policy = RetentionPolicy(
            maxAge: .seconds(864_000), withEvent: .seconds(8_640_000), maxTotal: ByteCount(bytes: bytes))
        let all = recordings(["9*", "8", "7*", "6", "4", "3*", "2", "1"])
        #expect(deleted(policy, all) == expected)
    }

    @Test("without with_event an event makes no difference")
    func eventsAlike() {
        let all = recordings(["9*", "8", "7*", "6"])
        #expect(deleted(RetentionPolicy(maxTotal: ByteCount(bytes: 200)), all) == ["9* max_total", "8 max_total"])
    }

    @Test("what goes for space goes in the order of writing, whatever a clock said meanwhile")
    func orderOfWriting() {
        // The second was written while the clock was wrong.
        let all = recordings(["3", "9000", "2", "1"])
        #expect(deleted(RetentionPolicy(maxTotal: ByteCount(bytes: 300)), all) == ["3 max_total"])
    }

    @Test(
        "while the clock is not believed none goes for its age if over a tenth would",
        arguments: [(20, 2, 0), (20, 3, 3), (1, 1, 1), (9, 1, 1), (10, 1, 0)])
    func wary(_ count: Int, _ old: Int, _ refused: Int) {
        let all = (0..<count).map { recording("\($0)", hours: $0 < old ? 100 : 1) }
        let policy = RetentionPolicy(maxAge: .seconds(7200))
        let plan = RetentionPlan(policy: policy, recordings: all, volume: roomy, now: morning, isWary: true)
        #expect(plan.refused == refused)
        #expect(plan.deletions.count == old - refused)
        // It is about the clock: the limits on space hold.
        var other = policy
        other.maxTotal = ByteCount(bytes: 100 * (count - 1))
        let space = RetentionPlan(policy: other, recordings: all, volume: roomy, now: morning, isWary: true)
        if refused > 0, count > 1 { #expect(space.deletions.map(\.reason) == [.maxTotal]) }
    }

    @Test("files of one time go in the order of their names")
    func sameTime() {
        let all = ["b", "c", "a"].map { recording($0, hours: 1) }
        #expect(deleted(RetentionPolicy(maxTotal: ByteCount(bytes: 100)), all) == ["a max_total", "b max_total"])
    }

    @Test("weeks of recordings and sweeps never delete more than the policy asks", arguments: 1...20)
    func weeks(seed: Int) {
        var random = SystemlessRandom(state: UInt64(seed))
        var kept: [RetentionPlan.Recording] = []
        let policy = RetentionPolicy(
            maxAge: .seconds(86_400 * Int(random.next() % 10 + 1)), maxTotal: ByteCount(bytes: 50_000))
        var now = morning
        for number in 0..<600 {
            now = now + .seconds(Int(random.next() % 7200))
            kept.append(
                RetentionPlan.Recording(path: "\(number)", bytes: Int(random.next() % 1000), modified: now))
            let plan = RetentionPlan(policy: policy, recordings: kept, volume: roomy, now: now)
            let gone = Set(plan.deletions.map(\.recording.path))
            let rest = kept.filter { !gone.contains($0.path) }
            #expect(plan.shortfall == nil)
            // The last to go was still one too many.
            if let last = plan.deletions.last {
                let before = rest.reduce(last.recording.bytes) { $0 + $1.bytes }
                #expect(before > 50_000 || now - last.recording.modified > .seconds(86_400))
            }
            #expect(kept.suffix(rest.count) == rest[...])
            kept = rest
        }
    }

    @Test("a sweep deletes the pattern's files and emptied folders, and nothing else")
    func sweep() throws {
        let folder = try TemporaryFolder()
        let old = morning + .seconds(-86_400)
        let recordings = RecordingFolder(try folder.pattern("rec/%d/%H.mp4"))
        for name in ["rec/01/a.txt", "rec/01/10.mp4", "rec/02/10.mp4", "rec/02/10_2.mp4", "rec/04/10.mp4"] {
            try folder.put(name, bytes: 10, modified: old)
            try recordings.ended("\(folder.path)/\(name)")
        }
        try folder.put("rec/03/10.mp4", bytes: 10, modified: morning)
        try recordings.ended("\(folder.path)/rec/03/10.mp4")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/rec/01/11.mp4", withDestinationPath: "\(folder.path)/rec/01/a.txt")
        try recordings.ended("\(folder.path)/rec/01/11.mp4")
        #expect(try recordings.recordings().count == 5)
        let swept = try recordings.sweep(
            RetentionPolicy(maxAge: .seconds(3600)), open: ["\(folder.path)/rec/04/10.mp4"], now: morning, log: .silent)
        #expect(swept.shortfall == nil)
        #expect(
            swept.deleted.map { $0.recording.path.dropFirst(folder.path.count) } == [
                "/rec/01/10.mp4", "/rec/02/10.mp4", "/rec/02/10_2.mp4",
            ])
        #expect(folder.files == ["rec/01/11.mp4", "rec/01/a.txt", "rec/03/10.mp4", "rec/04/10.mp4"])
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/rec/02"))
    }

    @Test("the volume is told of a folder that is not made yet")
    func volume() throws {
        let folder = try TemporaryFolder()
        let volume = try RecordingFolder(folder.pattern("not/yet/made/%H.mp4")).volume()
        #expect(volume.capacity > 0 && volume.free <= volume.capacity)
    }

    @Test("space to leave free is a share or a size")
    func freeSpace() {
        var faults: [Fault] = []
        #expect(FreeSpace.read("10%", at: .root, into: &faults)?.bytes(ofCapacity: 2000) == 200)
        #expect(FreeSpace.read("2KiB", at: .root, into: &faults)?.bytes(ofCapacity: 9) == 2048)
        #expect(faults == [])
        #expect(FreeSpace.read("10", at: .root, into: &faults) == nil)
        #expect(faults.map(\.code) == [.missingUnit])
        #expect(FreeSpace.share(Percent(fraction: 0.1)).optionText == "10%")
    }
}

/// A seeded generator (SplitMix64), so that a run can be repeated.
private struct SystemlessRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
