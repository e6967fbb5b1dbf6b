import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Writing containers")
struct MuxerTests {
    let pool = FramePool()

    private func recording(_ count: Int = 25) throws -> (PacketFormat, [Packet]) {
        try VideoEncoderTests.encode(VideoEncoderTests.frames(count))
    }

    @Test("what is written is read again, in each container", arguments: Container.allCases)
    func roundTrip(_ container: Container) throws {
        let (format, packets) = try recording()
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("clip.\(container.rawValue)").path
            #expect(Container(path: path) == container)
            let muxer = try Muxer(
                .path(path), container: container, streams: [format],
                creationTime: WallTime(microseconds: 1_700_000_000_250_000))
            for packet in packets { try muxer.write(packet) }
            try muxer.finish()
            let (reader, read) = try MediaReaderTests.packets(at: path)
            #expect(read.count == 25)
            #expect(read.map(\.isKeyframe) == packets.map(\.isKeyframe))
            for (a, b) in zip(read, packets) {
                #expect(abs(a.captured.nanoseconds - b.captured.nanoseconds) < 1_000_000)
            }
            #expect(reader.video.format.size == Size(160, 120))
            let frames = try VideoDecoderTests.frames(read, reader.video.format, pool: pool)
            #expect(frames.count == 25 && frames[0].format.range == .full)
            #expect(FrameCompare.psnr(frames[20], VideoEncoderTests.frames(1)[0]) > 33)
            if container != .ts {
                #expect(reader.creationTime.map { Int($0.unixSeconds) } == 1_700_000_000)
                let seconds = try #require(reader.duration).seconds
                #expect(abs(seconds - 2.5) < 0.11)
            }
        }
    }

    @Test("JPEG goes into Matroska, audio beside video, H.265 into MP4 as hvc1")
    func codings() throws {
        try Fixture.withFolder { folder in
            let jpegs = try (0..<5).map { Fixture.packet(try Fixture.bytes("jpeg/444.jpg"), seconds: Double($0) / 5) }
            var format = PacketFormat(.jpeg, size: Size(160, 120), rate: 5)
            format.timebase = .nanoseconds
            let mkv = folder.appendingPathComponent("jpeg.mkv").path
            let muxer = try Muxer(.path(mkv), container: .mkv, streams: [format])
            for jpeg in jpegs { try muxer.write(jpeg) }
            try muxer.finish()
            #expect(try MediaReaderTests.packets(at: mkv).1.map(\.data) == jpegs.map(\.data))

            let source = try MediaReader(path: Fixture.url("video/h265-aac.mkv").path)
            source.select(audio: true)
            let audio = try #require(source.audio).format
            let mp4 = folder.appendingPathComponent("both.mp4").path
            let both = try Muxer(.path(mp4), container: .mp4, streams: [source.video.format, audio])
            while let packet = try source.next() {
                try both.write(packet, stream: packet.format.coding == .h265 ? 0 : 1)
            }
            try both.finish()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: mp4))
            #expect(bytes.range(of: Data("hvc1".utf8)) != nil && bytes.range(of: Data("hev1".utf8)) == nil)
            let reader = try MediaReader(path: mp4)
            #expect(reader.audio != nil)
            #expect(try MediaReaderTests.packets(at: mp4).1.count == 10)
        }
    }

    @Test("a clip that begins in the middle of a stream begins at zero")
    func startsAtZero() throws {
        let (format, packets) = try recording()
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("clip.mp4").path
            let muxer = try Muxer(.path(path), container: .mp4, streams: [format])
            for packet in packets[10...] { try muxer.write(packet) }
            try muxer.finish()
            let (_, read) = try MediaReaderTests.packets(at: path)
            #expect(read.first?.pts.ticks == 0 && read.count == 15)
        }
    }

    @Test("cut off anywhere, MP4 and Matroska keep all but about the last second", arguments: [Container.mp4, .mkv])
    func cut(_ container: Container) throws {
        let (format, packets) = try recording(40)
        var bytes: [UInt8] = []
        var lengths: [Int] = []
        let muxer = try Muxer(.bytes { bytes += $0.array }, container: container, streams: [format])
        for packet in packets {
            try muxer.write(packet)
            lengths.append(bytes.count)
        }
        try Fixture.withFolder { folder in
            for kept in stride(from: 15, to: 40, by: 6) {
                let path = folder.appendingPathComponent("\(kept).\(container.rawValue)").path
                try Data(bytes[..<lengths[kept]]).write(to: URL(fileURLWithPath: path))
                let (_, read) = try MediaReaderTests.packets(at: path)
                #expect(read.count >= kept - 10, "\(read.count) of \(kept)")
            }
        }
    }

    @Test("a full disk is said by its name, each time")
    func diskFull() throws {
        let (format, packets) = try recording()
        var room = 2000
        let muxer = try Muxer(
            .bytes { bytes in
                room -= bytes.count
                if room < 0 { throw CampipeError(.exhausted, "cannot write clip.mp4: No space left on device") }
            }, container: .mp4, streams: [format])
        for _ in 0..<2 {
            let error = #expect(throws: CampipeError.self) {
                for packet in packets { try muxer.write(packet) }
                try muxer.finish()
            }
            #expect(error?.kind == .exhausted)
            #expect(error?.message == "cannot write clip.mp4: No space left on device")
        }
    }

    @Test("a file that exists is never overwritten; a folder that does not is named")
    func paths() throws {
        let (format, _) = try recording(1)
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("clip.mp4").path
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let exists = #expect(throws: CampipeError.self) {
                _ = try Muxer(.path(path), container: .mp4, streams: [format])
            }
            #expect(exists?.message == "cannot create \(path): File exists")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
            let nowhere = folder.appendingPathComponent("no/clip.mp4").path
            let missing = #expect(throws: CampipeError.self) {
                _ = try Muxer(.path(nowhere), container: .mp4, streams: [format])
            }
            #expect(missing?.kind == .notFound)
        }
    }

    @Test("what a container cannot hold is a fault of configuration")
    func refused() throws {
        let empty = #expect(throws: CampipeError.self) {
            _ = try Muxer(.bytes { _ in }, container: .mp4, streams: [PacketFormat(.empty)])
        }
        #expect(empty?.kind == .configuration)
        let bare = #expect(throws: CampipeError.self) {
            _ = try Muxer(.bytes { _ in }, container: .mp4, streams: [PacketFormat(.h264, size: Size(16, 16))])
        }
        #expect(bare?.message == "cannot write mp4: the stream's parameter sets are not known yet")
        #expect(Container(path: "a.avi") == nil && Container(path: "A.MKV") == .mkv && Container(path: "a.mov") == .mp4)
    }
}
