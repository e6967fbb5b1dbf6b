import Foundation
import Testing

@testable import CampipeApp

/// Transforms in a process of their own, with the program as it is built.
@Suite("isolation: process", .serialized)
struct IsolationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What `log` writes of a pattern that goes through a node.
    private func lines(_ node: String, port: String, isolation: String) throws -> [Substring] {
        let file = try folder.file(
            "\(isolation).yaml",
            """
            version: 1
            sources: {p: {type: test_pattern, width: 320, height: 240, fps: 10, count: 40, speed: max}}
            transforms: {x: {\(node), input: p, isolation: \(isolation)}}
            sinks: {said: {type: log, input: \(port), format: json}}
            """)
        let result = try Child.run(["run", file])
        #expect(result.code == 0, "\(result.error)")
        return result.output.split(separator: "\n")
    }

    @Test(
        "a node gives in a child what it gives without",
        arguments: [
            ("type: scale, width: 160", "x"), ("type: rotate, rotate: 90", "x"), ("type: identity", "x"),
            ("type: sample, every: 500ms", "x"), ("type: motion, sensitivity: high", "x.events"),
            ("type: encode, quality: 70", "x"),
        ])
    func same(_ node: String, _ port: String) throws {
        let plain = try lines(node, port: port, isolation: "none")
        let isolated = try lines(node, port: port, isolation: "process")
        #expect(plain == isolated)
        #expect(!plain.isEmpty || node.contains("motion"))
    }

    @Test("its child is killed and comes back, and the branch beside it goes on")
    func killed() throws {
        let file = try folder.file(
            "killed.yaml",
            """
            version: 1
            sources: {p: {type: test_pattern, width: 64, height: 48, fps: 20}}
            transforms: {x: {type: scale, input: p, width: 32, isolation: process}}
            sinks:
              plain: {type: log, input: p}
              made: {type: log, input: x}
            """)
        let child = try Child(["run", file])
        func count(_ size: String) -> Int { child.output.components(separatedBy: size).count - 1 }
        #expect(RunningPipeline.wait { count("32x24") > 5 }, "\(child.error)")
        let first = try #require(Self.children().first)
        kill(first, SIGKILL)
        #expect(RunningPipeline.wait { Self.children().contains { $0 != first } })
        let (before, beside) = (count("32x24"), count("64x48"))
        #expect(RunningPipeline.wait { count("32x24") > before + 5 && count("64x48") > beside + 5 })
        #expect(child.error.contains("was ended by signal 9"), "\(child.error)")
    }

    /// The isolated nodes of programs that this process started.
    private static func children() -> [pid_t] {
        func parent(_ pid: String) -> String? {
            guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
                let close = stat.lastIndex(of: ")")
            else { return nil }
            let fields = stat[stat.index(after: close)...].split(separator: " ")
            return fields.count > 1 && fields[0] != "Z" ? String(fields[1]) : nil
        }
        let own = String(ProcessInfo.processInfo.processIdentifier)
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
            guard let pid = pid_t(name), let text = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"),
                String(decoding: text, as: UTF8.self).contains("isolated-node"), let program = parent(name),
                parent(program) == own
            else { return nil }
            return pid
        }
    }

    @Test("what is no transform is refused")
    func refused() throws {
        let file = try folder.file(
            "refused.yaml",
            """
            version: 1
            sources: {p: {type: test_pattern, isolation: process}}
            sinks: {said: {type: log, input: p}}
            """)
        let result = Captured.run(["validate", file])
        #expect(result.code == 78)
        #expect(result.error.contains("only a transform of one input can be in a process of its own yet"))
    }
}
