import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

@Suite("What a file source says of times that jump, and of a file that was cut")
struct FileNotesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Twenty pictures, ten a second; the second half comes so much later.
    private func write(_ name: String, later: Duration = .zero) throws -> String {
        let path = "\(folder.path)/\(name)"
        let encoder = try VideoEncoder(Pictures.frame(.yuv420, Size(64, 48)).format)
        let container = try #require(Container(path: path))
        let muxer = try Muxer(.path(path), container: container, streams: [encoder.format])
        var packets: [Packet] = []
        for number in 0..<20 {
            let frame = Pictures.frame(.yuv420, Size(64, 48), at: .milliseconds(number * 100)) { plane, x, y in
                plane == 0 ? UInt8(truncatingIfNeeded: number * 10 + x * y) : 128
            }
            packets += try encoder.encode(frame, pool: .shared)
        }
        packets += try encoder.drain()
        for (number, packet) in packets.enumerated() {
            var packet = packet
            if number >= 10 {
                packet.pts = packet.pts.shifted(by: later)
                packet.dts = packet.dts.shifted(by: later)
            }
            try muxer.write(packet)
        }
        try muxer.finish()
        return path
    }

    private func source(_ path: String, speed: String = "max", loop: Bool = false) throws -> NodeHarness {
        try NodeHarness(
            Registration(source: FileSource.self),
            options: ["path": .text(path), "speed": .plain(speed), "loop": .plain("\(loop)")],
            isLive: speed == "realtime")
    }

    private func told(_ harness: NodeHarness) -> [String] {
        harness.logged.filter { $0.level == .warning }.map(\.message)
    }

    @Test(
        "a transport stream whose times jump by hours goes on at once, at whatever speed, and says so once",
        arguments: ["max", "realtime"])
    func jump(_ speed: String) throws {
        let harness = try source(try write("x.ts", later: .seconds(10_800)), speed: speed)
        try harness.advance(by: .seconds(3))
        try harness.run()
        #expect(harness.packets.count == 20)
        let times = harness.packets.map(\.captured)
        #expect(times[19] - times[0] < .milliseconds(2100), "\(times)")
        #expect(told(harness) == ["the file's times jump: what stands behind goes on at once"])
    }

    @Test("a hole in Matroska is a hole; in real time it is said once how long it lasts")
    func hole() throws {
        let path = try write("x.mkv", later: .seconds(10_800))
        let harness = try source(path, speed: "realtime")
        try harness.advance(by: .seconds(3))
        #expect(harness.packets.count == 10)
        #expect(told(harness) == ["the file has no picture for some time: the next one comes when it is due"])
        try harness.advance(by: .seconds(10_790))
        #expect(harness.packets.count == 10)
        try harness.advance(by: .seconds(10))
        #expect(harness.packets.count == 20)
        #expect(told(harness).count == 1)

        let all = try source(path)
        try all.run()
        #expect(all.packets.count == 20 && told(all).isEmpty)
        #expect(all.packets[19].captured - all.packets[0].captured > .seconds(10_800))
    }

    @Test(
        "a file that was cut plays up to there, and says once that it ends early",
        arguments: ["x.mkv", "x.mp4", "x.ts"])
    func cut(_ name: String) throws {
        let path = try write(name)
        let whole = try source(path)
        try whole.run()
        #expect(whole.packets.count == 20 && told(whole).isEmpty)

        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // Not at the border of two packets of a transport stream.
        let length = bytes.count * 6 / 10 / 188 * 188 + 100
        try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
        let harness = try source(path)
        try harness.run()
        #expect((1..<20).contains(harness.packets.count), "\(harness.packets.count)")
        #expect(harness.emissions().last == .end(nil))
        #expect(told(harness).filter { $0 == "the file ends early: it was cut" }.count == 1, "\(told(harness))")

        let loop = try source(path, loop: true)
        try loop.run(turns: 20)
        #expect(loop.packets.count > harness.packets.count)
        #expect(told(loop).filter { $0 == "the file ends early: it was cut" }.count == 1)
    }
}
