import CampipeKit
import Testing

@testable import CampipeApp

@Suite("The command line")
struct CommandLineParserTests {
    private func invocation(_ line: String) throws -> Invocation {
        let request = try CommandLineParser.parse(line.split(separator: " ").map(String.init))
        guard case .command(let invocation) = request else {
            Issue.record("\(line) gave help")
            return Invocation(.help)
        }
        return invocation
    }

    private func failure(_ line: String) -> UsageError? {
        do {
            _ = try CommandLineParser.parse(line.split(separator: " ").map(String.init))
            return nil
        } catch {
            return error
        }
    }

    @Test("run takes a file and typed flags, in any order")
    func run() throws {
        let run = try invocation(
            "run --duration 90s home.yaml --set a.b=1 --log-format=json --set sinks.web.path=/x=y --no-screen")
        #expect(run.command == .run)
        #expect(run.arguments == ["home.yaml"])
        #expect(run[Flags.duration] == .seconds(90))
        #expect(run[Flags.logFormat] == .json)
        #expect(run[Flags.noScreen])
        #expect(run[Flags.listen] == nil)
        #expect(
            run.all(Flags.set) == [
                Assignment(path: ["a", "b"], text: "1"), Assignment(path: ["sinks", "web", "path"], text: "/x=y"),
            ])
    }

    @Test("a flag's value stands behind it or behind =", arguments: ["--format dot", "--format=dot"])
    func bothForms(_ flag: String) throws {
        #expect(try invocation("graph \(flag) a.yaml")[Flags.graphFormat] == .dot)
    }

    @Test("a value may begin with one dash, and be a lone dash")
    func dashes() throws {
        #expect(try invocation("run a --set x=-1").all(Flags.set) == [Assignment(path: ["x"], text: "-1")])
        #expect(failure("run a --listen -")?.sentence.hasPrefix("--listen: \"-\" is no address") == true)
        #expect(try invocation("validate -").arguments == ["-"])
    }

    @Test("nothing behind -- is a flag")
    func endOfFlags() throws {
        let validate = try invocation("validate --json -- --json --help a.yaml")
        #expect(validate.arguments == ["--json", "--help", "a.yaml"])
        #expect(validate[Flags.json])
    }

    @Test("simulate's flags have their types")
    func simulate() throws {
        let simulate = try invocation(
            "simulate --scene yard --size 640x480 --fps 7.5 --cameras 4 --listen 127.0.0.1:0 --no-boundary "
                + "--stall-every 30s --cut-every 10s --damage-every 5s --duration 1m")
        #expect(simulate[Flags.scene] == "yard")
        #expect(simulate[Flags.size] == PictureSize(width: 640, height: 480))
        #expect(simulate[Flags.fps] == 7.5)
        #expect(simulate[Flags.cameras] == 4)
        #expect(simulate[Flags.simulateListen] == "127.0.0.1:0")
        #expect(simulate[Flags.noBoundary])
        #expect(simulate[Flags.stallEvery] == .seconds(30))
        #expect(simulate[Flags.cutEvery] == .seconds(10))
        #expect(simulate[Flags.damageEvery] == .seconds(5))
        #expect(simulate[Flags.duration] == .seconds(60))
    }

    @Test("an index in the path of --set is a list's")
    func listIndex() throws {
        let set = try invocation("run a --set sources.front.zones[2]=x").all(Flags.set)
        #expect(set.first?.path == FaultPath([.key("sources"), .key("front"), .key("zones"), .index(2)]))
    }

    @Test("--version is a command too")
    func versionFlag() throws {
        #expect(try invocation("--version").command == .version)
    }

    @Test(
        "what is wrong is said with a fix",
        arguments: [
            ("", "there is no command; campipe help lists them"),
            ("rnu a", "unknown command \"rnu\"; did you mean \"run\"?"),
            (
                "frobnicate",
                "unknown command \"frobnicate\"; "
                    + "known: run, validate, graph, list, inspect, schema, simulate, probe, view, recordings list, "
                    + "recordings show, recordings export, recordings verify, recordings prune, plugin new, "
                    + "plugin build, plugin check, plugin test, plugin install, plugin list, hash-password, version, help"
            ),
            ("pipelines/home.yaml", "\"pipelines/home.yaml\" is not a command; write campipe run pipelines/home.yaml"),
            ("--json list", "there is no command before \"--json\"; flags stand behind the command"),
            ("plugin biuld a", "unknown command \"plugin biuld\"; did you mean \"plugin build\"?"),
            ("plugin install", "plugin install needs DIR"),
            (
                "plugin",
                "plugin needs a word more; known: plugin new, plugin build, plugin check, plugin test, plugin install, "
                    + "plugin list"
            ),
            ("help plugin new night", "help takes one COMMAND, but found \"night\" too"),
            ("run", "run needs FILE"),
            ("validate --json", "validate needs FILE"),
            ("run a b", "run takes one FILE, but found \"b\" too"),
            ("list a", "list takes no argument, but found \"a\""),
            ("run a --log_level debug", "unknown flag \"--log_level\"; did you mean \"--log-level\"?"),
            ("run a --duratoin 1s", "unknown flag \"--duratoin\"; did you mean \"--duration\"?"),
            (
                "run a --json",
                "unknown flag \"--json\"; --json belongs to campipe validate, campipe graph, campipe list, campipe inspect, campipe probe, campipe recordings list, campipe recordings show and 6 more"
            ),
            ("run a --cameras 2", "unknown flag \"--cameras\"; --cameras belongs to campipe simulate"),
            ("run a -x", "unknown flag \"-x\""),
            ("run a --duration", "--duration needs a value; write --duration DURATION"),
            ("run a --duration --no-screen", "--duration needs a value; write --duration DURATION"),
            ("run a --duration 1s --duration 2s", "--duration is given twice"),
            ("run a --no-screen=1", "--no-screen takes no value"),
            ("run a --duration 10", "--duration: 10 has no unit; write 10s; units: ms, s, m, h, d, w"),
            ("run a --duration 0s", "--duration: \"0s\" is no time at all"),
            (
                "run a --log-level warn",
                "--log-level: \"warn\" is not known here; did you mean \"warning\"? accepted: trace, debug, info, warning, error"
            ),
            (
                "graph a --format dto",
                "--format: \"dto\" is not known here; did you mean \"dot\"? accepted: text, dot, json"
            ),
            (
                "run a --set width",
                "--set: \"width\" has no value; write a path and a value, such as transforms.small.width=320"
            ),
            (
                "run a --set a..b=1",
                "--set: \"a..b\" is not a path; write a path and a value, such as transforms.small.width=320"
            ),
            ("simulate --size 640", "--size: \"640\" is not a size; write WIDTHxHEIGHT, such as 1280x720"),
            ("simulate --size 8x8", "--size: \"8x8\" is out of range; accepted: 16x16 to 8192x8192"),
            ("simulate --fps 0", "--fps: \"0\" is out of range; accepted: more than 0, at most 240"),
            ("simulate --cameras 0", "--cameras: \"0\" is out of range; accepted: 1 to 256"),
            (
                "simulate --cameras many",
                "--cameras: \"many\" is not a whole number; accepted: a whole number in digits, such as 12"
            ),
            ("help rnu", "unknown command \"rnu\"; did you mean \"run\"?"),
        ])
    func faults(_ line: String, _ said: String) throws {
        let error = try #require(failure(line))
        #expect(error.sentence + (error.fix.map { "; \($0)" } ?? "") == said)
    }

    @Test("a usage error shows no password of a URL")
    func secrets() throws {
        let text = try #require(failure("http://u:hunter2@h/?pwd=hunter3")).text
        #expect(text.hasPrefix("campipe: unknown command \"http://***@h/?pwd=***\"; known: run, "), "\(text)")
    }

    @Test("a usage error names the command's usage and where to read more")
    func usageText() throws {
        #expect(
            failure("run a --frobnicate")?.text == """
                campipe: unknown flag "--frobnicate"
                Usage: campipe run FILE [flags]
                campipe run --help tells more.

                """)
        #expect(
            failure("rnu")?.text == """
                campipe: unknown command "rnu"; did you mean "run"?
                Usage: campipe COMMAND [flags]
                campipe help tells more.

                """)
    }

    @Test(
        "each path that is read is written the same", arguments: ["a", "a.b", "a[0]", "sources.front.zones[2].x[1][3]"])
    func paths(_ text: String) throws {
        #expect(FaultPath(text: text)?.description == text)
    }

    @Test("what is no path is refused", arguments: ["", ".", "a.", "[0]", "a[", "a]", "a[x]", "a[-1]", "a[1]b"])
    func noPaths(_ text: String) {
        #expect(FaultPath(text: text) == nil)
    }
}
