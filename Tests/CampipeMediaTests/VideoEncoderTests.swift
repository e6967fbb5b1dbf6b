import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Encoding video")
struct VideoEncoderTests {
    let pool = FramePool()

    static func frames(_ count: Int, _ size: Size = Size(160, 120), rate: Double = 10) -> [Frame] {
        let scene = DemoScene(.still, size: size)
        return (0..<count).map { index in
            let time = Duration.nanoseconds(Int64(Double(index) * 1e9 / rate))
            return scene.frame(at: time, rate: rate, captured: .zero + time, pool: .shared)
        }
    }

    static func encode(_ frames: [Frame], settings: EncoderSettings = EncoderSettings()) throws -> (
        PacketFormat, [Packet]
    ) {
        let encoder = try VideoEncoder(try #require(frames.first).format, settings: settings)
        var packets: [Packet] = []
        for frame in frames { packets += try encoder.encode(frame, pool: .shared) }
        return try (encoder.format, packets + encoder.drain())
    }

    @Test("what comes back is the picture, with range, matrix and times")
    func roundTrip() throws {
        let frames = Self.frames(25)
        let (format, packets) = try Self.encode(frames)
        #expect(format.coding == .h264 && format.size == Size(160, 120) && format.parameterSets != nil)
        #expect(packets.count == 25)
        #expect(packets.indices.filter { packets[$0].isKeyframe } == [0, 10, 20], "a keyframe each second")
        #expect(packets.map(\.captured) == frames.map(\.captured))
        #expect(packets.map(\.pts.duration) == frames.map(\.pts.duration))
        let back = try VideoDecoderTests.frames(packets, format, pool: pool)
        #expect(back.count == 25)
        #expect(back[20].format.range == .full && back[20].format.matrix == .bt601)
        #expect(FrameCompare.psnr(back[20], frames[20]) > 33)
    }

    @Test("each frame comes out at once with low latency")
    func latency() throws {
        let encoder = try VideoEncoder(Self.frames(1)[0].format)
        for frame in Self.frames(5) { #expect(try encoder.encode(frame, pool: pool).count == 1) }
        #expect(try encoder.drain().isEmpty)
    }

    @Test(
        "odd sizes lose a column or a row and are never skewed",
        arguments: [
            (Size(161, 121), Size(160, 120)), (Size(33, 16), Size(32, 16)), (Size(1, 1), Size(2, 2)),
            (Size(16, 1), Size(16, 2)),
        ])
    func odd(_ size: Size, _ coded: Size) throws {
        let frame = Made.gradient(.yuv420, size)
        let (format, packets) = try Self.encode([frame], settings: EncoderSettings(quality: 10))
        #expect(format.size == coded)
        let back = try #require(try VideoDecoderTests.frames(packets, format, pool: pool).first)
        #expect(back.size == coded)
        for y in 0..<min(size.height, coded.height) {
            for x in 0..<min(size.width, coded.width) {
                #expect(abs(Int(FrameCompare.level(back, x, y)) - Int(FrameCompare.level(frame, x, y))) < 12)
            }
        }
    }

    @Test("every layout is taken", arguments: PixelFormat.allCases)
    func layouts(_ pixel: PixelFormat) throws {
        let frame = Made.gradient(pixel, Size(64, 48))
        let (format, packets) = try Self.encode([frame], settings: EncoderSettings(quality: 10))
        let back = try #require(try VideoDecoderTests.frames(packets, format, pool: pool).first)
        let reference = try Scaler().scale(frame, pixel: .yuv420, pool: pool)
        #expect(FrameCompare.psnr(back, reference) > 38)
    }

    @Test("times that stand or go back are put one tick behind")
    func times() throws {
        var frames = Self.frames(4)
        frames[2].pts = frames[1].pts
        frames[3].pts = frames[0].pts
        let (_, packets) = try Self.encode(frames)
        #expect(packets.map(\.dts.ticks) == [0, 9000, 9001, 9002])
    }

    @Test("a frame of another size is refused")
    func changed() throws {
        let encoder = try VideoEncoder(Self.frames(1)[0].format)
        let error = #expect(throws: CampipeError.self) {
            try encoder.encode(Made.gradient(.yuv420, Size(64, 48)), pool: pool)
        }
        #expect(error?.kind == .configuration)
    }

    @Test("memory of frames is given back")
    func memory() throws {
        let own = FramePool()
        let scene = DemoScene(.still, size: Size(160, 120))
        do {
            let frame = scene.frame(at: .zero, captured: .zero, pool: own)
            let encoder = try VideoEncoder(frame.format)
            for index in 0..<50 {
                var frame = scene.frame(at: .zero, captured: .zero, pool: own)
                frame.pts = MediaTime(.milliseconds(index * 100))
                _ = try encoder.encode(frame, pool: own)
            }
        }
        #expect(own.usedBytes == 0)
    }
}
