import CampipeKit
import Foundation
import Glibc
import Testing

@testable import CampipeApp
@testable import CampipePlugins

/// The program as its user meets it, with plugins that are made here. Each compiler takes a second or two, so there are
/// few, one after another.
@Suite("Plugins, by the program", .serialized)
struct PluginProgramTests {
    private let folder: TemporaryFolder
    private let environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        environment = [
            "XDG_DATA_HOME": folder.url.appending(path: "data").path(percentEncoded: false),
            "XDG_CACHE_HOME": folder.url.appending(path: "cache").path(percentEncoded: false),
        ]
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path(percentEncoded: false) }

    private func run(_ words: [String], _ seconds: Int = 240) throws -> (code: Int32?, output: String, error: String) {
        try Child.run(words, environment: environment, seconds)
    }

    /// A plugin in C that has a handshake and what `source` says.
    private func object(_ name: String, sdk: String? = nil, types: [PluginHandshake.NodeType], _ source: String) throws
    {
        let program = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "campipe")
        let host = try HostIdentity(program: program.path(percentEncoded: false))
        let handshake = PluginHandshake(compiler: host.compiler, sdk: sdk ?? host.sdk, types: types)
        let file = try folder.file("\(name).c", handshake.source + source)
        let words = [
            "-c", "exec $(command -v clang || echo cc) -shared -fPIC -w -o \"$1\" \"$2\"", "sh", path(name), file,
        ]
        let result = try ChildProgram(
            "/bin/sh", words, environment: ProcessInfo.processInfo.environment, deadline: .seconds(120)
        ).run()
        #expect(result.ending == .exited(0), "\(result.errorText)")
    }

    private let crash = """
        void *campipe_plugin_contents(void) { return 0; }
        __attribute__((constructor)) static void start(void) { __builtin_trap(); }
        """

    @Test("from nothing to a node that runs: new, test, build, check, install, list", arguments: PluginKind.allCases)
    func whole(kind: PluginKind) throws {
        let project = path("my-\(kind.rawValue)")
        let name = "my_\(kind.rawValue)"
        #expect(try run(["plugin", "new", project, "--kind", kind.rawValue]).code == 0)
        let tests = try run(["plugin", "test", project])
        #expect(tests.code == 0 && tests.output.contains("Test run with 1 test"), "\(tests)")
        let built = try run(["plugin", "build", project])
        let module = PluginNames.camel("my-\(kind.rawValue)")
        #expect(
            built.output.hasPrefix(
                "\(project)/build/\(module).so: \(kind == .join ? "transform" : kind.rawValue) \(name) (built in "),
            "\(built)")
        #expect(try run(["validate", "\(project)/pipeline.yaml"]).code == 0)
        let ran = try run(
            ["run", "\(project)/pipeline.yaml", "--duration", "2s", "--listen", "127.0.0.1:0"])
        #expect(ran.code == 0, "\(ran.error)")
        guard kind == .transform else { return }
        try isolated(name)
        let checked = try run(["plugin", "check", project, "--json"])
        let report = try JSONSerialization.jsonObject(with: Data(checked.output.utf8)) as? [String: Any]
        #expect(checked.code == 0 && report?["ok"] as? Bool == true, "\(checked)")
        try telling(project, name)
        try installed(project, name)
    }

    /// Options show up everywhere as those of built-in nodes do.
    private func telling(_ project: String, _ name: String) throws {
        let given = ["--plugin-path", "\(project)/build"]
        #expect(try run(["list"] + given).output.contains("  \(name) "))
        #expect(try !run(["list"]).output.contains(name))
        #expect(try run(["inspect", name] + given).output.contains("amount  a whole number, 0…100, default 50"))
        #expect(try run(["schema"] + given).output.contains("By how much, in percent."))
        let file = try folder.file(
            "misspelt.yaml",
            """
            version: 1
            plugins: [my-transform/build/MyTransform.so]
            sources: {porch: {type: camera, url: "demo://porch"}}
            transforms: {dark: {type: \(name), input: porch, amont: 3}}
            sinks: {out: {type: discard, input: dark}}
            """)
        let wrong = try run(["validate", file])
        #expect(wrong.code == 78 && wrong.error.contains("did you mean \"amount\"?"), "\(wrong.error)")
    }

    /// Where it is in a process of its own, it does the same there.
    private func isolated(_ name: String) throws {
        func lines(_ isolation: String) throws -> String {
            let file = try folder.file(
                "isolated.yaml",
                """
                version: 1
                plugins: [my-transform/build/MyTransform.so]
                sources: {p: {type: test_pattern, width: 64, height: 48, fps: 10, count: 20, speed: max}}
                transforms: {dark: {type: \(name), input: p, isolation: \(isolation)}}
                sinks: {out: {type: log, input: dark, format: json}}
                """)
            let ran = try run(["run", file])
            #expect(ran.code == 0, "\(ran.error)")
            return ran.output
        }
        let plain = try lines("none")
        #expect(try lines("process") == plain)
        #expect(!plain.isEmpty)
    }

    private func installed(_ project: String, _ name: String) throws {
        let file = try folder.file(
            "installed.yaml",
            """
            version: 1
            sources: {porch: {type: camera, url: "demo://porch"}}
            transforms: {dark: {type: \(name), input: porch}}
            sinks: {out: {type: discard, input: dark}}
            """)
        #expect(try run(["validate", file]).code == 78)
        #expect(try run(["plugin", "install", project]).code == 0)
        let listed = try run(["plugin", "list"])
        #expect(listed.output == "\(path("data"))/campipe/plugins/MyTransform.so: transform \(name)\n")
        #expect(try run(["validate", file]).code == 0)
        chmod("\(path("data"))/campipe/plugins", 0o777)
        let refused = try run(["validate", file])
        #expect(refused.code == 78, "a folder that anyone may write")
    }

    @Test(
        "one that gives wrong times, pictures of another size and errors costs nobody else anything, and check names it"
    )
    func hostile() throws {
        _ = try folder.file(
            "Hostile.swift",
            """
            import CampipeKit

            struct Backwards: Transform {
                static let name = "backwards"
                static let summary = "Gives times that go back, and pictures of another size than it said."
                static let accepts: [Format] = [.frames(.gray8)]
                private var number = 0

                mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
                    number += 1
                    if number % 3 == 0 { throw CampipeError(.badData, "no") }
                    let picture = try FramePool.shared.picture(.gray8, Size(4096, 64 * (number % 5 + 1)))
                    let back = Duration.seconds(1000 - number)
                    output.emit(Frame(picture, captured: .zero + back, pts: MediaTime(back)))
                }
            }
            """)
        let project = folder.url.path(percentEncoded: false)
        let built = try run(["plugin", "build", project])
        let library = try #require(built.output.split(separator: ":").first.map(String.init), "\(built)")
        let checked = try run(["plugin", "check", library])
        #expect(checked.code == 1 && checked.output.contains("FAILED   MUST 5"), "\(checked)")
        let file = try folder.file(
            "a.yaml",
            """
            version: 1
            plugins: [\(library)]
            server: {listen: "127.0.0.1:0"}
            sources: {porch: {type: camera, url: "demo://porch"}}
            transforms: {odd: {type: backwards, input: porch, on_error: skip}}
            sinks:
              odd_web: {type: http, input: odd, path: /odd}
              web: {type: http, input: porch, path: /web}
            """)
        let child = try Child(["run", file], environment: environment)
        let port = try child.port()
        func shows(_ path: String) -> Bool {
            child.wait { _ in
                (try? curl(["-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)\(path)/snapshot"]))
                    == "200"
            }
        }
        #expect(shows("/web"))
        _ = try curl(["-o", "/dev/null", "--max-time", "3", "http://127.0.0.1:\(port)/odd/stream"])
        #expect(shows("/web"))
        child.signal(SIGTERM)
        #expect(child.wait(60) != nil, "\(child.error)")
    }

    @Test("one that wants a picture that is too large fails by an error, and one that hangs is named at the end")
    func greedy() throws {
        _ = try folder.file(
            "Greedy.swift",
            """
            import CampipeKit
            import Glibc

            struct Huge: Transform {
                static let name = "huge"
                static let summary = "Wants a picture that nobody can have."
                static let accepts: [Format] = [.frames(.gray8)]
                private var pool = FramePool.shared
                mutating func open(_ context: borrowing Context) throws { pool = context.pool }
                mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
                    output.emit(frame.replacing(try pool.picture(.gray8, Size(100_000, 100_000))))
                }
            }

            struct Hangs: Transform {
                static let name = "hangs"
                static let summary = "Comes back never."
                static let accepts: [Format] = [.frames(.gray8)]
                mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
                    while true { sleep(1000) }
                }
            }
            """)
        let built = try run(["plugin", "build", folder.url.path(percentEncoded: false)])
        let library = try #require(built.output.split(separator: ":").first.map(String.init), "\(built)")
        let file = try folder.file(
            "greedy.yaml",
            """
            version: 1
            plugins: [\(library)]
            sources: {p: {type: test_pattern, width: 64, height: 48, fps: 20}}
            transforms:
              big: {type: huge, input: p}
              stuck: {type: hangs, input: p}
              apart: {type: hangs, input: p, isolation: process}
            sinks:
              apart_out: {type: discard, input: apart}
              big_out: {type: discard, input: big}
              stuck_out: {type: discard, input: stuck}
              beside: {type: log, input: p}
            """)
        let child = try Child(["run", file], environment: environment)
        func beside() -> Int { child.output.components(separatedBy: " p yuv420 64x48").count - 1 }
        #expect(child.wait { $0.error.contains("there is no picture of 100000x100000 pixels") }, "\(child.error)")
        let before = beside()
        #expect(child.wait { _ in beside() > before + 20 }, "\(child.error)")
        // In a process of its own it is ended, and no option is named that it does not have.
        #expect(child.wait { $0.error.contains("the program did not answer within 10s") }, "\(child.error)")
        #expect(!child.error.contains("answer_limit"), "\(child.error)")
        child.signal(SIGTERM)
        #expect(child.wait(90) == 1, "\(child.error)")
        #expect(
            child.error.contains(/did not finish[^\n]*stuck/) || child.error.contains(/stuck[^\n]*did not finish/),
            "\(child.error)")
    }

    @Test("from nothing to a program in Python that runs: new, test, validate, run", arguments: PluginKind.allCases)
    func python(kind: PluginKind) throws {
        let project = path("my-\(kind.rawValue)")
        let made = try run(["plugin", "new", project, "--kind", kind.rawValue, "--language", "python"])
        guard kind != .join else {
            #expect(made.code == 2 && made.error.contains("a program in Python has one input"), "\(made)")
            return
        }
        #expect(made.code == 0 && made.output.hasPrefix("\(project): a \(kind.rawValue) in Python"), "\(made)")
        let tests = try run(["plugin", "test", project])
        #expect(tests.code == 0 && tests.output.contains("Ran 1 test in "), "\(tests)")
        #expect(try run(["validate", "\(project)/pipeline.yaml"]).code == 0)
        let ran = try run(["run", "\(project)/pipeline.yaml", "--duration", "3s", "--listen", "127.0.0.1:0"])
        #expect(ran.code == 0 && !ran.error.contains("error"), "\(ran.error)")
        if kind == .sink { #expect(ran.error.contains("line=\"it is light\""), "\(ran.error)") }
        let built = try run(["plugin", "build", project])
        #expect(built.code == 1 && built.error.contains("is a program in Python, and nothing of it is built"))
        // A test that fails is told.
        let broken = try String(contentsOfFile: "\(project)/test_node.py", encoding: .utf8)
            .replacing("assertEqual", with: "assertNotEqual")
        try Data(broken.utf8).write(to: URL(filePath: "\(project)/test_node.py"))
        #expect(try run(["plugin", "test", project]).code == 1)
    }

    @Test("what the compiler says of the author's code is shown as it says it, and nothing is left of the old one")
    func compilerErrors() throws {
        let file = try folder.file(
            "Wrong.swift", "import CampipeKit\n\nstruct Wrong: Transform {\n    let x: Int = \"a\"\n}\n")
        let result = try run(["plugin", "build", folder.url.path(percentEncoded: false)])
        #expect(result.code == 1)
        #expect(result.error.contains("Wrong.swift:4:18: error: "), "\(file) \(result.error)")
    }

    @Test("a plugin that crashes takes no list down: it is named, and the rest is listed")
    func crashing() throws {
        try object("crash.so", types: [.init(.sink, "notify")], crash)
        let result = try run(["list", "--plugin-path", path("crash.so")])
        #expect(result.code == 0 && result.output.contains("  motion "))
        #expect(
            result.error.hasPrefix("campipe: \(path("crash.so")) crashed while it was looked at (signal "),
            "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test("the nodes of a refused plugin fail with its sentence, and the rest of the graph runs")
    func refused() throws {
        try object("old.so", sdk: String(repeating: "0", count: 64), types: [.init(.transform, "night")], crash)
        let file = try folder.file(
            "home.yaml",
            """
            version: 1
            plugins: [old.so]
            server: {listen: "127.0.0.1:0"}
            sources: {porch: {type: camera, url: "demo://porch"}}
            transforms:
              dark: {type: night, input: porch, amount: 3}
              small: {type: scale, input: dark, width: 160}
            sinks:
              web: {type: http, input: porch, path: /web}
              dark_web: {type: http, input: small, path: /dark}
            """)
        let sentence = "\(path("old.so")) was built for another campipe: for the SDK 000000000000, and this one has "
        let checked = try run(["validate", file])
        #expect(checked.code == 0, "\(checked.error)")
        #expect(checked.error.contains(":2:11: warning: \(sentence)"), "\(checked.error)")
        #expect(
            checked.error.contains("warning: dark fails, since night cannot be had: its plugin is refused [CAM0079]"))
        #expect(checked.error.contains("small is off: its input dark is not there"))
        #expect(checked.error.contains("dark_web is off: its input small is off, since dark is not there"))
        let graph = try run(["graph", file])
        #expect(graph.code == 0 && graph.output.contains("failed: its plugin is refused"), "\(graph.output)")

        let child = try Child(["run", file, "--duration", "30s"], environment: environment)
        let port = try child.port()
        #expect(try curl(["http://127.0.0.1:\(port)/readyz"]).hasPrefix("failing"))
        let state = try curl(["http://127.0.0.1:\(port)/state"])
        #expect(state.contains("\"dark\":{\"reason\":\"\(path("old.so")) was built for another campipe"), "\(state)")
        #expect(state.contains("\"state\":\"failed\""))
        let snapshot = ["-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)/web/snapshot"]
        #expect(child.wait { _ in (try? curl(snapshot)) == "200" })
        child.signal(SIGTERM)
        #expect(child.wait(60) == 1)
        #expect(child.error.contains("error failed node=dark cause=\"\(sentence)"), "\(child.error)")
    }

    @Test("required: true refuses the file instead, and so does a type that nobody could have")
    func required() throws {
        try object("old.so", sdk: String(repeating: "0", count: 64), types: [.init(.transform, "night")], crash)
        func result(_ plugins: String, _ type: String) throws -> (code: Int32?, output: String, error: String) {
            let file = try folder.file(
                "a.yaml",
                """
                version: 1
                plugins: \(plugins)
                sources: {porch: {type: camera, url: "demo://porch"}}
                transforms: {dark: {type: \(type), input: porch}}
                sinks: {out: {type: discard, input: porch}, more: {type: discard, input: dark}}
                """)
            return try run(["validate", file])
        }
        let needed = try result("[{path: old.so, required: true}]", "night")
        #expect(needed.code == 78 && needed.error.contains("error: \(path("old.so")) was built for another"))
        #expect(try result("[old.so]", "night").code == 0)
        let typo = try result("[old.so]", "nigt")
        #expect(typo.code == 78 && typo.error.contains("there is no transform type \"nigt\""))
        let missing = try result("[none.so]", "night")
        #expect(missing.code == 0 && missing.error.contains("none.so cannot be read: no such file"))
        #expect(try result("[none.so]", "scal").code == 78)
        #expect(try result("{a: b}", "night").error.contains("expected a list of plugins"))
    }

    @Test("a type that is built in cannot be taken by a plugin, and no plugin comes from the working folder unasked")
    func taken() throws {
        let project = path("Scale")
        #expect(try run(["plugin", "new", project]).code == 0)
        #expect(try run(["plugin", "build", project]).code == 0)
        let result = try run(["list", "--plugin-path", "\(project)/build/Scale.so"])
        #expect(
            result.error.contains(
                "brings scale under transforms, which campipe itself has already; give it another name"),
            "\(result.error)")
        let inside = try ChildProgram(
            PluginChild.program(besideTests: Bundle.module), ["plugin", "list"],
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, folder: "\(project)/build",
            deadline: .seconds(120)
        ).run()
        #expect(inside.outputText.hasPrefix("no plugin in "), "\(inside.outputText)")
    }
}

extension PluginChild {
    /// The built program.
    fileprivate static func program(besideTests bundle: Bundle) -> String {
        bundle.bundleURL.deletingLastPathComponent().appending(path: "campipe").path(percentEncoded: false)
    }
}
