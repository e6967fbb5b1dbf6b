import Foundation
import Glibc
import Testing

@testable import CampipeApp

/// The built program as a process: signals, exit codes, and what goes where.
@Suite("campipe run", .serialized)
struct RunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ text: String) throws -> String { try folder.file("pipeline.yaml", "version: 1\n" + text) }

    /// A few pictures as fast as they can be made, a line each on standard output.
    private let short = """
        sources: {p: {type: test_pattern, count: 5, speed: max, width: 64, height: 48}}
        sinks: {out: {type: log, input: p, format: json}}
        """

    private let serving = """
        sources: {p: {type: test_pattern, width: 160, height: 120, fps: 20}}
        sinks: {web: {type: http, input: p, path: /p}}
        """

    @Test("a pipeline whose sources end, ends with 0; standard output is the nodes' alone")
    func ends() throws {
        let result = try Child.run(["run", try file(short), "--log-format", "json", "--log-level", "debug"])
        #expect(result.code == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 5 && lines.allSatisfy { $0.hasPrefix("{\"kind\":\"frame\"") }, "\(result.output)")
    }

    @Test("a live source that ends lets the pipeline end, though nobody looks")
    func livingEnd() throws {
        let result = try Child.run(["run", try file(serving), "--listen", "127.0.0.1:0", "--set", "sources.p.count=5"])
        #expect(result.code == 0)
        #expect(!result.error.contains("connects again"), "\(result.error)")
    }

    @Test("every line of standard error is a JSON object with --log-format json, the announcement too")
    func json() throws {
        let path = try file(serving)
        let result = try Child.run(
            [
                "run", path, "--listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "debug", "--duration",
                "1s",
            ])
        #expect(result.code == 0 && result.output == "")
        let entries = try result.error.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(entries.allSatisfy { $0?["time"] != nil && $0?["level"] != nil && $0?["message"] != nil })
        func text(_ entry: [String: Any]?, _ key: String) -> String { entry?[key] as? String ?? "" }
        #expect(entries.contains { text($0, "message") == "serving" && text($0, "url").hasSuffix("/p") })
        #expect(entries.contains { text($0, "open").contains("--listen 0.0.0.0:") })
    }

    @Test("what is made of a file is named by the file's time: the container's, else the file system's")
    func fileTimes() throws {
        let first = try file(
            """
            sources: {p: {type: test_pattern, count: 5, speed: max, width: 64, height: 48}}
            sinks: {out: {type: file, input: p, path: "\(folder.url.path)/a.mjpeg"}}
            """)
        #expect(try Child.run(["run", first]).code == 0)
        // 2001-02-03 04:05:06 UTC
        let time = Date(timeIntervalSince1970: 981_173_106)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: "\(folder.url.path)/a.mjpeg")
        // The second of each pair has a container of its own, which says when it was recorded.
        for (source, name) in [("a.mjpeg", "b-%s.mkv"), ("b-981173106.mkv", "c-%s.mp4")] {
            let path = try file(
                """
                sources: {f: {type: file, path: "\(folder.url.path)/\(source)"}}
                sinks: {out: {type: file, input: f, path: "\(folder.url.path)/\(name)"}}
                """)
            let result = try Child.run(["run", path])
            #expect(result.code == 0, "\(result.error)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(files.contains("b-981173106.mkv") && files.contains("c-981173106.mp4"), "\(files)")
    }

    @Test(
        "a file that gives no picture is named, and the run fails with 1", arguments: ["x.jpg", "x.mjpeg"], [0, 2000])
    func noPicture(_ name: String, _ count: Int) throws {
        let path = "\(folder.url.path)/\(name)"
        try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 256) }).write(to: URL(filePath: path))
        let pipeline = try file(
            """
            sources: {f: {type: file, path: "\(path)"}}
            sinks: {out: {type: file, input: f, path: "\(folder.url.path)/out-%s.jpg"}}
            """)
        let result = try Child.run(["run", pipeline])
        #expect(result.code == 1)
        #expect(result.error.contains("there is no picture in \(path)"), "\(result.error)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!files.contains { $0.hasPrefix("out-") })
    }

    @Test("--set, --duration and --listen do as they say")
    func flags() throws {
        let result = try Child.run([
            "run", try file(serving), "--listen=127.0.0.1:0", "--set", "sinks.web.path=/other", "--duration", "500ms",
        ])
        #expect(result.code == 0)
        #expect(result.error.contains("/other\n"), "\(result.error)")
    }

    @Test("a faulty file prints its diagnostics and leaves with 78, and nothing was started")
    func faulty() throws {
        let path = try file(
            "sources: {p: {type: test_pattern, fsp: 5}}\nsinks: {web: {type: http, input: p, path: /p}}\n")
        let result = try Child.run(["run", path, "--listen", "127.0.0.1:0"])
        #expect(result.code == 78 && result.output == "")
        #expect(result.error.contains("pipeline.yaml:2:") && result.error.contains("did you mean \"fps\"?"))
        #expect(!result.error.contains("http://"))
    }

    @Test("SIGINT, SIGTERM and SIGHUP stop it in order, with 0", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let child = try Child(["run", try file(serving), "--listen", "127.0.0.1:0"])
        _ = try child.port()
        child.signal(number)
        #expect(child.wait() == 0, "\(child.error)")
        #expect(child.error.contains("stopping"))
    }

    @Test("a sink that does not finish holds the end up; a second signal ends it at once, and names it")
    func second() throws {
        // The log sink's own thread stands still in its first write.
        let stuck = try StuckChild([
            "run",
            try file(
                """
                sources: {p: {type: test_pattern, width: 64, height: 48, fps: 50}}
                sinks: {out: {type: log, input: p}}
                """),
        ])
        let child = stuck.child
        #expect(child.wait { $0.error.contains("running") }, "\(child.error)")
        child.signal(SIGTERM)
        #expect(child.wait { $0.error.contains("stopping") }, "\(child.error)")
        child.signal(SIGTERM)
        #expect(child.wait(8) == 1, "\(child.error)")
        #expect(child.error.contains("did not finish in time") && child.error.contains("node=out"), "\(child.error)")
    }

    @Test("a port in use is one clear line, and 1")
    func portInUse() throws {
        let first = try Child(["run", try file(serving), "--listen", "127.0.0.1:0"])
        let port = try first.port()
        let result = try Child.run(["run", try file(serving), "--listen", "127.0.0.1:\(port)"])
        #expect(result.code == 1 && result.output == "")
        #expect(result.error.contains("port \(port) is in use"), "\(result.error)")
        first.signal(SIGTERM)
        #expect(first.wait() == 0)
    }

    @Test("an address that others reach is refused, and the line of the announcement is accepted")
    func opening() throws {
        let path = try file(serving)
        let refused = try Child.run(["run", path, "--listen", "0.0.0.0:0"])
        #expect(refused.code == 78)
        #expect(refused.error.hasPrefix("--listen: error: 0.0.0.0 can be reached by others"), "\(refused.error)")
        #expect(refused.error.contains("run --lan") && refused.error.contains("--set server.auth=none"))
        let child = try Child(["run", path, "--listen", "127.0.0.1:0"])
        let port = try child.port()
        child.signal(SIGTERM)
        #expect(child.wait() == 0)
        let line = try #require(child.error.split(separator: "\n").first { $0.contains(" --lan") })
        // The line as a shell takes it.
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [
            "-c",
            "XDG_STATE_HOME=\(folder.url.path()) \(line) --set sources.p.count=3 >/dev/null 2>\(folder.url.path())/said",
        ]
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let said = try String(contentsOf: folder.url.appending(path: "said"), encoding: .utf8)
        #expect(said.contains("https://127.0.0.1:\(port)/p"), "\(said)")
        #expect(!said.contains("Only this machine"))
    }

    @Test("a camera that was never there fails the run: 1, by its name, with the cause")
    func neverThere() throws {
        let path = try file(
            """
            sources: {t: {type: camera, url: "http://127.0.0.1:1/x"}}
            sinks: {f: {type: file, input: t, path: "\(folder.url.path)/%s.mkv"}}
            """)
        let result = try Child.run(["run", path, "--duration", "1s"])
        #expect(result.code == 1)
        #expect(result.error.contains("the run failed node=t") && result.error.contains("refused"), "\(result.error)")
    }

    @Test("--lan does not overrule an address of --listen: 2, with what to write")
    func lanAndListen() throws {
        let path = try file(serving)
        let result = try Child.run(["run", path, "--listen", "127.0.0.1:18110", "--lan"])
        #expect(result.code == 2)
        #expect(result.error.contains("write --listen 0.0.0.0:18110 --lan"), "\(result.error)")
        // Where nothing can be kept, that is said as the system says it.
        let homeless = try Child.run(
            ["run", path, "--lan"], environment: ["HOME": "/proc/x", "XDG_STATE_HOME": ""])
        #expect(homeless.code == 1)
        #expect(
            homeless.error.hasPrefix("campipe: cannot make the folder /proc/x") && !homeless.error.contains("Domain"),
            "\(homeless.error)")
    }

    @Test("SIGUSR1 and SIGUSR2 end nothing")
    func userSignals() throws {
        let child = try Child(["run", try file(serving), "--listen", "127.0.0.1:0"])
        _ = try child.port()
        child.signal(SIGUSR1)
        child.signal(SIGUSR2)
        child.signal(SIGTERM)
        #expect(child.wait() == 0, "\(child.error)")
        #expect(child.error.contains("stopping"))
    }

    @Test("a run that has nothing to do says so: nothing is left that works, or the only thing to do needs a terminal")
    func nothingToDo() throws {
        let off = try Child.run([
            "run",
            try file(
                """
                sources: {p: {type: test_pattern, enabled: false}}
                sinks: {out: {type: discard, input: p}}
                """),
        ])
        #expect(off.code == 0 && off.error.contains("ended, since no node is left that works"), "\(off.error)")
        let dark = try Child.run([
            "run",
            try file(
                """
                sources: {p: {type: test_pattern, width: 64, height: 48, count: 3}}
                sinks: {t: {type: terminal, input: p}}
                """),
        ])
        #expect(dark.error.components(separatedBy: "this runs for nothing").count == 2, "\(dark.error)")
    }

    @Test("a source that fails for good fails the pipeline: 1, by its name")
    func failing() throws {
        let result = try Child.run([
            "run",
            try file(
                """
                sources: {f: {type: file, path: "\(folder.url.path())none.mp4"}}
                sinks: {out: {type: discard, input: f}}
                """),
        ])
        #expect(result.code == 1 && result.output == "")
        #expect(result.error.contains("node=f") && result.error.contains("none.mp4"), "\(result.error)")
    }

    @Test("a planted secret is nowhere in what it says, however much it says")
    func secrets() throws {
        let result = try Child.run([
            "run",
            try file(
                """
                sources: {c: {type: camera, url: "http://me:hunter22@127.0.0.1:9/video?pwd=hunter33", password: hunter44}}
                sinks: {out: {type: discard, input: c}}
                """), "--log-level", "trace", "--duration", "2s",
        ])
        #expect(result.code == 0 || result.code == 1)
        for secret in ["hunter22", "hunter33", "hunter44"] {
            #expect(!result.error.contains(secret), "\(result.error)")
        }
        #expect(result.error.contains("node=c"))
    }

    @Test("the server tells whether pictures come")
    func health() throws {
        let child = try Child(["run", try file(serving), "--listen", "127.0.0.1:0"])
        let port = try child.port()
        let isReady = child.wait { _ in
            guard let connection = TestConnection(port, "/readyz"),
                let answer = connection.read(until: "\r\n\r\n")
            else { return false }
            return String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200")
        }
        #expect(isReady)
        let stream = try #require(TestConnection(port, "/p/stream"))
        #expect(stream.read(until: "image/jpeg", times: 3) != nil)
        child.signal(SIGINT)
        #expect(child.wait() == 0)
    }

    @Test("on one terminal the lines of log and the status line leave one another whole")
    func oneTerminal() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file(
            "a.yaml",
            """
            version: 1
            sources: {cam: {type: test_pattern, speed: realtime, fps: 200, width: 16, height: 16}}
            sinks: {out: {type: log, input: cam}}
            """)
        let terminal = try #require(Terminal())
        let child = try Child(
            ["run", file, "--duration", "4s"], environment: ["TERM": "xterm"], output: terminal.handle,
            error: terminal.handle)
        try terminal.handle.close()
        let text = terminal.read()
        #expect(child.wait() == 0)
        #expect(text.contains("cam running"), "no status line")
        let lines = Terminal.screen(text)
        #expect(lines.count > 400)
        for line in lines where line != "" {
            let isItem = line.wholeMatch(of: /\d{4}-\d\d-\d\dT[0-9:.]+Z \S.*16x16[^|]*/) != nil
            let isLog = line.wholeMatch(of: /\d\d:\d\d:\d\d\.\d{3} [a-z]+ [^|]*/) != nil
            #expect(isItem || isLog, "\(line)")
            #expect(line.matches(of: /16x16/).count <= 1 && !line.contains("/s"), "\(line)")
        }
    }

    @Test("where pictures fill the terminal, q ends the run and puts the terminal back")
    func quits() throws {
        let file = try file(
            """
            sources: {cam: {type: test_pattern, speed: realtime, fps: 20, width: 16, height: 16}}
            sinks: {screen: {type: terminal, input: cam}, all: {type: discard, input: cam}}
            """)
        let terminal = try PseudoTerminal()
        let handle = FileHandle(fileDescriptor: terminal.slave, closeOnDealloc: false)
        let child = try Child(
            ["run", file], environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TMUX": ""], input: handle,
            output: handle)
        var shown = ""
        func takes() -> Bool {
            shown += terminal.shown()
            return shown.contains("\u{1B}[?2026l")
        }
        #expect(child.wait { _ in takes() }, "\(child.error)")
        #expect(!terminal.echoes)
        terminal.type("x")
        terminal.type("q")
        _ = child.wait(30) { _ in
            _ = takes()
            return false
        }
        #expect(child.wait(1) == 0, "\(child.error)")
        _ = takes()
        #expect(shown.contains("\u{1B}[?1049l"))
        #expect(terminal.echoes)
    }

    @Test("the lines of log wait under a picture, and come whole and in order behind it")
    func underPicture() throws {
        let file = try file(
            """
            sources: {cam: {type: test_pattern, speed: realtime, fps: 20, width: 16, height: 16}}
            sinks: {out: {type: log, input: cam}, screen: {type: terminal, input: cam}}
            """)
        let terminal = try #require(Terminal())
        let child = try Child(
            ["run", file, "--duration", "3s"], environment: ["TERM": "xterm"], output: terminal.handle,
            error: terminal.handle)
        try terminal.handle.close()
        let text = terminal.read()
        #expect(child.wait() == 0)
        let begin = try #require(text.range(of: "\u{1B}[?1049h"))
        let end = try #require(text.range(of: "\u{1B}[?1049l", range: begin.upperBound..<text.endIndex))
        #expect(!text[begin.upperBound..<end.lowerBound].contains("Z frame cam"))
        #expect(text[begin.upperBound..<end.lowerBound].contains("\u{1B}[?2026l"))
        let lines = text[end.upperBound...].split(whereSeparator: \.isNewline).filter { $0.contains("Z frame cam") }
        #expect(lines.count > 20)
        #expect(lines.allSatisfy { $0.wholeMatch(of: /.*\d{4}-\d\d-\d\dT[0-9:.]+Z frame cam .* pts=[0-9.]+/) != nil })
    }
}
