import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Joining recordings")
struct ClipJoinerTests {
    private let began = WallTime(microseconds: 1_767_225_600_000_000)

    /// Writes ten seconds at ten pictures a second, a keyframe each second.
    ///
    /// - Returns: Where.
    private func clip(_ name: String, in folder: URL, count: Int = 100) throws -> String {
        let (format, packets) = try Self.recorded(count)
        let path = folder.appendingPathComponent(name).path
        let container = try #require(Container(path: path))
        let muxer = try Muxer(.path(path), container: container, streams: [format], creationTime: began)
        for packet in packets { try muxer.write(packet) }
        try muxer.finish()
        return path
    }

    private static func recorded(_ count: Int) throws -> (PacketFormat, [Packet]) {
        try VideoEncoderTests.encode(VideoEncoderTests.frames(count))
    }

    private func part(_ path: String, at seconds: Double, from: Duration? = nil, to: Duration? = nil) -> ClipJoiner.Part
    {
        ClipJoiner.Part(path: path, start: began + .seconds(seconds), from: from, to: to)
    }

    /// The times of the pictures of a file, which begins with a keyframe and decodes without damage.
    private func times(_ path: String) throws -> [Double] {
        let check = try ClipCheck(path, decodes: true)
        #expect(check.beginsWithKeyframe && check.damaged == 0)
        let (_, packets) = try MediaReaderTests.packets(at: path)
        #expect(packets.count == check.pictures)
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.dts < $1.dts })
        return packets.map { ($0.captured - Instant.zero).seconds }
    }

    @Test("recordings that follow one another are one without a seam", arguments: Container.allCases)
    func seam(_ container: Container) throws {
        try Fixture.withFolder { folder in
            let parts = [
                part(try clip("1.mp4", in: folder), at: 0), part(try clip("2.mp4", in: folder), at: 10.03),
            ]
            let output = folder.appendingPathComponent("all.\(container.rawValue)").path
            var joiner = ClipJoiner(parts, container: container)
            let result = try joiner.write(to: output)
            #expect(result.pictures == 200 && result.gaps == 0)
            #expect(abs(result.length.seconds - 20.03) < 0.05)
            let times = try times(output)
            #expect(zip(times, times.dropFirst()).allSatisfy { (0.09...0.14).contains($1 - $0) })
        }
    }

    @Test("of a time it begins at the keyframe at or before it, and ends at it")
    func range() throws {
        try Fixture.withFolder { folder in
            let output = folder.appendingPathComponent("part.mp4").path
            let path = try clip("1.mp4", in: folder)
            var joiner = ClipJoiner(
                [part(path, at: 0, from: .milliseconds(3400), to: .milliseconds(6000))], container: .mp4)
            let result = try joiner.write(to: output)
            #expect(result.start == began + .seconds(3))
            #expect(result.pictures == 30)
            let times = try times(output)
            #expect(times.count == 30)
            #expect(abs((times.last ?? 0) - 2.9) < 0.01)
            #expect(try MediaReader(path: output).creationTime == began + .seconds(3))
        }
    }

    @Test("what was not recorded between two is left out", arguments: [(60.0, 1), (9.0, 1), (9.95, 0), (10.8, 0)])
    func gaps(_ start: Double, _ gaps: Int) throws {
        try Fixture.withFolder { folder in
            let output = folder.appendingPathComponent("all.mp4").path
            let path = try clip("1.mp4", in: folder)
            var joiner = ClipJoiner([part(path, at: 0), part(path, at: start)], container: .mp4)
            let result = try joiner.write(to: output)
            #expect(result.gaps == (start == 9.0 ? 0 : gaps))
            let times = try times(output)
            #expect(times.count == 200)
            #expect(abs((times.last ?? 0) - (start == 10.8 ? 20.7 : 19.9)) < 0.06)
        }
    }

    @Test("recordings of other sizes are not joined, and no file is left")
    func sizes() throws {
        try Fixture.withFolder { folder in
            let path = try clip("1.mp4", in: folder)
            let (format, packets) = try VideoEncoderTests.encode(VideoEncoderTests.frames(10, Size(96, 64)))
            let other = folder.appendingPathComponent("2.mp4").path
            let muxer = try Muxer(.path(other), container: .mp4, streams: [format])
            for packet in packets { try muxer.write(packet) }
            try muxer.finish()
            let output = folder.appendingPathComponent("all.mp4").path
            var joiner = ClipJoiner([part(path, at: 0), part(other, at: 10)], container: .mp4)
            let error = #expect(throws: CampipeError.self) { _ = try joiner.write(to: output) }
            #expect(error?.kind == .unsupported)
            #expect(!FileManager.default.fileExists(atPath: output))
        }
    }

    @Test("a file that is there is not written over, and stays")
    func existing() throws {
        try Fixture.withFolder { folder in
            let path = try clip("1.mp4", in: folder)
            var joiner = ClipJoiner([part(path, at: 0)], container: .mp4)
            #expect(throws: CampipeError.self) { _ = try joiner.write(to: path) }
            #expect(try ClipCheck(path).pictures == 100)
        }
    }

    @Test("a recording that was cut says so: it is shorter, or not to be read")
    func cut() throws {
        try Fixture.withFolder { folder in
            let path = try clip("1.mp4", in: folder)
            let whole = try ClipCheck(path)
            #expect(whole.pictures == 100 && abs(whole.length.seconds - 10) < 0.11)
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.truncate(atOffset: try handle.seekToEnd() / 2)
            let half = try? ClipCheck(path)
            #expect((half?.pictures ?? 0) < 70)
            try handle.truncate(atOffset: 20)
            #expect(throws: CampipeError.self) { _ = try ClipCheck(path) }
        }
    }
}
