import Foundation
import Testing

@testable import CampipeApp

/// The pipelines that come with campipe, with the camera that is built in.
@Suite("pipelines/", .serialized)
struct PipelinesTests {
    static let names = [
        "doorbell", "home", "public-and-private", "publish", "record-on-motion", "rtsp", "sixteen-cameras",
        "snapshot-a-minute",
        "timelapse", "wall",
    ]

    private func path(_ name: String) -> String {
        sourceTree.appending(path: "pipelines/\(name).yaml").path(percentEncoded: false)
    }

    @Test("each one is here")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: sourceTree.appending(path: "pipelines").path())
        #expect(files.sorted() == Self.names.map { $0 + ".yaml" })
    }

    @Test("each is fine; the only warning is of the private stream beside the public one", arguments: names)
    func valid(name: String) {
        let result = Captured.run(["validate", path(name)])
        #expect(result.code == 0)
        #expect(result.error.contains("CAM0069") == (name == "public-and-private"), "\(result.error)")
        #expect(result.error.matches(of: /\[CAM/).count == (name == "public-and-private" ? 1 : 0), "\(result.error)")
        #expect(Captured.run(["graph", path(name)]).code == 0)
    }

    @Test(
        "every whole example of the documentation is fine as it stands",
        arguments: ["README.md", "docs/pipeline-file.md", "docs/alerts.md"])
    func documentation(name: String) throws {
        let text = try String(contentsOf: sourceTree.appending(path: name), encoding: .utf8)
        let blocks = text.components(separatedBy: "```").filter { $0.hasPrefix("yaml\nversion:") }
        #expect(blocks.count >= 3)
        let folder = try TemporaryFolder()
        for block in blocks {
            let result = Captured.run(["validate", try folder.file("example.yaml", String(block.dropFirst(5)))])
            // Their certificates are not on this machine.
            let other = result.error.replacing("[CAM0052]", with: "")
            #expect(result.code == 0 && !other.contains("[CAM"), "\(block)\(result.error)")
        }
    }

    @Test("each runs, and stops in order", arguments: names)
    func runs(name: String) throws {
        let serves = try String(contentsOfFile: path(name), encoding: .utf8).contains("type: http")
        let child = try Child(
            ["run", path(name), "--duration", "3s", "--no-screen", "--log-format", "json", "--listen", "127.0.0.1:0"])
        // Its camera, or its server, is not there.
        let isMissing = ["rtsp", "publish"].contains(name)
        #expect(child.wait(60) == (isMissing ? 1 : 0), "\(child.error)")
        let errors = child.error.split(separator: "\n").filter { $0.contains("\"level\":\"error\"") }
        #expect(errors.count == (isMissing ? 1 : 0), "\(child.error)")
        #expect(errors.allSatisfy { $0.contains("the run failed") && $0.contains("refused") })
        #expect(child.error.contains("\"message\":\"serving\"") == serves)
    }

    @Test("rtsp.yaml shows a camera, and lets both of its streams go at the end")
    func rtsp() throws {
        let picture = try CameraRig.picture()
        var script = RTSPPlayback.Script()
        script.sdp = RTSPPlayback.jpegDescription
        script.stream = RTSPPlayback.jpegs([[UInt8]](repeating: picture, count: 100))
        script.then = .loop
        script.rate = 100_000
        let camera = try RTSPPlayback(script)
        defer { camera.stop() }
        let child = try Child(
            ["run", path("rtsp"), "--listen", "127.0.0.1:0"],
            environment: ["RTSP_URL": camera.url("large"), "RTSP_SUB_URL": camera.url("small")])
        let stream = try #require(TestConnection(try child.port(), "/cam/stream"))
        #expect(stream.read(until: "image/jpeg", times: 5) != nil, "\(child.error)")
        child.signal(15)
        #expect(child.wait() == 0, "\(child.error)")
        for name in ["large", "small"] {
            // What was sent may not have been read yet.
            #expect(RunningPipeline.wait { camera.requests.last { $0.uri.contains(name) }?.method == "TEARDOWN" })
        }
    }

    @Test("publish.yaml pushes its camera to a server, and tells it at the end")
    func publish() throws {
        let server = try RecordingServer()
        defer { server.stop() }
        let child = try Child(
            ["run", path("publish"), "--listen", "127.0.0.1:0"],
            environment: ["PUBLISH_URL": "rtsp://127.0.0.1:\(server.port)/front"])
        #expect(child.wait { _ in server.packetCount >= 50 }, "\(child.error)")
        child.signal(15)
        #expect(child.wait() == 0, "\(child.error)")
        #expect(server.visits.first?.units.first == 5)
        #expect(RunningPipeline.wait { server.visits.first?.requests.last?.method == "TEARDOWN" })
    }

    @Test("home.yaml shows pictures of its demo camera")
    func home() throws {
        let child = try Child(["run", path("home"), "--listen", "127.0.0.1:0"])
        let stream = try #require(TestConnection(try child.port(), "/front/stream"))
        #expect(stream.read(until: "image/jpeg", times: 5) != nil, "\(child.error)")
        child.signal(15)
        #expect(child.wait() == 0, "\(child.error)")
    }
}
