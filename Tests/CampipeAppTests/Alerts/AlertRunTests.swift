import CampipeKit
import CampipeMedia
import CampipeRuntime
import Foundation
import Testing

@testable import CampipeApp

/// Alerts of whole pipelines, to servers on loopback.
@Suite("Alerts", .serialized) struct AlertRunTests {
    private func json(_ body: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }

    private func file(_ folder: TemporaryFolder, _ text: String) throws -> String {
        try folder.file("alerts.yaml", "version: 1\n" + text)
    }

    private static let porch = """
        sources:
          door: {type: camera, url: "demo://porch"}
        transforms:
          watch: {type: motion, input: door}

        """

    @Test("doorbell.yaml posts a picture that can be decoded within 2 s of the first moving frame")
    func doorbell() throws {
        let server = try AlertServer()
        defer { server.stop() }
        let path = sourceTree.appending(path: "pipelines/doorbell.yaml").path(percentEncoded: false)
        let child = try Child(["run", path], environment: ["WEBHOOK_URL": server.url("/doorbell")])
        #expect(child.wait { _ in !server.requests.isEmpty }, "\(child.error)")
        child.signal(15)
        #expect(child.wait() == 0, "\(child.error)")
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.path == "/doorbell")
        let type = try #require(request.headers["content-type"])
        let boundary = Data("--\(type.replacing("multipart/form-data; boundary=", with: ""))".utf8)
        let form = Data(request.body)
        let parts = form.ranges(of: boundary).map(\.upperBound)
        func content(_ part: Int) throws -> [UInt8] {
            let rest = form[parts[part]...]
            let head = try #require(rest.firstRange(of: Data("\r\n\r\n".utf8)))
            let end = try #require(rest.firstRange(of: Data("\r\n".utf8) + boundary))
            return Array(form[head.upperBound..<end.lowerBound])
        }
        #expect(parts.count == 3)
        let event = try json(try content(0))
        #expect(event["kind"] as? String == "motion_started")
        // By the camera's own time, however busy this machine is; what follows is one request.
        let payload = try #require(event["payload"] as? [String: Any])
        let start = try #require(payload["start"] as? Double)
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let said = String(try #require(event["time"] as? String).prefix(23)) + "Z"
        let told = try #require(formatter.date(from: said)).timeIntervalSince1970
        #expect(told - start >= 0 && told - start < 2, "\(told - start)")
        let picture = Packet(Bytes(try content(1)), format: .jpeg, captured: .zero, pts: MediaTime(.zero))
        let frame = try JPEGDecoder().decode(picture, pool: .shared)
        #expect(!frame.isDamaged && frame.size.width >= 640)
    }

    @Test("Servers that hang, answer 500 or are not there change no link's drops, and keep nobody from ending in time")
    func badServers() throws {
        let folder = try TemporaryFolder()
        let (hanging, failing, absent) = (
            try AlertServer([.hang]), try AlertServer([.status(500)]), try AlertServer()
        )
        absent.stop()
        defer {
            hanging.stop()
            failing.stop()
        }
        func sink(_ name: String, _ server: AlertServer) -> String {
            "  \(name): {type: webhook, inputs: [watch, door], url: \"\(server.url())\", body: best_picture}\n"
        }
        let path = try file(
            folder,
            Self.porch + "sinks:\n" + sink("hangs", hanging) + sink("fails", failing) + sink("absent", absent)
                + "  said: {type: log, input: watch.events}\n")
        let running = try RunningPipeline(path)
        #expect(RunningPipeline.wait { !hanging.requests.isEmpty && failing.requests.count >= 2 })
        let links = running.pipeline.snapshot.links.filter { ["hangs", "fails", "absent", "said"].contains($0.to) }
        #expect(links.count == 7)
        for link in links { #expect(DropReason.allCases.allSatisfy { link.ledger.dropped($0) == 0 }, "\(link)") }
        let outcome = try #require(running.end())
        #expect(outcome.stragglers.isEmpty && outcome.isClean, "\(outcome)")
        let removed = running.pipeline.snapshot.nodes.filter { ["hangs", "absent"].contains($0.id) }.map(\.removed)
        #expect(removed.allSatisfy { $0.values.reduce(0, +) >= 1 }, "\(removed)")
    }

    @Test("A camera that never answers is lost, and a recorder that cannot write has failed: both are told")
    func troubles() throws {
        let folder = try TemporaryFolder()
        let (server, absent) = (try AlertServer(), try AlertServer())
        absent.stop()
        defer { server.stop() }
        let path = try file(
            folder,
            """
            sources:
              gate: {type: camera, url: "\(absent.url("/video"))"}
              porch: {type: camera, url: "demo://porch"}
            sinks:
              clips: {type: file, input: porch, path: /proc/nowhere/%f.mjpeg}
              rest: {type: discard, input: gate}
              alarm: {type: webhook, inputs: [gate, clips], url: "\(server.url())"}

            """)
        let running = try RunningPipeline(path)
        #expect(RunningPipeline.wait { server.requests.count >= 2 })
        _ = running.end()
        let events = try server.requests.map { try json($0.body) }
        let kinds = Set(events.compactMap { $0["kind"] as? String })
        #expect(kinds.isSuperset(of: ["camera_lost", "plugin_failed"]), "\(kinds)")
        let lost = try #require(events.first { $0["kind"] as? String == "camera_lost" })
        #expect(lost["node"] as? String == "gate")
        #expect("\(lost["payload"] ?? "")".contains("refused"))
        let failed = try #require(events.first { $0["kind"] as? String == "plugin_failed" })
        #expect(failed["node"] as? String == "clips")
    }

    @Test("A command runs for motion of the demo, and what came while it ran is counted in /state")
    func command() throws {
        let folder = try TemporaryFolder()
        let out = folder.url.path(percentEncoded: false) + "/out"
        let script = "cat >> \\\"$0\\\""
        let path = try file(
            folder,
            Self.porch + "sinks:\n  note: {type: command, input: watch, argv: [sh, -c, \"\(script)\", \"\(out)\"]}\n")
        let running = try RunningPipeline(path)
        #expect(
            RunningPipeline.wait {
                (try? String(contentsOfFile: out, encoding: .utf8))?.contains("\"kind\":\"motion_started\"") == true
            })
        #expect(running.end()?.isClean == true)
        var snapshot = running.pipeline.snapshot
        let index = try #require(snapshot.nodes.firstIndex { $0.id == "note" })
        snapshot.nodes[index].removed = [.superseded: 3, .failed: 1]
        #expect(NodeStates.json(snapshot).contains("\"removed\":{\"failed\":1,\"superseded\":3}"))
    }

    @Test("The key of a webhook is in no line that run writes, also when it fails")
    func secrets() throws {
        let folder = try TemporaryFolder()
        let absent = try AlertServer()
        absent.stop()
        let path = try file(
            folder,
            Self.porch
                + "sinks:\n  alarm: {type: webhook, inputs: [watch, door], url: \"\(absent.url("/b0t-s3cret/send?k=s3cret"))\", "
                + "token: pl4nted, headers: {X-Key: pl4nted}, retries: 0}\n")
        let child = try Child(["run", path, "--log-level", "trace"])
        #expect(child.wait { $0.error.contains("an alert was not delivered") }, "\(child.error)")
        child.signal(15)
        #expect(child.wait() == 0)
        for secret in ["s3cret", "pl4nted"] { #expect(!child.error.contains(secret), "\(child.error)") }
        for command in ["validate", "graph"] {
            let result = Captured.run([command, path])
            #expect(!(result.output + result.error).contains("s3cret"))
        }
    }
}
