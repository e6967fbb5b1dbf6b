import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Files as sources")
struct FileSourceTests {
    private let registration = Registration(source: FileSource.self)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, levels: [UInt8]) throws {
        var bytes: [UInt8] = []
        for level in levels {
            let frame = Pictures.frame(.yuv420, Size(64, 48)) { plane, _, _ in plane == 0 ? level : 128 }
            bytes += try JPEGEncoder().encode(frame, quality: 80, pool: .shared).array
        }
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data(bytes)))
    }

    private func source(_ path: String, _ more: Value.ValueMap = [:], isLive: Bool = false) throws -> NodeHarness {
        var options = more
        options["path"] = .text("\(folder.path)/\(path)")
        return try NodeHarness(registration, options: options, isLive: isLive)
    }

    @Test("MJPEG is read picture by picture at the rate given")
    func mjpeg() throws {
        try write("a.mjpeg", levels: [10, 20, 30])
        let harness = try source("a.mjpeg", ["fps": "10"])
        try harness.run()
        #expect(harness.packets.count == 3)
        #expect(harness.packets.map { Int(($0.captured - .zero).seconds * 1000 + 0.5) } == [0, 100, 200])
        #expect(harness.packets.allSatisfy { $0.format.coding == .jpeg })
        #expect(harness.emissions().last == .end(nil))
    }

    @Test("a folder is read as people count, and so is a pattern", arguments: ["shots", "shots/*.jpg"])
    func folder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/shots", withIntermediateDirectories: true)
        for number in [10, 2, 1] { try write("shots/\(number).jpg", levels: [UInt8(number * 10)]) }
        try write("shots/notes.txt", levels: [])
        let harness = try source(path, ["fps": "5"])
        try harness.run()
        let levels = try harness.packets.map { packet in
            Int(Pictures.pixel(try JPEGDecoder().decode(packet, pool: .shared), 5, 5))
        }
        #expect(levels == [10, 20, 100])
        #expect(harness.packets.last?.captured == .zero + .milliseconds(400))
    }

    @Test("in real time each picture comes when it is due; without time at once")
    func realtime() throws {
        try write("a.mjpeg", levels: [10, 20, 30])
        let harness = try source("a.mjpeg", ["fps": "10", "speed": "realtime"], isLive: true)
        try harness.advance(by: .milliseconds(150))
        #expect(harness.packets.count == 2)
        try harness.run()
        #expect(harness.packets.count == 3)
        #expect(registration.inspect(["path": "a.mp4", "speed": "realtime"]).isLive)
        #expect(!registration.inspect(["path": "a.mp4"]).isLive)
    }

    @Test("a loop goes on where the round before ended, times never go back")
    func loop() throws {
        try write("a.mjpeg", levels: [10, 20])
        let harness = try source("a.mjpeg", ["fps": "10", "loop": "true"])
        try harness.run(turns: 2)
        let times = harness.packets.prefix(6).map { Int(($0.captured - .zero).seconds * 1000 + 0.5) }
        #expect(times == [0, 100, 200, 300, 400, 500])
        #expect(zip(harness.packets, harness.packets.dropFirst()).allSatisfy { $0.pts < $1.pts && $0.dts < $1.dts })
    }

    @Test("what is not there, or is no picture, is said by its path")
    func missing() throws {
        #expect { try source("nothing.mp4") } throws: { "\($0)".contains("nothing.mp4") }
        #expect { try source("none/*.jpg") } throws: { ($0 as? CampipeError)?.kind == .notFound }
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/x.jpg", contents: Data([1, 2, 3])))
        let harness = try source("*.jpg")
        #expect { try harness.run() } throws: { "\($0)".contains("x.jpg") }
    }
}
