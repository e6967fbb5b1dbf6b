import CampipeKit
import CampipeRuntime
import Foundation
import Testing

@testable import CampipeApp

/// The Python that programs of tests are run by.
enum Python {
    static let path = "/usr/bin/python3"
    static let isThere = FileManager.default.isExecutableFile(atPath: path)
}

/// Programs as nodes of a pipeline that runs, in Python with the module that comes with campipe.
@Suite("Nodes of type exec, at work", .serialized, .enabled(if: Python.isThere, "there is no /usr/bin/python3"))
struct ExecRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A pipeline of a live pattern, a program, and a log of both: `p` is the pattern's, `x` the program's.
    private func pipeline(_ body: String, _ more: String = "") throws -> RunningPipeline {
        let module = sourceTree.appending(path: "Plugins/Python").path(percentEncoded: false)
        let script = try folder.file(
            "node.py", "import sys, os, time\nsys.path.insert(0, \"\(module)\")\nimport campipe\n" + body)
        return try RunningPipeline(
            try folder.file(
                "pipeline.yaml",
                """
                version: 1
                sources: {p: {type: test_pattern, width: 64, height: 48, fps: 20}}
                transforms: {x: {type: exec, input: p, command: [\(Python.path)], script: "\(script)"\(more)}}
                sinks:
                  plain: {type: log, input: p}
                  made: {type: log, input: x}
                """))
    }

    /// Waits until a node's log has so many lines more.
    private func more(_ count: Int, _ running: RunningPipeline, of size: String) -> Bool {
        func lines() -> Int { running.lines.withLock { $0.filter { $0.contains(size) }.count } }
        let before = lines()
        return RunningPipeline.wait { lines() >= before + count }
    }

    private func state(_ running: RunningPipeline) -> SourceStatus? {
        running.pipeline.snapshot.nodes.first { $0.id == "x" }?.state
    }

    @Test(
        "one that crashes, hangs or babbles is tried again, and the branch beside it goes on",
        arguments: [
            "os.kill(os.getpid(), 9)", "time.sleep(1000)", "os.write(3, b'what is this') or os._exit(0)",
            "campipe.sys.exit(3)",
        ])
    func hostile(_ body: String) throws {
        let running = try pipeline(
            """
            class Bad(campipe.Transform):
                def process(self, frame):
                    \(body)
            campipe.run(Bad())
            """, ", answer_limit: 300ms")
        #expect(more(10, running, of: "64x48"))
        #expect(RunningPipeline.wait { (state(running)?.retries ?? 0) >= 2 }, "\(String(describing: state(running)))")
        #expect(state(running)?.reason?.contains("the program") == true, "\(String(describing: state(running)))")
        #expect(more(10, running, of: "64x48"))
        let outcome = running.end()
        #expect(outcome?.failures.map(\.node).contains("x") == true, "\(String(describing: outcome))")
    }

    @Test("one that is killed comes back, and gives pictures again")
    func comesBack() throws {
        let pids = folder.url.appending(path: "pids").path(percentEncoded: false)
        let running = try pipeline(
            """
            open("\(pids)", "a").write(f"{os.getpid()}\\n")
            class Half(campipe.Transform):
                def process(self, frame):
                    half = frame.format.replaced(width=frame.width // 2)
                    return campipe.Frame(bytes(len(frame.data) // 2), half, frame.pts, frame.captured)
            campipe.run(Half())
            """)
        #expect(more(5, running, of: "32x48"))
        func started() -> [Int32] {
            ((try? String(contentsOfFile: pids, encoding: .utf8)) ?? "").split(separator: "\n").compactMap { Int32($0) }
        }
        let first = try #require(started().first)
        kill(first, SIGKILL)
        #expect(RunningPipeline.wait { started().count >= 2 })
        #expect(more(5, running, of: "32x48"))
        _ = running.end()
        for pid in started() { #expect(RunningPipeline.wait { kill(pid, 0) == -1 }, "\(pid) is left") }
    }

    @Test("one that ends while its format begins is tried again as well")
    func endsAtFormat() throws {
        let flag = folder.url.appending(path: "flag").path(percentEncoded: false)
        let running = try pipeline(
            """
            class Half(campipe.Transform):
                def begin(self, format):
                    if not os.path.exists("\(flag)"):
                        open("\(flag)", "w").close()
                        os._exit(4)
                def process(self, frame):
                    return campipe.Frame(bytes(len(frame.data) // 2), frame.format.replaced(width=32), frame.pts)
            campipe.run(Half())
            """)
        #expect(more(5, running, of: "32x48"))
        #expect(running.pipeline.snapshot.nodes.first { $0.id == "x" }?.restarts == 1)
        _ = running.end()
    }

    @Test("an exception at one item drops it, and the program goes on where the file says skip")
    func skips() throws {
        let running = try pipeline(
            """
            class Half(campipe.Transform):
                count = 0
                def process(self, frame):
                    self.count += 1
                    if self.count % 2: raise ValueError("odd")
                    return campipe.Frame(bytes(len(frame.data) // 2), frame.format.replaced(width=32), frame.pts)
            campipe.run(Half())
            """, ", on_error: skip")
        #expect(more(5, running, of: "32x48"))
        #expect(state(running)?.retries == 0)
        _ = running.end()
    }

    @Test("the examples in Plugins/ are fine, run, and stop in order")
    func examples() throws {
        let path = sourceTree.appending(path: "Plugins/Invert/invert.yaml").path(percentEncoded: false)
        let child = try Child(["run", path, "--duration", "5s", "--listen", "127.0.0.1:0"])
        #expect(child.wait(60) == 0, "\(child.error)")
        #expect(!child.error.contains("error"), "\(child.error)")
    }

    @Test(
        "a source that says that it rests is not taken for lost, and one that is just silent is",
        arguments: [true, false])
    func rests(_ says: Bool) throws {
        let module = sourceTree.appending(path: "Plugins/Python").path(percentEncoded: false)
        let script = try folder.file(
            "slow.py",
            """
            import sys, time
            sys.path.insert(0, "\(module)")
            import campipe
            class Slow(campipe.Source):
                number = 0
                def next(self):
                    if self.number:
                        \(says ? "self.rest(3)" : "pass")
                        time.sleep(3)
                    self.number += 1
                    return campipe.Event("thing", id=str(self.number))
            campipe.run(Slow())
            """)
        let running = try RunningPipeline(
            try folder.file(
                "slow.yaml",
                """
                version: 1
                sources: {x: {type: exec, command: [\(Python.path)], script: "\(script)", gives: events, stall_after: 1s}}
                sinks: {said: {type: log, input: x}}
                """))
        func lines(_ id: Int) -> Int { running.lines.withLock { $0.filter { $0.contains("id=\(id)") }.count } }
        if says {
            #expect(RunningPipeline.wait { lines(3) > 0 })
            #expect(lines(1) == 1)
        } else {
            #expect(RunningPipeline.wait { lines(1) > 1 })
        }
        _ = running.end()
    }
}
