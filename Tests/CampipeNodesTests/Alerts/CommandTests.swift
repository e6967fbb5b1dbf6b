import Foundation
import Testing

@testable import CampipeKit
@testable import CampipeNodes

/// The `command` sink, with programs of this machine.
@Suite("command") struct CommandTests {
    private func event(_ id: String = "1", _ kind: EventKind = .motionStarted, phase: Event.Phase = .happened) -> Event
    {
        Event(
            kind, id: id, phase: phase, captured: .zero + .seconds(1), node: "watch",
            payload: ["score": 0.5, "reason": "two\nlines", "kind": "never this", "boxes": .list([])])
    }

    private func harness(_ argv: [String], _ options: Value.ValueMap = [:]) throws -> NodeHarness {
        var options = options
        options["argv"] = .list(argv.map { .text($0) })
        return try NodeHarness(CommandSink.self, options: options, isLive: true)
    }

    /// Waits for another thread, and lets the node take note.
    private func wait(_ harness: NodeHarness, seconds: Int = 60, until condition: () -> Bool) throws -> Bool {
        for _ in 0..<(seconds * 100) {
            if condition() { return true }
            if harness.waitForWake(within: .milliseconds(10)) { try harness.turn() }
        }
        return condition()
    }

    private func said(_ harness: NodeHarness) -> [Log.Entry] { harness.logged.filter { $0.level >= .info } }

    private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test("The program gets the event as JSON on its input and in its environment, and its words as they are")
    func whatItGets() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/out"
        let script =
            "cat > \"$2.part\"; { cat \"$2.part\"; printf '%s|' \"$1\"; env | grep ^CAMPIPE_ | sort; } > \"$2.all\"; "
            + "mv \"$2.all\" \"$2\""
        let harness = try harness(["/bin/sh", "-c", script, "sh", "$HOME; `id` *", path])
        try harness.push(event())
        #expect(try wait(harness) { text(path) != nil })
        let got = try #require(text(path))
        let json = event().json(time: WallTime(microseconds: 0))
        #expect(got.hasPrefix("{\"kind\":\"motion_started\",\"id\":\"1\",\"time\":\""))
        #expect(got.contains(json.drop { $0 != "p" }.suffix(40)))
        #expect(got.contains("$HOME; `id` *|"))
        for line in [
            "CAMPIPE_KIND=motion_started", "CAMPIPE_ID=1", "CAMPIPE_NODE=watch", "CAMPIPE_SCORE=0.5",
            "CAMPIPE_REASON=two", "CAMPIPE_PIPELINE=test", "CAMPIPE_SINK=",
        ] { #expect(got.contains(line), "\(line) in \(got)") }
        #expect(!got.contains("CAMPIPE_BOXES"))
        try harness.end()
    }

    @Test("One at a time: while a program runs the newest event waits, and those in between are counted")
    func oneAtATime() throws {
        let folder = try TemporaryFolder()
        let (gate, path) = (folder.path + "/gate", folder.path + "/out")
        // Each waits for the gate, so that the order does not depend on how fast this machine is.
        let script = "while [ ! -e \"$0\" ]; do sleep 0.02; done; echo \"$CAMPIPE_ID\" >> \"$1\""
        let harness = try harness(["/bin/sh", "-c", script, gate, path])
        for id in 1...5 { try harness.push(event("\(id)")) }
        #expect(text(path) == nil && harness.removed == [.superseded: 3])
        _ = FileManager.default.createFile(atPath: gate, contents: nil)
        #expect(try wait(harness) { text(path) == "1\n5\n" }, "\(text(path) ?? "")")
        try harness.end()
        #expect(harness.removed == [.superseded: 3] && said(harness).isEmpty)
    }

    @Test("What waits when the pipeline ends is run for, before the end")
    func end() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/out"
        let harness = try harness(["/bin/sh", "-c", "sleep 0.2; echo \"$CAMPIPE_ID\" >> \"$0\"", path])
        for id in 1...2 { try harness.push(event("\(id)")) }
        try harness.end()
        #expect(text(path) == "1\n2\n" && harness.removed.isEmpty)
    }

    @Test("At its deadline it gets TERM, and then KILL, with all that it started; the next one runs")
    func deadline() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/out"
        let script =
            "trap 'echo term >> \"$0\"' TERM; if [ \"$CAMPIPE_ID\" = 2 ]; then echo two >> \"$0\"; exit; fi; "
            + "sleep 1000 & echo $! >> \"$0\"; while :; do wait; sleep 0.01; done"
        let harness = try harness(["/bin/sh", "-c", script, path], ["timeout": "10s"])
        try harness.push(event("1"))
        try harness.push(event("2"))
        #expect(try wait(harness) { text(path)?.isEmpty == false })
        try harness.advance(by: .milliseconds(9999))
        #expect(text(path)?.contains("term") == false)
        try harness.advance(by: .milliseconds(1))
        #expect(try wait(harness) { text(path)?.contains("term\n") == true })
        #expect(harness.removed.isEmpty)
        try harness.advance(by: .seconds(2))
        #expect(try wait(harness) { text(path)?.contains("two\n") == true })
        try harness.end()
        #expect(harness.removed == [.failed: 1])
        #expect(said(harness).map(\.message) == ["the command was ended by a signal"])
        // What it had started is gone with it.
        let other = try #require(pid_t((text(path) ?? "").prefix { $0.isNumber }))
        #expect(try wait(harness) { kill(other, 0) != 0 })
    }

    @Test("A program that fails is said with its status and its words, and counted; one that is not there too")
    func fails() throws {
        let failing = try harness(["/bin/sh", "-c", "echo 'no such host' >&2; exit 3"])
        try failing.push(event())
        try failing.end()
        #expect(failing.removed == [.failed: 1])
        let entry = try #require(said(failing).first)
        #expect(entry.level == .warning && entry.facts.contains { $0.key == "status" && $0.value == "3" })
        #expect(entry.facts.contains { $0.key == "said" && $0.value == "no such host" })
        let missing = try harness(["/nowhere/alarm"])
        try missing.push(event())
        #expect(missing.removed == [.failed: 1] && said(missing).map(\.message) == ["the command cannot be started"])
    }

    @Test("What a program says of the secrets among its words is not shown")
    func echo() throws {
        let harness = try harness([
            "/bin/sh", "-c", "echo \"$0 $1 $2 $3\"; exit 1", "Authorization: Bearer hushhush", "--token=pl4nted",
            "--password", "s3cret",
        ])
        try harness.push(event())
        try harness.end()
        let told = said(harness).flatMap(\.facts).filter { $0.key == "said" }.map(\.value)
        #expect(told == ["Authorization: Bearer *** --token=*** --password ***"])
    }

    @Test("A secret is hidden also where a text was cut in its midst, and words that are none stay")
    func cut() {
        let told = ToldSecrets(["pl4nted-secret", "pl4nted", "abc"])
        #expect(told.hidden("key pl4nted-secret, abc, pl4nted") == "key ***, abc, ***")
        #expect(told.hidden("401: pl4nted-se") == "401: ***")
        #expect(ToldSecrets(argv: ["/bin/ls", "-p", "front", "a=b", "--keyed"]) == ToldSecrets([]))
    }

    @Test("It leaves out repeats, and what its options leave out, which is counted")
    func filtered() throws {
        let harness = try harness(["true"], ["on": ["motion_started"], "cooldown": "60s"])
        try harness.push(event("1", phase: .began).repeated(at: .zero))
        #expect(harness.removed.isEmpty)
        try harness.push(event("1", .clipReady))
        try harness.push(event("2"))
        try harness.push(event("3"))
        #expect(harness.removed == [.filtered: 2])
        try harness.end()
    }

    @Test(
        "What is wrong with argv is a fault or a warning, with its fix",
        arguments: [
            ([], "error", "no program is named"), ([""], "error", "no program is named"),
            (["~/alarm"], "error", "~ is no home folder here, but a folder of that name"),
            (["/nowhere/alarm"], "warning", "there is no program \"/nowhere/alarm\""),
            (["no-such-program-here"], "warning", "there is no program \"no-such-program-here\" in PATH"),
            (["echo hello"], "warning", "there is no program \"echo hello\" in PATH"),
        ] as [([String], String, String)])
    func argv(_ argv: [String], _ severity: String, _ sentence: String) {
        let faults = Registration(sink: CommandSink.self).inspect(["argv": .list(argv.map { .text($0) })]).faults
        #expect(faults.map(\.sentence) == [sentence])
        #expect(faults.map { "\($0.severity)" } == [severity])
        if argv == ["echo hello"] { #expect(faults[0].fix.hasSuffix("[echo, hello]")) }
    }

    @Test("Kinds that are misspelt are pointed out; those of plugins are fine; an empty list is a fault")
    func kinds() {
        func faults(_ on: Value) -> [String] {
            Registration(sink: CommandSink.self).inspect(["argv": ["true"], "on": on]).faults.map {
                "\($0.severity) \($0.fix)"
            }
        }
        #expect(faults(["motion_start"]).first?.hasPrefix("warning did you mean \"motion_started\"") == true)
        #expect(faults(["doorbell_rang"]).isEmpty)
        #expect(faults([]).first?.hasPrefix("error ") == true)
    }
}
