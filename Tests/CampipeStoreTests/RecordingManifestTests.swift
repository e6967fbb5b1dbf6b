import CampipeKit
import Foundation
import Testing

@testable import CampipeStore

@Suite("What a recording knows as its own")
struct RecordingManifestTests {
    private let folder: TemporaryFolder
    private let pattern: FileNamePattern
    private let old = morning + .seconds(-86_400)
    private let all = RetentionPolicy(maxAge: .seconds(3600))

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/rec", withIntermediateDirectories: true)
        pattern = try folder.pattern("rec/%H.mp4")
    }

    /// As another run of the program sees it.
    private var recordings: RecordingFolder { RecordingFolder(pattern) }

    private func path(_ name: String) -> String { "\(folder.path)/rec/\(name).mp4" }

    private func record(_ name: String, isEnded: Bool = true) throws {
        try folder.put("rec/\(name).mp4", bytes: 10, modified: old)
        try recordings.began(path(name))
        if isEnded { try recordings.ended(path(name)) }
    }

    private func known() throws -> [String] {
        try recordings.recordings().map { String($0.path.dropFirst("\(folder.path)/rec/".count).dropLast(4)) }
    }

    private var list: String {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/rec")
            return "\(folder.path)/rec/" + (try #require(names.first { $0.hasPrefix(".campipe-") }))
        }
    }

    @Test("only what was recorded is deleted, also by the next run; what has a name as that stays and is counted")
    func own() throws {
        try record("01")
        try record("03")
        try folder.put("rec/02.mp4", bytes: 7, modified: old)
        #expect(try recordings.strangers() == (1, 7))
        let swept = try recordings.sweep(all, open: [], now: morning, log: .silent)
        #expect(swept.deleted.count == 2)
        #expect(folder.files == ["rec/02.mp4"])
    }

    @Test(
        "what somebody put in the place of a recording, or changed, is not a recording any more",
        arguments: [(11, 0), (10, 5)])
    func replaced(_ bytes: Int, _ seconds: Int) throws {
        try record("01")
        try folder.put("rec/01.mp4", bytes: bytes, modified: old + .seconds(seconds))
        #expect(try known() == [])
        #expect(try recordings.sweep(all, open: [], now: morning, log: .silent).deleted.isEmpty)
        #expect(folder.files == ["rec/01.mp4"])
    }

    @Test("a folder that was copied to another disk, its times rounded, is known there")
    func moved() throws {
        try record("01")
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: "\(folder.path)/rec", toPath: "\(copy.path)/rec")
        try copy.put("rec/01.mp4", bytes: 10, modified: old + .milliseconds(1900))
        let there = RecordingFolder(try copy.pattern("rec/%H.mp4"))
        #expect(try there.recordings().map(\.path) == ["\(copy.path)/rec/01.mp4"])
    }

    @Test("what a killed process left is taken as it is at the next start, and only then")
    func killed() throws {
        try record("01", isEnded: false)
        #expect(try known() == [])
        #expect(try recordings.recordings(open: [path("01")]).map(\.isOpen) == [true])
        try recordings.takeStock()
        #expect(try known() == ["01"])
    }

    @Test("what another process is writing stays open until that has ended it, and is no stranger")
    func writtenElsewhere() throws {
        let disk = KernelDisk()
        let file = try disk.create(path("01"), permissions: 0o600)
        try recordings.began(path("01"))
        try recordings.takeStock()
        #expect(try recordings.unfinished() == [path("01")])
        #expect(try known() == [])
        #expect(try recordings.strangers() == (0, 0))
        try disk.close(file)
        try recordings.takeStock()
        #expect(try known() == ["01"])
    }

    @Test("what a process that is stuck or lives holds is not taken by a start, as the kernel knows across processes")
    func writtenByProcess() throws {
        try record("01", isEnded: false)
        let ready = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/flock")
        process.arguments = ["--no-fork", path("01"), "/bin/sh", "-c", "echo; exec sleep 60"]
        process.standardOutput = ready
        try process.run()
        _ = ready.fileHandleForReading.availableData
        try recordings.takeStock()
        #expect(try recordings.unfinished() == [path("01")])
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    @Test("a file that was given up frees its name for others")
    func discarded() throws {
        try record("01", isEnded: false)
        try FileManager.default.removeItem(atPath: path("01"))
        try recordings.ended(path("01"))
        try folder.put("rec/01.mp4", bytes: 10, modified: old)
        try recordings.takeStock()
        #expect(try known() == [])
    }

    @Test("a list that was cut loses the line that was cut, and no other")
    func cut() throws {
        for name in ["01", "02"] { try record(name) }
        let handle = try FileHandle(forWritingTo: URL(filePath: try list))
        try handle.truncate(atOffset: try handle.seekToEnd() - 3)
        try folder.put("rec/03.mp4", bytes: 10, modified: old)
        try recordings.ended(path("03"))
        #expect(try known() == ["01", "03"])
    }

    @Test("a list that names what the pattern cannot have made deletes nothing of that")
    func forged() throws {
        try record("01")
        try folder.put("victim.mp4", bytes: 10, modified: old)
        let entries = ["../victim.mp4", "../rec/01.mp4", "notes.txt"].map {
            RecordingEntry(path: $0, state: .sealed(bytes: 10, modified: old))
        }
        try folder.put("rec/notes.txt", bytes: 10, modified: old)
        let handle = try FileHandle(forWritingTo: URL(filePath: try list))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(entries.flatMap(\.line)))
        #expect(try known() == ["01"])
        try recordings.sweep(all, open: [], now: morning, log: .silent)
        #expect(folder.files == ["rec/notes.txt", "victim.mp4"])
    }

    @Test("two recordings of one folder keep lists of their own")
    func two() throws {
        let names = try folder.pattern("rec/{id}-%H.mp4", fields: ["id"])
        let (a, b) = (RecordingFolder(names, fields: ["id": "a"]), RecordingFolder(names, fields: ["id": "b"]))
        try folder.put("rec/a-01.mp4", bytes: 10, modified: old)
        try a.ended("\(folder.path)/rec/a-01.mp4")
        #expect(try a.recordings().count == 1)
        #expect(try b.recordings().isEmpty)
    }

    @Test("what another process adds while the list is written anew is in the new one")
    func addedMeanwhile() throws {
        try record("01")
        try RecordingManifest(pattern, fields: [:]).rewrite { entries, _ in
            try? record("02")
            return entries
        }
        #expect(try known() == ["01", "02"])
        try record("03")
        #expect(try known() == ["01", "02", "03"])
    }

    @Test("while one process writes the list anew another leaves that to it, and does not wait")
    func oneAtATime() throws {
        try record("01")
        var isCalled = false
        try RecordingManifest(pattern, fields: [:]).rewrite { entries, _ in
            try? RecordingManifest(pattern, fields: [:]).rewrite { _, _ in
                isCalled = true
                return []
            }
            return entries
        }
        #expect(!isCalled)
        #expect(try known() == ["01"])
        // The lock goes with who had it.
        try RecordingManifest(pattern, fields: [:]).rewrite { _, _ in [] }
        #expect(try known() == [])
    }

    @Test("of two that write at once, one of which writes the list anew all the while, the other loses no line")
    func twoWriters() throws {
        let pattern = try folder.pattern("rec/%H%M.mp4")
        let names = (10..<40).map { "12\($0)" }
        for name in names { try folder.put("rec/\(name).mp4", bytes: 10, modified: old) }
        let path = folder.path
        let isDone = Lock(false)
        let failures = Lock<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { writer in
            let recordings = RecordingFolder(pattern)
            do {
                if writer == 0 {
                    defer { isDone.withLock { $0 = true } }
                    for name in names {
                        try recordings.began("\(path)/rec/\(name).mp4")
                        try recordings.ended("\(path)/rec/\(name).mp4", isLasting: false)
                    }
                } else {
                    while !isDone.withLock({ $0 }) {
                        // What is gone makes that the list is to be written anew.
                        try recordings.ended("\(path)/rec/2359.mp4", isLasting: false)
                        try recordings.takeStock()
                    }
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0.isEmpty }, "\(failures.withLock { $0 })")
        #expect(try RecordingFolder(pattern).recordings().count == names.count)
    }

    @Test("what a killed process left of a list that it wrote anew goes at the next start, under its old name too")
    func listPartials() throws {
        try record("01")
        let name = try #require(try list.split(separator: "/").last)
        let left = ["rec/\(name).4711-0.partial", "rec/.\(name).4711-1.partial"]
        let others = ["rec/.campipe-of-another.list.4711-0.partial", "rec/.x.partial"]
        for file in left + others { try folder.put(file, bytes: 1, modified: old) }
        try recordings.takeStock()
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/rec")
        #expect(Set(files.map { "rec/\($0)" }) == Set(others + ["rec/\(name)", "rec/01.mp4"]))
        #expect(try known() == ["01"])
    }

    @Test("the list does not grow with what is gone")
    func bounded() throws {
        for round in 0..<40 {
            for hour in 10..<20 { try record("\(hour)") }
            try recordings.sweep(all, open: [], now: morning, log: .silent)
            let size = try FileManager.default.attributesOfItem(atPath: try list)[.size] as? Int
            #expect((size ?? 0) < 6000, "in round \(round)")
        }
        #expect(folder.files.isEmpty)
    }

    @Test("each deletion is one line of the log")
    func said() throws {
        let lines = Lock<[String]>([])
        let log = Log { entry in
            lines.withLock {
                $0.append(entry.message + " " + entry.facts.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
            }
        }
        try record("01")
        try recordings.sweep(all, open: [], now: morning, log: log)
        for name in ["02", "03"] { try record(name) }
        try recordings.sweep(all, open: [], now: morning, log: log)
        try recordings.sweep(all, open: [], now: morning, log: log)
        let said = lines.withLock { $0.map { $0.replacing("\(folder.path)/rec/", with: "") } }
        #expect(
            said == [
                "deleted a recording path=01.mp4 bytes=10B reason=max_age",
                "deleted recordings count=2 bytes=20B reason=max_age first=02.mp4 last=03.mp4",
            ])
    }

    @Test(
        "a line is read as it was written",
        arguments: [
            RecordingEntry(path: "a b/%d\nx", state: .open), RecordingEntry(path: "ü 1.mp4", state: .removed),
            RecordingEntry(path: "1.mp4", state: .sealed(bytes: 12, modified: WallTime(microseconds: -5))),
            RecordingEntry(path: "1 2.mp4", state: .open, start: morning),
            RecordingEntry(path: "1.mp4", state: .sealed(bytes: 1, modified: morning), start: morning),
            RecordingEntry(path: "1.mp4", state: .sealed(bytes: 1, modified: morning), length: .seconds(3)),
        ])
    func lines(_ entry: RecordingEntry) {
        #expect(RecordingEntry(line: entry.line.dropLast()) == entry)
        #expect(!entry.line.dropLast().contains(UInt8(ascii: "\n")))
    }

    @Test(
        "an event's line is read as it was written",
        arguments: [
            ClipEvent(kind: "motion_started", node: "yard/watch", begun: morning, ended: morning + .seconds(1)),
            ClipEvent(kind: "a, b %", node: "", begun: morning),
        ])
    func eventLines(_ event: ClipEvent) throws {
        let line = event.line(of: "a b/1.mp4").dropLast()
        let read = try #require(ClipEvent.read(line: line[...]))
        #expect(read.event == event && read.path == "a b/1.mp4")
    }

    @Test("what was begun, marked and ended is one entry, and the end of an event replaces what was not known")
    func details() throws {
        try recordings.began(path("01"), at: old)
        try folder.put("rec/01.mp4", bytes: 10, modified: old)
        var event = ClipEvent(kind: "motion_started", node: "watch", begun: old)
        try recordings.mark([EventMarks.Mark(path: path("01"), event: event)])
        event.ended = old + .seconds(2)
        try recordings.mark([EventMarks.Mark(path: path("01"), event: event)])
        try recordings.ended(path("01"), length: .seconds(9))
        let entries = try RecordingManifest(pattern, fields: [:]).read().entries
        #expect(entries.map(\.start) == [old] && entries.map(\.length) == [.seconds(9)])
        #expect(entries.map(\.events) == [[event]])
        #expect(try recordings.recordings().map(\.hasEvent) == [true])
        // Nothing of it is lost when the list is written anew.
        try RecordingManifest(pattern, fields: [:]).rewrite { entries, _ in entries }
        #expect(try RecordingManifest(pattern, fields: [:]).read().entries == entries)
    }

    @Test("a name that is used again is another recording, and the newest")
    func usedAgain() throws {
        for name in ["01", "02"] { try record(name) }
        try FileManager.default.removeItem(atPath: path("01"))
        try record("01")
        #expect(try known() == ["02", "01"])
        #expect(try recordings.recordings().map(\.place) == [0, 1])
    }

    @Test("the disk's own clock does not say how old a recording is")
    func diskClock() throws {
        try recordings.began(path("01"))
        try folder.put("rec/01.mp4", bytes: 10, modified: old)
        try recordings.ended(path("01"), now: morning)
        #expect(try recordings.recordings().map(\.modified) == [morning])
        #expect(try recordings.sweep(all, open: [], now: morning + .seconds(60), log: .silent).deleted.isEmpty)
    }

    @Test("a list says what it is about, also one of a former campipe after a start, and keeps its notes")
    func about() throws {
        let names = try folder.pattern("rec/%H-{id}.mp4", fields: ["id"])
        let recordings = RecordingFolder(names, fields: ["id": "a b"])
        try folder.put("rec/01-a b.mp4", bytes: 10, modified: old)
        try folder.put(String(recordings.list.dropFirst(folder.path.count + 1)), bytes: 0, modified: old)
        let manifest = RecordingManifest(path: recordings.list)
        try manifest.append(
            RecordingEntry(path: "01-a b.mp4", state: .sealed(bytes: 10, modified: old)), isLasting: false)
        try recordings.remember(.seen, morning)
        try recordings.takeStock()
        #expect(
            try manifest.read().notes == ["pattern": "%H-{id}.mp4", "id": "a b", "seen": "\(morning.microseconds)"])
        #expect(try recordings.recordings().count == 1)
        #expect(try recordings.clockMemory() == ClockGuard.Memory(seen: morning))
    }

    @Test("who has the list alone can say that the clock is right")
    func trust() throws {
        try record("01")
        #expect(try ListedClock(list).jumped == nil)
        try recordings.remember(.jumped, morning)
        #expect(try ListedClock(list).jumped == morning)
        try ListedClock(list).trust(at: morning + .seconds(1))
        #expect(try ListedClock(list).jumped == nil)
        #expect(try recordings.clockMemory().trusted == morning + .seconds(1))
    }

    @Test(
        "what is no line is none",
        arguments: ["", "1 2", "a b c", "1 2 %4", "1 2 ", "- x a", "1 2,3,4,5,6 a", "1 2,,3 a", "-5 - a"])
    func noLines(_ text: String) {
        #expect(RecordingEntry(line: Array(text.utf8)[...]) == nil)
    }
}
