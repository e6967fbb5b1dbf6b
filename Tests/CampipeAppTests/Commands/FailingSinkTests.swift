import Foundation
import Glibc
import Testing

@testable import CampipeApp

/// A sink that cannot do its work, as whoever runs the program sees it: the exit code, the last lines, `/readyz`,
/// `/state` and `/metrics`.
@Suite("A sink that fails", .serialized)
struct FailingSinkTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A recording into a folder that cannot be made, since a file is in its place.
    private func file(_ source: String, _ more: String = "") throws -> String {
        _ = try folder.file("taken", "")
        return try folder.file(
            "pipeline.yaml",
            """
            version: 1
            sources: {p: {type: test_pattern, width: 64, height: 48, \(source)}}
            sinks:
              rec: {type: file, input: p, path: "\(folder.url.path)/taken/a.mjpeg"}
              \(more)
            """)
    }

    @Test("of a camera it makes the exit code 1 whenever the run is stopped, and the last line says which and why")
    func live() throws {
        for duration in ["700ms", "1500ms"] {
            let result = try Child.run(["run", try file("fps: 20"), "--duration", duration])
            #expect(result.code == 1, "\(result.error)")
            let last = try #require(result.error.split(separator: "\n").last)
            #expect(last.contains("error the run failed node=rec failures=") && last.contains("cause="), "\(last)")
        }
    }

    @Test("of a batch it ends the run, with 1 and the cause")
    func batch() throws {
        let result = try Child.run(["run", try file("count: 200, speed: max")])
        #expect(result.code == 1, "\(result.error)")
        let last = try #require(result.error.split(separator: "\n").last)
        #expect(last.contains("the run failed node=rec") && last.contains("failures=4"), "\(last)")
    }

    @Test("it is seen from outside while the pipeline runs")
    func seen() throws {
        let child = try Child([
            "run", try file("fps: 20", "web: {type: http, input: p, path: /p}"), "--listen", "127.0.0.1:0",
        ])
        let port = try child.port()
        func get(_ path: String) -> String {
            let url = URL(string: "http://127.0.0.1:\(port)\(path)")
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/curl")
            process.arguments = ["-s", "--max-time", "20", url?.absoluteString ?? ""]
            let pipe = Pipe()
            process.standardOutput = pipe
            guard (try? process.run()) != nil else { return "" }
            let body = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
            process.waitUntilExit()
            return String(decoding: body, as: UTF8.self)
        }
        #expect(child.wait { _ in get("/readyz") == "failing\n" })
        #expect(
            child.wait { _ in
                get("/metrics").contains("campipe_node_restarts_total{pipeline=\"pipeline\",node=\"rec\"} 2")
            })
        let state = try JSONSerialization.jsonObject(with: Data(get("/state").utf8)) as? [String: Any]
        let nodes = (state?["result"] as? [String: Any])?["nodes"] as? [String: [String: Any]]
        #expect((nodes?["rec"]?["reason"] as? String)?.contains("taken") == true, "\(get("/state"))")
        #expect(nodes?["web"]?["state"] as? String == "running")
        child.signal(SIGTERM)
        #expect(child.wait() == 1)
    }
}
