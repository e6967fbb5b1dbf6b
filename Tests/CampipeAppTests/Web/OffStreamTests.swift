import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime
import Testing

@testable import CampipeApp

@Suite("Streams that are off")
struct OffStreamTests {
    private static let text = """
        version: 1
        server: {listen: "127.0.0.1:0"}
        sources:
          back: {type: test_pattern, enabled: false}
          front: {type: test_pattern, fps: 10, width: 64, height: 48}
        transforms:
          small: {type: scale, input: back, width: 32}
        sinks:
          web: {type: http, input: small, path: /back}
          shown: {type: http, input: front, path: /front}
          gone: {type: http, input: front, path: /gone, enabled: false}
          other: {type: http, input: front, path: /other}
          spare: {type: http, input: front, path: /other, enabled: false}
        """

    private func get(_ port: UInt16, _ path: String) throws -> String {
        try curl(["-i", "http://127.0.0.1:\(port)\(path)"])
    }

    @Test("the page says so and why, pictures are a 503 that says so, the index has it at its place")
    func pages() throws {
        let folder = try TemporaryFolder()
        let run = try RunningPipeline(folder.file("a.yaml", Self.text))
        defer { _ = run.end() }
        let port = try run.port()
        let page = try get(port, "/back")
        #expect(page.hasPrefix("HTTP/1.1 200 "), "\(page)")
        #expect(page.contains("off: its input small is off, since back is disabled"))
        for path in ["/back/stream", "/back/snapshot", "/back/live.mp4", "/back/index.m3u8"] {
            let answer = try get(port, path)
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("X-Campipe-State: off\r\n"), "\(answer)")
            #expect(answer.hasSuffix("off: its input small is off, since back is disabled\n"))
        }
        #expect(try get(port, "/back/state").contains("\"online\":false,\"state\":\"off\",\"captured_fps\":0"))
        #expect(try get(port, "/back/none").hasPrefix("HTTP/1.1 404 "))
        #expect(try get(port, "/gone").hasPrefix("HTTP/1.1 404 "))
        let index = try get(port, "/")
        let places = ["/back: off", "data-stream=\"/front\"", "data-stream=\"/other\""].map {
            index.firstRange(of: $0)?.lowerBound
        }
        #expect(!places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(index)")
        // The first stream is the first that shows something.
        #expect(try get(port, "/snapshot").contains("Content-Type: image/jpeg"))
    }

    @Test("metrics tell a path's viewers by the sink that serves it, not by one that is switched off")
    func metrics() throws {
        let folder = try TemporaryFolder()
        let run = try RunningPipeline(folder.file("a.yaml", Self.text))
        defer { _ = run.end() }
        let metrics = try PrometheusText(curl(["http://127.0.0.1:\(run.port())/metrics"]))
        func has(_ node: String) -> Bool {
            metrics["campipe_http_viewers", ["pipeline": "a", "node": node]] != nil
        }
        #expect(has("other") && !has("spare") && !has("web"))
    }

    @Test("graph says of each node that is off why, as text, for Graphviz and for programs")
    func graph() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a.yaml", Self.text)
        let text = Captured.run(["graph", path]).output
        let reason = "off: its input small is off, since back is disabled"
        for line in ["back  off: disabled", "small  off: its input back is disabled", "web  \(reason)"] {
            #expect(text.contains(line + "\n"), "\(text)")
        }
        #expect(
            Captured.run(["graph", path, "--format", "dot"]).output.contains(
                "  \"web\" [label=\"web\\n\(reason)\", style=dotted];\n"))
        let json = Captured.run(["graph", path, "--format", "json"]).output
        #expect(json.contains("\"web\":\"its input small is off, since back is disabled\""), "\(json)")
    }

    @Test("what the file's checks say is off is what the runtime leaves out")
    func agreement() throws {
        let sinks = [
            "input: a, when: wb", "input: a, when: [wa, wb]", "input: b", "input: wb.frames", "input: o", "input: a",
            "input: p, when: wa",
        ]
        let text = """
            version: 1
            sources:
              a: {type: test_pattern, privacy: [[0, 0], [1, 0], [1, 1]]}
              b: {type: test_pattern, enabled: false, privacy: [[0, 0], [1, 0], [1, 1]]}
            transforms:
              wa: {type: motion, input: a}
              wb: {type: motion, input: a, enabled: false}
              wc: {type: motion, input: b}
              o: {type: overlay, input: a, events: [wb], text: x}
              p: {type: overlay, input: a, when: [wb, wc], text: x}
            sinks:

            """ + sinks.enumerated().map { "  s\($0.offset): {type: discard, \($0.element)}\n" }.joined()
        let folder = try TemporaryFolder()
        let loaded = LoadedPipeline(try folder.file("a.yaml", text))
        let file = try #require(loaded.description, "\(loaded.report.text())")
        let picture = GraphPicture(GraphDescription(file), registry: BuiltInNodes.registry)
        #expect(picture.off == file.offReasons.keys.sorted() && picture.off.count == 8, "\(picture.off)")
    }
}
