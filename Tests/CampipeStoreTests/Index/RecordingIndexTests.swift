import CampipeKit
import Dispatch
import Foundation
import Testing

@testable import CampipeStore

@Suite("The index of recordings")
struct RecordingIndexTests {
    private let folder: TemporaryFolder
    private let pattern: FileNamePattern

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/rec", withIntermediateDirectories: true)
        pattern = try folder.pattern("rec/%H%M.mp4")
    }

    private var recordings: RecordingFolder { RecordingFolder(pattern, fields: ["camera": "front", "id": "clips"]) }
    private var database: String { "\(folder.path)/state/index.sqlite" }
    private func path(_ name: String) -> String { "\(folder.path)/rec/\(name).mp4" }

    /// Files that say nothing of themselves, or this.
    private struct Prober: ClipProber {
        var answer: (start: WallTime?, length: Duration?)?
        let asked = Lock<[String]>([])

        func probe(_ path: String) -> (start: WallTime?, length: Duration?)? {
            asked.withLock { $0.append(String(path.split(separator: "/").last ?? "")) }
            return answer
        }
    }

    /// A recording of ten minutes, so many minutes after the morning.
    private func record(_ name: String, at minutes: Int, event: Bool = false, isEnded: Bool = true) throws {
        let start = morning + .seconds(minutes * 60)
        try recordings.began(path(name), at: start)
        if event {
            let event = ClipEvent(kind: "motion_started", node: "watch", begun: start, ended: start + .seconds(5))
            try recordings.mark([EventMarks.Mark(path: path(name), event: event)])
        }
        try folder.put("rec/\(name).mp4", bytes: 100, modified: start + .seconds(600))
        if isEnded { try recordings.ended(path(name), length: .seconds(600)) }
    }

    private func updated(_ prober: (any ClipProber)? = nil) throws -> RecordingIndex {
        let index = try RecordingIndex(path: database)
        try index.update([recordings.list], prober: prober)
        return index
    }

    private func names(_ index: RecordingIndex, _ query: ClipQuery = ClipQuery()) throws -> [String] {
        try index.clips(query).map { String($0.path.dropFirst("\(folder.path)/rec/".count).dropLast(4)) }
    }

    @Test("it knows what was recorded, the newest first, with times, sizes and what happened")
    func clips() throws {
        try record("0800", at: 0)
        try record("0810", at: 10, event: true)
        try record("0820", at: 20, isEnded: false)
        let index = try updated()
        let clips = try index.clips(ClipQuery())
        #expect(clips.map(\.path) == ["0820", "0810", "0800"].map(path))
        #expect(clips.map(\.state) == [.open, .complete, .complete])
        #expect(clips.map(\.camera) == ["front", "front", "front"])
        #expect(clips.map(\.bytes) == [nil, 100, 100])
        #expect(clips.map(\.start) == [20, 10, 0].map { morning + .seconds($0 * 60) })
        #expect(clips[1].length == .seconds(600))
        #expect(clips[1].events.map(\.kind) == ["motion_started"] && clips[0].events.isEmpty)
        #expect(try index.cameras() == ["front"])
        #expect(try index.totals(ClipQuery()) == ClipTotals(count: 3, bytes: 200, length: .seconds(1200)))
        #expect(try index.clip(at: path("0810"))?.start == clips[1].start)
        #expect(try index.clip(at: path("0811")) == nil)
        #expect(try index.clip(at: "/0810.mp4") == nil)
    }

    @Test(
        "it answers by time, camera and event",
        arguments: [
            (ClipQuery(camera: "front"), ["0830", "0820", "0810", "0800"]), (ClipQuery(camera: "yard"), []),
            (ClipQuery(from: morning + .seconds(1190)), ["0830", "0820", "0810"]),
            (ClipQuery(from: morning + .seconds(1200)), ["0830", "0820"]),
            (ClipQuery(to: morning + .seconds(600)), ["0800"]),
            (ClipQuery(from: morning + .seconds(900), to: morning + .seconds(1201)), ["0820", "0810"]),
            (ClipQuery(withEvents: true), ["0820"]), (ClipQuery(limit: 2), ["0830", "0820"]),
        ])
    func queries(_ query: ClipQuery, _ expected: [String]) throws {
        for (number, name) in ["0800", "0810", "0820", "0830"].enumerated() {
            try record(name, at: number * 10, event: name == "0820")
        }
        let index = try updated()
        #expect(try names(index, query) == expected)
        if query.limit == nil { #expect(try index.totals(query).count == expected.count) }
    }

    @Test("what is added to a list is taken in, and what is deleted goes, with its events")
    func grows() throws {
        try record("0800", at: 0, event: true)
        let index = try updated()
        try record("0810", at: 10, isEnded: false)
        try index.update([recordings.list])
        #expect(try names(index) == ["0810", "0800"])
        try recordings.ended(path("0810"), length: .seconds(600))
        try recordings.sweep(
            RetentionPolicy(maxAge: .seconds(300)), open: [], now: morning + .seconds(1600), log: .silent)
        try index.update([recordings.list])
        #expect(try names(index) == [])
        #expect(try index.database.number("SELECT count(*) FROM events") == 0)
    }

    @Test("a recording that is made plain is the same one, with what happened in it; one that begins later is another")
    func madeAnew() throws {
        try record("0800", at: 0, event: true)
        let index = try updated()
        for minutes in [0, 30] {
            let start = morning + .seconds(minutes * 60)
            try recordings.began(path("0800"), at: start)
            try recordings.ended(path("0800"), start: start, length: .seconds(600))
            try index.update([recordings.list], prober: nil)
            let clip = try #require(try index.clip(at: path("0800")))
            #expect(clip.state == .complete && clip.start == start && clip.events.count == (minutes == 0 ? 1 : 0))
            let listed = try updated().clips(ClipQuery())
            #expect(listed.count == 1 && listed[0].events.count == clip.events.count)
            let list = RecordingList(Array(try Data(contentsOf: URL(fileURLWithPath: recordings.list))))
            #expect(list.entries.map(\.events.count) == [clip.events.count])
        }
    }

    @Test("a list that is written anew is read anew, also one of the same length")
    func rewritten() throws {
        try record("0800", at: 0)
        try record("0810", at: 10)
        let index = try updated()
        try FileManager.default.removeItem(atPath: path("0800"))
        try recordings.takeStock()
        try index.update([recordings.list])
        #expect(try names(index) == ["0810"])
        // In its place, so that the inode stays.
        let text = try String(contentsOfFile: recordings.list, encoding: .utf8)
        let handle = try FileHandle(forWritingTo: URL(filePath: recordings.list))
        try handle.write(contentsOf: Data(text.replacing("0810", with: "0815").utf8))
        try index.update([recordings.list])
        #expect(try names(index) == ["0815"])
    }

    @Test("a list that is read while a line is written takes the line when it is whole")
    func cutLine() throws {
        try record("0800", at: 0)
        let handle = try FileHandle(forWritingTo: URL(filePath: recordings.list))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("- 1741507626000042 08".utf8))
        let index = try updated()
        #expect(try names(index) == ["0800"])
        try handle.write(contentsOf: Data("10.mp4\n".utf8))
        try index.update([recordings.list])
        #expect(try names(index) == ["0810", "0800"])
    }

    @Test("an index that is lost is made again: with the files that are on no list, which say their times themselves")
    func lost() throws {
        try record("0800", at: 0, event: true)
        let before = try updated().clips(ClipQuery())
        try folder.put("rec/0900.mp4", bytes: 7, modified: morning + .seconds(7200))
        try folder.put("rec/other.txt", bytes: 7, modified: morning)
        RecordingIndex.remove(database)
        let prober = Prober(answer: (morning + .seconds(3600), .seconds(30)))
        let index = try updated(prober)
        #expect(try names(index) == ["0900", "0800"])
        let clips = try index.clips(ClipQuery())
        #expect(clips[0].state == .unlisted && clips[0].start == morning + .seconds(3600))
        #expect(clips[0].length == .seconds(30) && clips[0].bytes == 7)
        #expect(clips[1] == before[0])
        #expect(prober.asked.withLock { $0 } == ["0900.mp4"], "what the list says nobody asks the file")
        // Asked once, whatever it said.
        try index.update([recordings.list], prober: prober)
        #expect(prober.asked.withLock { $0 }.count == 1)
    }

    @Test("with the list lost too the files themselves are found, once a run began a list")
    func listLost() throws {
        try record("0800", at: 0)
        try FileManager.default.removeItem(atPath: recordings.list)
        try recordings.takeStock()
        let index = try updated(Prober(answer: nil))
        let clips = try index.clips(ClipQuery())
        #expect(clips.map(\.state) == [.unlisted])
        // What says nothing of itself was over when it was last written.
        #expect(clips.map(\.start) == [morning + .seconds(600)])
        #expect(clips.map(\.camera) == ["front"])
    }

    @Test("a recording that a killed process left is asked for its length, and only for that")
    func killed() throws {
        try record("0800", at: 0, isEnded: false)
        try recordings.takeStock()
        let prober = Prober(answer: (morning + .seconds(99), .seconds(42)))
        let clips = try updated(prober).clips(ClipQuery())
        #expect(clips.map(\.start) == [morning])
        #expect(clips.map(\.length) == [.seconds(42)])
    }

    @Test("of a list that cannot be read all stays that was known")
    func unplugged() throws {
        try record("0800", at: 0)
        let index = try updated()
        try FileManager.default.moveItem(atPath: "\(folder.path)/rec", toPath: "\(folder.path)/away")
        #expect(try index.update([recordings.list]) == [recordings.list])
        #expect(try names(index) == ["0800"])
    }

    @Test("a damaged index is made anew", arguments: [true, false])
    func damaged(_ isHead: Bool) throws {
        for number in 0..<200 { try record("\(1000 + number)", at: number) }
        _ = try updated()
        let handle = try FileHandle(forWritingTo: URL(filePath: database))
        try handle.seek(toOffset: isHead ? 0 : 100)
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 8000))
        try handle.close()
        let (index, note) = try RecordingIndex.opened(at: database)
        #expect(note?.kind == .badData)
        try index.update([recordings.list])
        #expect(try index.totals(ClipQuery()).count == 200)
        let again = try RecordingIndex.opened(at: database)
        #expect(again.note == nil)
        #expect(try again.index.totals(ClipQuery()).count == 200)
    }

    @Test("an index of a newer campipe stays as it is, and another is made in memory")
    func newer() throws {
        try record("0800", at: 0)
        try updated().database.execute("PRAGMA user_version = 1000")
        let bytes = try Data(contentsOf: URL(filePath: database))
        let (index, note) = try RecordingIndex.opened(at: database)
        #expect(note?.kind == .unsupported)
        try index.update([recordings.list])
        #expect(try names(index) == ["0800"])
        #expect(try Data(contentsOf: URL(filePath: database)) == bytes)
    }

    @Test("where no file can be made it is made in memory")
    func nowhere() throws {
        try record("0800", at: 0)
        try folder.put("state", bytes: 1, modified: morning)
        let (index, note) = try RecordingIndex.opened(at: database)
        #expect(note != nil)
        try index.update([recordings.list])
        #expect(try names(index) == ["0800"])
    }

    @Test("two that use one file while recordings come find all of them, each once")
    func together() throws {
        let failures = Lock<[any Error]>([])
        let isDone = Lock(false)
        _ = try updated()
        try record("0700", at: 0)
        DispatchQueue.concurrentPerform(iterations: 3) { worker in
            do {
                if worker == 0 {
                    defer { isDone.withLock { $0 = true } }
                    for number in 0..<60 { try record("\(1000 + number)", at: number, event: true) }
                } else {
                    while !isDone.withLock({ $0 }) { _ = try updated() }
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0.isEmpty }, "\(failures.withLock { $0 })")
        let index = try updated()
        #expect(try names(index).count == 61)
        #expect(Set(try names(index)).count == 61)
        #expect(try index.database.number("SELECT count(*) FROM events") == 60)
    }

    @Test("with another that holds it for writing what is known is still answered")
    func held() throws {
        try record("0800", at: 0)
        let index = try updated()
        let other = try RecordingIndex(path: database)
        try other.database.execute("BEGIN IMMEDIATE")
        try other.database.run("DELETE FROM clips")
        // What the other has not done yet is not there, and nobody waits.
        #expect(try names(index) == ["0800"])
        try other.database.execute("COMMIT")
        #expect(try names(index) == [])
    }
}
