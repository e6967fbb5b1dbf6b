import CampipeKit
import CampipeMedia
import CampipeRuntime
import Foundation
import Testing

@testable import CampipeApp

@Suite("Files whose pictures are far apart")
struct FileHoleTests {
    @Test("A hole in a file that is played in real time is no stall: what stands behind it comes, and it ends")
    func hole() throws {
        let folder = try TemporaryFolder()
        let pictures = folder.url.appending(path: "in")
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        let picture = Data(try CameraRig.picture())
        for number in 1...3 { try picture.write(to: pictures.appending(path: "\(number).jpg")) }
        let running = try RunningPipeline(
            folder.file(
                "hole.yaml",
                """
                version: 1
                sources:
                  f: {type: file, path: "\(pictures.path(percentEncoded: false))", fps: 0.7, speed: realtime, stall_after: 500ms}
                sinks: {out: {type: log, input: f}}
                """))
        #expect(try #require(running.end(stopping: false)).isClean)
        #expect(running.lines.withLock { $0.count } == 3)
    }
}
