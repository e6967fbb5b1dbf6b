import CampipeNodes
import CampipeRuntime
import Foundation
import Testing

@testable import CampipeApp

@Suite("The picture of a graph")
struct GraphPictureTests {
    private func path(_ name: String) throws -> String {
        let fixtures = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return fixtures.appending(path: "Pipelines/\(name).yaml").path(percentEncoded: false)
    }

    @Test(
        "nodes, implicit ones too, links, formats, policies and deadlines read as kept",
        arguments: [("text", "graph.txt"), ("dot", "graph.dot"), ("json", "graph.json")])
    func golden(format: String, file: String) throws {
        let result = Captured.run(["graph", try path("graph"), "--format", format])
        #expect(result.code == 0 && result.error == "")
        #expect(try CampipeAppTests.golden("Output/\(file)", result.output) == result.output)
    }

    @Test("privacy of a source is an implicit mask between it and all that looks at it")
    func privacy() throws {
        let result = Captured.run(["graph", try path("privacy")])
        #expect(result.code == 0 && result.error == "")
        #expect(try CampipeAppTests.golden("Output/privacy.txt", result.output) == result.output)
        let dot = Captured.run(["graph", try path("privacy"), "--format", "dot"]).output
        for source in ["cam", "yard", "made"] {
            // Sound has nothing to cover.
            let links = dot.split(separator: "\n").filter {
                $0.hasPrefix("  \"\(source)\" -> ") && !$0.contains("as audio")
            }
            let behind = source == "made" ? "mask(made)" : "decode(\(source))"
            #expect(links.map { $0.contains("-> \"\(behind)\"") } == [true], "\(links)")
            #expect(dot.contains("\"mask(\(source))\" [") && dot.contains("mask (implicit)"))
        }
    }

    @Test("a type for several kinds is the one that goes with what comes, with its options and with who takes it")
    func variants() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file(
            "variants.yaml",
            """
            version: 1
            sources:
              web: {type: mjpeg, url: "http://127.0.0.1:1/x"}
              rtp: {type: rtsp, url: "rtsp://127.0.0.1:1/x"}
              own: {type: mjpeg, url: "http://127.0.0.1:1/y", privacy: [[0, 0], [1, 0], [1, 1]]}
            transforms:
              a: {type: rotate, input: web, rotate: 90}
              b: {type: rotate, input: web, rotate: 180}
              c: {type: rotate, input: rtp, flip: horizontal}
              d: {type: rotate, input: own, rotate: 90}
              e: {type: sample, input: rtp, every: 10s}
              f: {type: sample, input: rtp, max_fps: 5}
              g: {type: sample, input: web, max_fps: 5}
              h: {type: encode, input: web}
              i: {type: encode, input: web, quality: 50}
              j: {type: encode, input: rtp, codec: h264}
              move: {type: motion, input: b}
            sinks:
              all: {type: discard, input: move.events}
              sa: {type: http, input: a, path: /a}
              sc: {type: http, input: c, path: /c}
              sd: {type: http, input: d, path: /d}
              se: {type: file, input: e, path: "e.mp4"}
              sf: {type: file, input: f, path: "f.mp4"}
              sg: {type: http, input: g, path: /g}
              sh: {type: http, input: h, path: /h}
              si: {type: http, input: i, path: /i}
              sj: {type: file, input: j, path: "j.mp4"}
            """)
        let graph = Captured.run(["graph", file])
        #expect(graph.code == 0)
        var feeders: [String: String] = [:]
        var node = ""
        for line in graph.output.split(separator: "\n") {
            if line.hasPrefix("    from ") {
                feeders[node] = feeders[node] ?? String(line.dropFirst(9).prefix { $0 != " " && $0 != "," })
            } else {
                node = String(line.prefix { $0 != " " })
            }
        }
        #expect(feeders["a"] == "web" && feeders["g"] == "web" && feeders["h"] == "web" && feeders["e"] == "rtp.out")
        #expect(feeders["d"] == "mask(own)")
        for id in ["b", "c", "f", "i", "j"] { #expect(feeders[id]?.hasPrefix("decode(") == true, "\(id)") }
    }

    @Test("as JSON it is one object, whose links lead from node to node")
    func json() throws {
        let output = Captured.run(["graph", try path("graph"), "--format", "json"]).output
        let graph = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        let nodes = try #require(graph["nodes"] as? [[String: Any]])
        let links = try #require(graph["links"] as? [[String: Any]])
        let ids = nodes.compactMap { $0["id"] as? String }
        #expect(ids.count == nodes.count && !links.isEmpty)
        for link in links {
            for end in ["from", "to"] {
                #expect(ids.contains((link[end] as? [String: Any])?["node"] as? String ?? ""), "\(link)")
            }
        }
        #expect(
            nodes.contains { $0["implicit"] as? Bool == true } && nodes.contains { $0["implicit"] as? Bool == false })
    }

    @Test("no secret of the file is in it", arguments: ["text", "dot", "json"])
    func secrets(format: String) throws {
        let output = Captured.run(["graph", try path("graph"), "--format", format]).output
        #expect(!output.contains("hunter22") && !output.contains("operator7"))
    }

    @Test("a file without a name is drawn under its own, quoted")
    func quoted() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file(
            "a.yaml",
            "version: 1\nname: \"x\"\nsources: {p: {type: test_pattern}}\nsinks: {d: {type: discard, input: p}}\n")
        #expect(Captured.run(["graph", file, "--format", "dot"]).output.hasPrefix("digraph \"x\" {\n"))
    }
}
