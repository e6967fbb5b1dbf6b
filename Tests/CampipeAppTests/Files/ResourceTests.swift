import CampipeConfig
import CampipeKit
import CampipeNodes
import Foundation
import Testing

@Suite("Files that a pipeline comes with")
struct ResourceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.file("logo.png", "a logo")
    }

    private func load(_ overlay: String) throws -> PipelineFile {
        let path = try folder.file(
            "pipeline.yaml",
            """
            version: 1
            sources: {cam: {type: camera, url: "demo://porch"}}
            transforms:
              mark: {type: overlay, input: cam, \(overlay)}
            sinks: {w: {type: http, input: mark, path: /w}}
            """)
        return PipelineFile.load(path, registry: BuiltInNodes.registry)
    }

    @Test("they are found from the pipeline file's folder, wherever the program runs")
    func found() throws {
        let file = try load("image: logo.png")
        #expect(file.report.text() == "")
        let place = folder.url.appending(path: "logo.png").path(percentEncoded: false)
        #expect(file.description?["mark"]?.options["image"] == .plain(place))
        #expect(try load("image: \"\(place)\"").report.text() == "")
    }

    @Test(
        "what is not there, or is no file, is a fault at its place",
        arguments: [("lgoo.png", "no such file"), (".", "it is a folder")])
    func missing(_ name: String, _ cause: String) throws {
        let text = try load("image: \(name)").report.text()
        #expect(text.contains("pipeline.yaml:4:44: error: cannot read \(folder.url.path())"), "\(text)")
        #expect(text.contains(cause) && text.contains("[CAM0050]"), "\(text)")
        #expect(try load("image: \(name), enabled: false").report.text().contains("warning: cannot read"))
    }
}
