import Foundation
import Testing

@testable import CampipeApp

/// Plugins/PersonDetect on people who walk across a yard (`vtest.avi` of opencv-doc).
@Suite("PersonDetect")
struct PersonDetectTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let model =
        environment["MODEL"]
        ?? sourceTree.appending(path: "../shared/models/FastestDet.onnx").standardized.path(percentEncoded: false)
    private static let footage = environment["VTEST"] ?? "/usr/share/doc/opencv-doc/examples/data/vtest.avi"

    /// What is missing for the test, in a word; nil when it can run.
    private static let missing: String? = {
        guard FileManager.default.fileExists(atPath: model) else { return "there is no network: MODEL names one" }
        guard FileManager.default.fileExists(atPath: footage) else { return "there is no footage: VTEST names it" }
        guard run(Python.path, ["-c", "import cv2"]) == 0 else { return "there is no python3-opencv" }
        return nil
    }()

    private static func run(_ program: String, _ arguments: [String]) -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test(
        "people are found, as events with class, score and boxes, and a recording starts by them",
        .enabled(if: missing == nil, "\(missing ?? "")"))
    func finds() throws {
        let folder = try TemporaryFolder()
        let cut = folder.url.appending(path: "cut.avi").path(percentEncoded: false)
        #expect(Self.run("/usr/bin/ffmpeg", ["-v", "error", "-i", Self.footage, "-t", "3", "-c", "copy", cut]) == 0)
        let script = sourceTree.appending(path: "Plugins/PersonDetect/people.py").path(percentEncoded: false)
        let file = try folder.file(
            "people.yaml",
            """
            version: 1
            sources: {front: {type: file, path: "\(cut)"}}
            transforms:
              people:
                type: exec
                input: front
                command: [\(Python.path), -B]
                script: "\(script)"
                model: "\(Self.model)"
                max_width: 704
                max_fps: 2
                start_limit: 1m
                answer_limit: 1m
            sinks:
              said: {type: log, input: people.events, format: json}
              clip:
                type: file
                input: front
                path: "\(folder.url.path(percentEncoded: false))/clip.mp4"
                when: {event: people, class: [person], min_score: 0.65}
            """)
        let result = try Child.run(["run", file])
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output.contains("\"kind\":\"object_started\"") && result.output.contains("\"class\":\"person\""))
        #expect(result.output.contains("\"kind\":\"object_ended\""), "\(result.output)")
        let size = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: "clip.mp4").path())[
            .size]
        #expect((size as? Int ?? 0) > 10_000)
    }
}
