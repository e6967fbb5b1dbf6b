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
            let links = dot.split(separator: "\n").filter { $0.hasPrefix("  \"\(source)\" -> ") }
            let behind = source == "made" ? "mask(made)" : "decode(\(source))"
            #expect(links.map { $0.contains("-> \"\(behind)\"") } == [true], "\(links)")
            #expect(dot.contains("\"mask(\(source))\" [") && dot.contains("mask (implicit)"))
        }
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
