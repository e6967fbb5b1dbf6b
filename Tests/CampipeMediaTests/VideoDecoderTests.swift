import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Decoding video")
struct VideoDecoderTests {
    let pool = FramePool()

    static func frames(_ packets: [Packet], _ format: PacketFormat, pool: FramePool, threads: Int = 1) throws -> [Frame]
    {
        let decoder = try VideoDecoder(format, threads: threads)
        var frames: [Frame] = []
        for packet in packets { frames += try decoder.decode(packet, pool: pool) }
        return try frames + decoder.drain(pool: pool)
    }

    @Test(
        "frames are those of FFmpeg, in order, with the times of their packets",
        arguments: [
            ("bframes.mp4", "bframes-12.yuv", 12, 20, true), ("h265-aac.mkv", "h265-5.yuv", 5, 10, true),
            ("ten-bit.mkv", "ten-bit-5.yuv", 5, 10, false),
        ], [1, 2])
    func golden(_ wanted: (file: String, reference: String, index: Int, count: Int, exact: Bool), _ threads: Int) throws
    {
        let (reader, read) = try MediaReaderTests.packets(wanted.file)
        // A live source's `captured` has nothing to do with its pts.
        let packets = read.map { packet in
            var packet = packet
            packet.captured = .zero + .seconds(1000) + packet.pts.duration + packet.pts.duration
            return packet
        }
        let frames = try Self.frames(packets, reader.video.format, pool: pool, threads: threads)
        #expect(frames.count == wanted.count)
        #expect(frames.map(\.pts) == packets.map(\.pts).sorted())
        for frame in frames {
            #expect(packets.first { $0.pts == frame.pts }?.captured == frame.captured)
            #expect(!frame.isDamaged)
        }
        let raw = try Fixture.bytes("video/\(wanted.reference)").array
        let frame = frames[wanted.index]
        #expect(frame.pixel == .yuv420)
        let reference = Made.frame(.yuv420, Size(160, 120)) { plane, x, y in
            Int(raw[[0, 19200, 24000][plane] + y * (plane == 0 ? 160 : 80) + x])
        }
        for plane in 0..<3 { #expect(FrameCompare.psnr(frame, reference, plane: plane) > (wanted.exact ? 99 : 45)) }
        #expect(frame.format.range == (wanted.exact ? .limited : .full))
        #expect(frame.format.matrix == .bt601)
    }

    @Test("a picture is FFmpeg's own, and is copied when somebody writes")
    func foreign() throws {
        let (reader, packets) = try MediaReaderTests.packets("bframes.mp4")
        var frame = try #require(try Self.frames(packets, reader.video.format, pool: pool).last)
        #expect(frame.pixels.isForeign)
        let before = FrameCompare.rows(frame, 0)
        frame.mapLuma { 255 - $0 }
        #expect(!frame.pixels.isForeign)
        #expect(FrameCompare.rows(frame, 0) == before.map { 255 - $0 })
    }

    @Test("JPEG goes through it too, with the packet as origin")
    func jpeg() throws {
        let packet = try Fixture.jpeg("422")
        let frame = try #require(try Self.frames([packet], packet.format, pool: pool).first)
        #expect(frame.pixel == .yuv422 && frame.format.range == .full && frame.origin != nil)
        #expect(Barcode.read(frame) == 77)
    }

    @Test("a broken packet is an error or damage, and the next keyframe is fine")
    func broken() throws {
        let (reader, packets) = try MediaReaderTests.packets("raw.h264", rate: 10)
        let decoder = try VideoDecoder(reader.video.format)
        var random = SplitMix(seed: 3)
        var clean = 0
        for round in 0..<20 {
            for (index, packet) in packets.enumerated() {
                var bytes = packet.data.array
                if index < 5 {
                    for _ in 0..<5 {
                        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                    }
                }
                let shift = MediaTime(
                    ticks: packet.pts.ticks + Int64(round) * 1_200_000 * 10, timebase: packet.pts.timebase)
                let broken = Packet(
                    Bytes(bytes), format: packet.format, captured: .zero, pts: shift, isKeyframe: packet.isKeyframe)
                guard let frames = try? decoder.decode(broken, pool: pool) else { continue }
                if index >= 5 { clean += frames.count { !$0.isDamaged } }
            }
        }
        #expect(clean >= 60)
    }

    @Test("a codec that nobody knows is refused by name")
    func unknown() {
        var format = PacketFormat(.other)
        format.codecName = "etch-a-sketch"
        let error = #expect(throws: CampipeError.self) { _ = try VideoDecoder(format) }
        #expect(error?.kind == .unsupported)
        #expect(error?.message == "cannot decode etch-a-sketch: FFmpeg has no decoder for it")
    }
}
