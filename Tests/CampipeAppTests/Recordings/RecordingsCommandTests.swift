import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeApp
@testable import CampipeStore

@Suite("The commands about recordings")
struct RecordingsCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.url.path }
    private var state: String { "\(path)/state" }
    private var environment: [String: String] { ["XDG_STATE_HOME": state] }

    private func run(_ words: String...) -> (code: Int32, output: String, error: String) {
        Captured.run(["recordings"] + words, environment)
    }

    private func pattern(_ text: String) throws -> FileNamePattern {
        var faults: [Fault] = []
        return try #require(FileNamePattern("\(path)/\(text)", at: .root, into: &faults))
    }

    /// Records files of two seconds that play, one behind the other, as the `file` sink does; the second has an event.
    private func record(
        _ names: [String], camera: String = "front",
        from start: WallTime = WallTime(microseconds: 1_767_225_600_000_000)
    ) throws {
        let recordings = RecordingFolder(try pattern("rec/%H%M%S.mp4"), fields: ["camera": camera, "id": "clips"])
        try FileManager.default.createDirectory(atPath: "\(path)/rec", withIntermediateDirectories: true)
        for (number, name) in names.enumerated() {
            let file = "\(path)/rec/\(name).mp4"
            let start = start + .seconds(number * 2)
            try recordings.began(file, at: start)
            if number == 1 {
                let event = ClipEvent(
                    kind: "motion_started", node: "watch", begun: start, ended: start + .seconds(1))
                try recordings.mark([EventMarks.Mark(path: file, event: event)])
            }
            try Self.clip(file)
            try recordings.ended(file, length: .seconds(2))
        }
        if FileManager.default.fileExists(atPath: state) { return }
        try RecordingRegister(environment: environment).addNow(recordings.list)
    }

    private static func clip(_ path: String) throws {
        let scene = DemoScene(.still, size: Size(64, 48))
        let frames = (0..<20).map { number in
            let time = Duration.milliseconds(number * 100)
            return scene.frame(at: time, rate: 10, captured: .zero + time, pool: .shared)
        }
        let encoder = try VideoEncoder(try #require(frames.first).format, settings: EncoderSettings())
        var packets: [Packet] = []
        for frame in frames { packets += try encoder.encode(frame, pool: .shared) }
        packets += try encoder.drain()
        let muxer = try Muxer(.path(path), container: .mp4, streams: [encoder.format])
        for packet in packets { try muxer.write(packet) }
        try muxer.finish()
    }

    @Test("list tells times in local and UTC, what happened, and sums")
    func list() throws {
        try record(["000000", "000002", "000004"])
        let all = run("list")
        #expect(all.code == 0 && all.error.isEmpty)
        let lines = all.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[0].hasPrefix("START ") && lines[0].hasSuffix(" FILE"))
        #expect(lines[1].contains("  2026-01-01T00:00:04Z  2s ") && lines[1].hasSuffix("/rec/000004.mp4"))
        #expect(lines[2].contains("  front   motion  "))
        #expect(lines[4].hasPrefix("3 recordings, 6s, "))
        #expect(run("list", "--limit", "1").output.contains("the newest 1 of 3 recordings, 6s, "))
        #expect(run("list", "--events").output.split(separator: "\n").count == 3)
        #expect(run("list", "--from", "2026-01-01T00:00:04Z").output.contains("1 recording, 2s"))
    }

    @Test("list has JSON for programs")
    func json() throws {
        try record(["000000", "000002"])
        let said = run("list", "--json").output
        let object = try #require(try JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any])
        let list = try #require(object["recordings"] as? [[String: Any]])
        #expect(list.map { $0["start"] as? String } == ["2026-01-01T00:00:02.000000Z", "2026-01-01T00:00:00.000000Z"])
        #expect(list.map { $0["camera"] as? String } == ["front", "front"])
        #expect((list[0]["events"] as? [[String: Any]])?.map { $0["kind"] as? String } == ["motion_started"])
        #expect((object["total"] as? [String: Any])?["count"] as? Int == 2)
    }

    @Test("local times tell which of two equal hours it was", arguments: [("Europe/Berlin", "+0200", "+0100")])
    func summerTime(_ zone: String, _ first: String, _ second: String) throws {
        // 2026-10-25 02:30 comes twice in Berlin: at 00:30 and at 01:30 UTC.
        try record(["003000"], from: WallTime(microseconds: 1_792_888_200_000_000))
        try record(["013000"], from: WallTime(microseconds: 1_792_891_800_000_000))
        let child = try Child(["recordings", "list"], environment: environment.merging(["TZ": zone]) { $1 })
        #expect(child.wait() == 0)
        let lines = child.output.split(separator: "\n").map(String.init)
        #expect(lines[2].hasPrefix("2026-10-25 02:30:00 \(first)  2026-10-25T00:30:00Z"))
        #expect(lines[1].hasPrefix("2026-10-25 02:30:00 \(second)  2026-10-25T01:30:00Z"))
    }

    @Test("show tells one recording with its events, and that its file is gone")
    func show() throws {
        try record(["000000", "000002"])
        let shown = run("show", "\(path)/rec/../rec/000002.mp4").output
        #expect(shown.contains("camera  front\n") && shown.contains("state   complete\n"))
        #expect(shown.contains(", motion by watch, 1s\n"))
        try FileManager.default.removeItem(atPath: "\(path)/rec/000002.mp4")
        #expect(run("show", "\(path)/rec/000002.mp4").output.contains("missing: the file is gone"))
        let unknown = run("show", "\(path)/rec/other.mp4")
        #expect(unknown.code == 1 && unknown.error.contains("is no recording that is known here"))
    }

    @Test("export makes one file of a time, without a seam")
    func export() throws {
        try record(["000000", "000002", "000004"])
        let output = "\(path)/out.mp4"
        let made = run(
            "export", "--camera", "front", "--from", "2026-01-01T00:00:01Z", "--to", "2026-01-01T00:00:05Z", "--output",
            output)
        #expect(made.code == 0 && made.error.isEmpty)
        #expect(
            made.output.contains("4s of 3 recordings, from ")
                && made.output.contains("(2026-01-01T00:00:01Z), 40 pictures"))
        let check = try ClipCheck(output, decodes: true)
        #expect(check.pictures == 40 && check.damaged == 0 && abs(check.length.seconds - 4) < 0.11)
        #expect(run("export", "\(path)/rec/000000.mp4", "--output", output).code == 1, "it is there already")
        let json = run("export", "\(path)/rec/000000.mp4", "--output", "\(path)/one.mkv", "--json").output
        #expect(json.contains("\"pictures\":20") && json.contains("\"recordings\":1"))
    }

    @Test(
        "what export cannot do is said",
        arguments: [
            (["--from", "1h"], 2, "needs --output FILE"), (["--output", "a.mp4"], 2, "needs FILE or --from"),
            (["--from", "1h", "--output", "a.avi"], 2, "does not say the format"),
            (["--from", "2030-01-01", "--output", "a.mp4"], 1, "there is no recording in that time"),
            (["--camera", "frnt", "--from", "1h", "--output", "a.mp4"], 1, "did you mean \"front\"?"),
        ])
    func exportFaults(_ words: [String], _ code: Int32, _ said: String) throws {
        try record(["000000"])
        let result = Captured.run(["recordings", "export"] + words, environment)
        #expect(result.code == code)
        #expect(result.error.contains(said), "\(result.error)")
    }

    @Test("verify finds what is gone, changed, cut or no recording, and nothing else")
    func verify() throws {
        try record(["000000", "000002", "000004", "000006"])
        #expect(run("verify", "--decode").output == "4 checked: 4 fine, 0 not\n")
        try FileManager.default.removeItem(atPath: "\(path)/rec/000000.mp4")
        let handle = try FileHandle(forWritingTo: URL(filePath: "\(path)/rec/000002.mp4"))
        try handle.truncate(atOffset: 100)
        let size = try Data(contentsOf: URL(filePath: "\(path)/rec/000004.mp4")).count
        try Data(repeating: 0x5A, count: size).write(to: URL(filePath: "\(path)/rec/000004.mp4"))
        let result = run("verify", "--json")
        #expect(result.code == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let faults = try #require(object["faults"] as? [[String: String]])
        #expect(faults.map { $0["file"]?.suffix(10) } == ["000004.mp4", "000002.mp4", "000000.mp4"])
        #expect(faults[1]["fault"]?.hasPrefix("it has 100 bytes, and ") == true)
        #expect(faults[2]["fault"] == "missing: No such file or directory")
        #expect(run("verify", "\(path)/rec/000006.mp4").code == 0)
    }

    @Test("what is lost of the index or of what is remembered is found again", arguments: ["index", "all", "damaged"])
    func lost(_ what: String) throws {
        try record(["000000", "000002"])
        let before = run("list").output
        let database = "\(state)/campipe/recordings/index.sqlite"
        switch what {
        case "index": try FileManager.default.removeItem(atPath: database)
        case "damaged": try Data(repeating: 0x5A, count: 5000).write(to: URL(filePath: database))
        default:
            try FileManager.default.removeItem(atPath: state)
            let nothing = run("list")
            #expect(nothing.code == 0 && nothing.error.contains("no recordings are known here"))
            #expect(run("list", "--folder", "\(path)/rec").output == before)
        }
        let after = run("list")
        #expect(after.output == before)
        #expect(after.error.isEmpty == (what != "damaged"))
        #expect(run("list", "--rebuild").output == before)
        #expect(run("list").error.isEmpty)
    }

    @Test("two processes that make the index at once both answer all")
    func together() throws {
        try record(["000000", "000002", "000004"])
        let children = try (0..<4).map { _ in try Child(["recordings", "list"], environment: environment) }
        for child in children {
            #expect(child.wait() == 0)
            #expect(child.output.contains("3 recordings, 6s, "))
        }
    }

    @Test("names drive no terminal")
    func controls() throws {
        let recordings = RecordingFolder(try pattern("rec/\u{1B}[2J%H.mp4"), fields: ["camera": "a\u{1B}[31m"])
        try FileManager.default.createDirectory(atPath: "\(path)/rec", withIntermediateDirectories: true)
        let file = "\(path)/rec/\u{1B}[2J01.mp4"
        try Self.clip(file)
        try recordings.ended(file, start: WallTime(microseconds: 0), length: .seconds(1))
        RecordingRegisterTests.add(recordings.list, environment)
        for words in [
            ["list"], ["show", file], ["verify"], ["list", "--json"], ["export", file, "--output", "/x/\u{1B}.mp4"],
        ] {
            let result = Captured.run(["recordings"] + words, environment)
            #expect(!result.output.contains("\u{1B}") && !result.error.contains("\u{1B}"), "\(words[0])")
        }
    }

    @Test("prune says that the clock is right only where it was set, and only with --yes")
    func prune() throws {
        try record(["000000"])
        #expect(run("prune").output == "no recording waits for the clock\n")
        let recordings = RecordingFolder(try pattern("rec/%H%M%S.mp4"), fields: ["camera": "front", "id": "clips"])
        try recordings.remember(.jumped, WallTime(microseconds: 5))
        #expect(run("prune").output.contains("If that is right: campipe recordings prune --yes"))
        #expect(try recordings.clockMemory().trusted == nil)
        #expect(run("prune", "--yes").output.contains("what is too old is deleted within a minute"))
        #expect(try recordings.clockMemory().trusted != nil)
        #expect(run("prune").output == "no recording waits for the clock\n")
    }

    @Test("prune --json says which folders wait, and whether the clock is trusted from now on")
    func pruneJSON() throws {
        func answer(_ words: String...) throws -> NSDictionary {
            let result = Captured.run(["recordings", "prune", "--json"] + words, environment)
            #expect(result.code == 0)
            return try #require(
                JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? NSDictionary, "\(result.output)")
        }
        try record(["000000"])
        #expect(try answer()["waiting"] as? [String] == [])
        let recordings = RecordingFolder(try pattern("rec/%H%M%S.mp4"), fields: ["camera": "front", "id": "clips"])
        try recordings.remember(.jumped, WallTime(microseconds: 5))
        let waiting = try answer()
        #expect((waiting["waiting"] as? [String])?.map { $0.hasSuffix("/rec") } == [true], "\(waiting)")
        #expect(waiting["trusted"] as? Bool == false)
        #expect((waiting["time"] as? String)?.hasSuffix("Z") == true)
        #expect(try answer("--yes")["trusted"] as? Bool == true)
        #expect(try answer()["waiting"] as? [String] == [])
    }

    @Test(
        "what is wrong with two words is said",
        arguments: [
            (["recordings", "lst"], "unknown command \"recordings lst\"; did you mean \"recordings list\"?"),
            (
                ["recordings"],
                "recordings needs a word more; known: recordings list, recordings show, recordings export, "
                    + "recordings verify, recordings prune"
            ),
            (["recordings", "list", "--from", "soon"], "--from: \"soon\" is no time; write 2026-01-31"),
            (["recordings", "show"], "recordings show needs FILE"),
            (["help", "recordings", "lst"], "did you mean \"recordings list\"?"),
            (["help", "run", "twice"], "help takes one COMMAND, but found \"twice\" too"),
        ])
    func usage(_ words: [String], _ said: String) {
        let result = Captured.run(words, environment)
        #expect(result.code == 2)
        #expect(result.error.contains(said), "\(result.error)")
    }

    @Test(
        "the help of a word that several commands share lists them",
        arguments: [["recordings", "--help"], ["help", "recordings"]])
    func groupHelp(_ words: [String]) {
        let result = Captured.run(words)
        #expect(result.code == 0)
        #expect(result.output.contains("  recordings verify  Checks that recordings are there"))
    }
}

/// A run remembers where its recordings are.
@Suite("Where recordings are remembered")
struct RecordingRegisterTests {
    static func add(_ list: String, _ environment: [String: String]) {
        (try? RecordingRegister(environment: environment))?.addNow(list)
    }

    @Test("each list is there once, from the root on, for its owner alone")
    func once() throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_STATE_HOME": folder.url.path]
        for list in ["/a/./b/../.campipe-1.list", "/a/.campipe-1.list", "x/.campipe-2.list"] {
            Self.add(list, environment)
        }
        let lists = try RecordingRegister(environment: environment).lists
        let here = FileManager.default.currentDirectoryPath
        #expect(lists == ["/a/.campipe-1.list", RecordingRegister.absolute("\(here)/x/.campipe-2.list")])
        let file = "\(folder.url.path)/campipe/recordings/lists"
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }

    @Test("where nothing can be written nothing happens")
    func readOnly() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("campipe", "")
        let register = try RecordingRegister(environment: ["XDG_STATE_HOME": folder.url.path])
        register.add("/a/.campipe-1.list")
        register.finish()
        #expect(register.lists == [])
    }

    @Test("what a run recorded is listed, shown and exported")
    func run() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file(
            "p.yaml",
            """
            version: 1
            name: p
            sources: {front: {type: camera, url: "demo://porch"}}
            sinks: {all: {type: file, input: front, path: "\(folder.url.path)/rec/%H%M%S-%f.mkv", segment: 1s}}
            """)
        let environment = ["XDG_STATE_HOME": "\(folder.url.path)/state"]
        let run = try Child(["run", file], environment: environment)
        // JPEGs as they are: a busy machine has them soon.
        #expect(run.wait(120) { $0.error.contains("recording node=all") })
        run.signal(SIGINT)
        #expect(run.wait() == 0)
        #expect(run.error.contains("10% of the disk stays free"))
        let list = Captured.run(["recordings", "list"], environment)
        #expect(list.output.contains(" front ") && list.error.isEmpty)
        let output = "\(folder.url.path)/out.mkv"
        let export = Captured.run(["recordings", "export", "--from", "1h", "--output", output], environment)
        #expect(export.code == 0, "\(export.error)")
        #expect(try ClipCheck(output, decodes: true).damaged == 0)
    }
}
