import Foundation
import Glibc
import Testing

@testable import CampipeApp

@Suite("Commands that start nothing")
struct CommandTests {
    private func fixture(_ name: String) throws -> String {
        let fixtures = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return fixtures.appending(path: "Pipelines/\(name)").path(percentEncoded: false)
    }

    private func json(_ text: String) throws -> Any { try JSONSerialization.jsonObject(with: Data(text.utf8)) }

    @Test("validate says what a good file has, on standard output, and leaves with 0")
    func good() throws {
        let path = try fixture("graph.yaml")
        let result = Captured.run(["validate", path])
        #expect(result.code == 0)
        #expect(result.output == "\(path): fine: 2 sources, 2 transforms, 5 sinks\n")
        #expect(result.error == "")
    }

    @Test("validate prints all faults of a bad file on standard error, and leaves with 78")
    func bad() throws {
        let path = try fixture("faulty.yaml")
        let result = Captured.run(["validate", path, try fixture("graph.yaml")])
        #expect(result.code == 78)
        #expect(result.output.contains("graph.yaml: fine"))
        let text = result.error.replacing(path, with: "faulty.yaml")
        #expect(try golden("Commands/faulty.txt", text) == text)
    }

    @Test("validate --json tells programs the same, good or bad")
    func forPrograms() throws {
        let bad = Captured.run(["validate", "--json", try fixture("faulty.yaml")])
        #expect(bad.code == 78 && bad.error == "")
        let report = try #require(try json(bad.output) as? [String: Any])
        #expect(report["ok"] as? Bool == false && report["errors"] as? Int == 3)
        let good = Captured.run(["validate", "--json", try fixture("graph.yaml")])
        #expect(good.code == 0)
        #expect((try json(good.output) as? [String: Any])?["ok"] as? Bool == true)
    }

    @Test(
        "a file that is missing, a folder or unreadable is one clear line with a fix, and 78",
        arguments: ["validate", "graph", "run"])
    func unreadable(command: String) throws {
        let folder = try TemporaryFolder()
        let missing = folder.url.appending(path: "none.yaml").path(percentEncoded: false)
        for (path, reason) in [
            (missing, "no such file or directory"), (folder.url.path(percentEncoded: false), "it is a folder"),
        ] {
            let result = Captured.run([command, path])
            #expect(result.code == 78)
            let lines = result.error.split(separator: "\n")
            #expect(lines.first == "\(path):1:1: error: cannot read the file: \(reason) [CAM0011]")
            #expect(lines.count == 2 && lines.last?.hasPrefix("  fix: ") == true)
        }
    }

    @Test("no secret of a file is shown, whatever is wrong with it", arguments: ["validate", "graph"])
    func secrets(command: String) throws {
        for words in [[command, try fixture("faulty.yaml")], [command, try fixture("graph.yaml")]] {
            let result = Captured.run(words, isTerminal: true)
            #expect(!(result.output + result.error).contains("hunter22"))
        }
        let json = Captured.run(["validate", "--json", try fixture("faulty.yaml")])
        #expect(!json.output.contains("hunter22"))
    }

    @Test("a consumer that no converter can feed is found before anything starts")
    func planned() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file(
            "a.yaml",
            """
            version: 1
            sources: {p: {type: test_pattern, kind: empty}}
            sinks: {w: {type: http, input: p, path: /p}}
            """
        )
        let result = Captured.run(["validate", file])
        #expect(result.code == 78)
        #expect(result.error.contains("a.yaml:3:"), "\(result.error)")
    }

    @Test("list names every type with its summary, by section, and as JSON")
    func list() throws {
        let text = Captured.run(["list"])
        #expect(text.code == 0)
        for section in ["sources\n", "transforms\n", "sinks\n", "  motion ", "  http "] {
            #expect(text.output.contains(section))
        }
        let rows = try #require(try json(Captured.run(["list", "--json"]).output) as? [[String: String]])
        #expect(rows.contains { $0["name"] == "motion" && $0["section"] == "transforms" && $0["summary"] != "" })
    }

    @Test("inspect tells both of a source and a sink that share a name, and suggests what was meant")
    func inspect() throws {
        let both = Captured.run(["inspect", "file"]).output
        #expect(both.contains("file (source)") && both.contains("file (sink)"))
        let wrong = Captured.run(["inspect", "moton"])
        #expect(wrong.code == 2 && wrong.output == "")
        #expect(wrong.error.hasPrefix("campipe: there is no node type \"moton\"; did you mean \"motion\"?\n"))
    }

    @Test("schema is JSON and knows every type; version is for people and programs")
    func others() throws {
        let schema = Captured.run(["schema"])
        #expect(schema.code == 0)
        #expect(try json(schema.output) is [String: Any])
        #expect(schema.output.contains("\"test_pattern\""))
        #expect(Captured.run(["version"]).output.hasPrefix("campipe \(VersionCommand.version)\n"))
        let version = try json(Captured.run(["version", "--json"]).output) as? [String: String]
        #expect(version?["campipe"] == VersionCommand.version && version?["ffmpeg"]?.isEmpty == false)
    }

    @Test(
        "a wrong command line is told on standard error and leaves with 2",
        arguments: [
            ["rnu"], ["run"], ["run", "a.yaml", "--lissten", "x"], ["graph", "a.yaml", "--format", "svg"],
            ["run", "a.yaml", "--listen", "nonsense"], ["simulate", "--listen", "8090"],
            ["simulate", "--scene", "prch"],
            ["inspect", "nothing_like_it"], [],
        ])
    func usage(words: [String]) {
        let result = Captured.run(words)
        #expect(result.code == 2 && result.output == "")
        #expect(result.error.hasPrefix("campipe: ") && result.error.contains("Usage: campipe"))
    }

    @Test("colour is for terminals, and not where NO_COLOR or TERM=dumb asks for none")
    func colour() throws {
        let words = ["validate", try fixture("faulty.yaml")]
        func isColoured(_ environment: [String: String], isTerminal: Bool) -> Bool {
            Captured.run(words, environment, isTerminal: isTerminal).error.contains("\u{1B}[")
        }
        #expect(isColoured([:], isTerminal: true))
        #expect(!isColoured([:], isTerminal: false))
        #expect(!isColoured(["NO_COLOR": "1"], isTerminal: true))
        #expect(isColoured(["NO_COLOR": ""], isTerminal: true))
        #expect(!isColoured(["TERM": "dumb"], isTerminal: true))
        #expect(!Captured.run(["list"], ["NO_COLOR": "1"], isTerminal: true).output.contains("\u{1B}"))
        #expect(Captured.run(["list"], isTerminal: true).output.contains("\u{1B}[1m"))
    }

    @Test(
        "an answer that cannot be written is one word on standard error, and 1",
        arguments: [
            ["list"], ["schema"], ["graph", "GRAPH"], ["version"], ["version", "--json"], ["inspect", "motion"],
            ["--help"], ["run", "--help"], ["help", "run"], ["validate", "GRAPH"],
        ])
    func unwritable(words: [String]) throws {
        let words = try words.map { $0 == "GRAPH" ? try fixture("graph.yaml") : $0 }
        let captured = Captured(failure: ENOSPC)
        #expect(Program.run(words, captured.console()) == 1)
        #expect(captured.error == "campipe: cannot write to standard output: No space left on device\n")
        let gone = Captured(failure: EPIPE)
        #expect(Program.run(words, gone.console()) == 0)
        #expect(gone.error == "")
    }

    @Test(
        "a pipeline on standard input is called stdin, whether it comes by a pipe or by a socket",
        arguments: [true, false])
    func standardInput(isSocket: Bool) throws {
        func validate(_ type: String) throws -> (code: Int32?, said: String) {
            var ends: [Int32] = [0, 0]
            let made = isSocket ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : pipe(&ends)
            #expect(made == 0)
            let writer = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
            writer.write(
                Data("version: 1\nsources: {p: {type: \(type)}}\nsinks: {o: {type: discard, input: p}}\n".utf8))
            try writer.close()
            let child = try Child(
                ["validate", "-"], input: FileHandle(fileDescriptor: ends[0], closeOnDealloc: true))
            return (child.wait(), child.output + child.error)
        }
        let good = try validate("test_pattern")
        #expect(good.code == 0 && good.said.hasPrefix("stdin: fine: "), "\(good)")
        let bad = try validate("test_patern")
        #expect(bad.code == 78 && bad.said.hasPrefix("stdin:2:21: error: "), "\(bad)")
    }

    @Test("the program itself tells a full device")
    func full() throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let child = try Child(["list"], output: full)
        #expect(child.wait() == 1)
        #expect(child.error == "campipe: cannot write to standard output: No space left on device\n")
    }
}
