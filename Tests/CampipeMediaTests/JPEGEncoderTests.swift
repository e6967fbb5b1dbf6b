import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Encoding JPEGs")
struct JPEGEncoderTests {
    let pool = FramePool()

    @Test("every layout comes back as it was", arguments: PixelFormat.allCases, [ColorRange.full, .limited])
    func layouts(_ pixel: PixelFormat, _ range: ColorRange) throws {
        let frame = Made.gradient(pixel, Size(96, 64), range: range)
        let jpeg = try JPEGEncoder().encode(frame, quality: 95, pool: pool)
        let back = try JPEGDecoder().decode(Fixture.packet(jpeg), pool: pool)
        #expect(back.pixel == (pixel == .gray8 ? .gray8 : .yuv420))
        let reference = try Scaler().scale(frame, pixel: back.pixel, range: .full, matrix: .bt601, pool: pool)
        for plane in 0..<back.pixel.planeCount {
            #expect(FrameCompare.psnr(back, reference, plane: plane) > 38, "plane \(plane)")
        }
    }

    @Test(
        "the black and white of limited range become those of JPEG",
        arguments: [PixelFormat.yuv420, .yuv422, .nv12, .gray8])
    func limited(_ pixel: PixelFormat) throws {
        let frame = Made.frame(pixel, Size(32, 16), range: .limited) { plane, x, _ in
            plane > 0 ? 128 : x < 16 ? 16 : 235
        }
        let jpeg = try JPEGEncoder().encode(frame, quality: 95, pool: pool)
        let back = try JPEGDecoder().decode(Fixture.packet(jpeg), pool: pool)
        #expect(FrameCompare.level(back, 2, 8) <= 2)
        #expect(FrameCompare.level(back, 30, 8) >= 253)
    }

    @Test(
        "odd sizes repeat their edges", arguments: [Size(1, 1), Size(3, 2), Size(161, 121), Size(16, 17), Size(17, 16)])
    func odd(_ size: Size) throws {
        let frame = Made.gradient(.yuv420, size)
        let jpeg = try JPEGEncoder().encode(frame, quality: 95, pool: pool)
        let back = try JPEGDecoder().decode(Fixture.packet(jpeg), pool: pool)
        #expect(back.size == size)
        #expect(FrameCompare.psnr(back, frame) > 38)
    }

    @Test("quality costs bytes")
    func quality() throws {
        let frame = try JPEGDecoder().decode(Fixture.jpeg("444"), pool: pool)
        let counts = try [1, 50, 90, 100].map { try JPEGEncoder().encode(frame, quality: $0, pool: pool).count }
        #expect(counts == counts.sorted() && Set(counts).count == 4)
    }

    @Test("the same frame gives the same bytes, whatever the pool held before")
    func deterministic() throws {
        let encoder = JPEGEncoder()
        let first = try encoder.encode(Made.gradient(.yuv420, Size(61, 33)), quality: 80, pool: pool)
        _ = try encoder.encode(Made.frame(.yuv420, Size(301, 203)) { _, x, _ in x % 251 }, quality: 80, pool: pool)
        #expect(try encoder.encode(Made.gradient(.yuv420, Size(61, 33)), quality: 80, pool: pool) == first)
    }
}
