import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Decoding JPEGs")
struct JPEGDecoderTests {
    let pool = FramePool()

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var pixel: PixelFormat
        var size = Size(160, 120)
        var isDamaged = false
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "exif-thumbnail", pixel: .yuv420), Case(name: "no-dht-avi1", pixel: .yuv420),
        Case(name: "no-app-segments", pixel: .yuv420), Case(name: "progressive", pixel: .yuv420),
        Case(name: "grayscale", pixel: .gray8), Case(name: "grayscale-2x2", pixel: .gray8, size: Size(160, 128)),
        Case(name: "444", pixel: .yuv444), Case(name: "422", pixel: .yuv422), Case(name: "440", pixel: .yuv444),
        Case(name: "411", pixel: .yuv422), Case(name: "cmyk-adobe", pixel: .yuv444),
        Case(name: "odd-161x121", pixel: .yuv420, size: Size(161, 121)),
        Case(name: "restart-markers", pixel: .yuv420), Case(name: "three-dqt", pixel: .yuv420),
        Case(name: "corrupt-interval", pixel: .yuv420, isDamaged: true),
    ]

    @Test("each kind of JPEG has its layout, its size and its number", arguments: cases)
    func kinds(_ wanted: Case) throws {
        let frame = try JPEGDecoder().decode(Fixture.jpeg(wanted.name), pool: pool)
        #expect(frame.pixel == wanted.pixel)
        #expect(frame.size == wanted.size)
        #expect(Barcode.read(frame) == 77)
        #expect(frame.isDamaged == wanted.isDamaged)
        #expect(frame.origin != nil)
        #expect(frame.format.range == .full && frame.format.matrix == .bt601)
    }

    @Test("colour is right in each sampling", arguments: cases.filter { $0.pixel != .gray8 && !$0.isDamaged })
    func color(_ wanted: Case) throws {
        let frame = try JPEGDecoder().decode(Fixture.jpeg(wanted.name), pool: pool)
        let whole = try Scaler().scale(frame, to: Size(160, 120), pixel: .yuv444, pool: pool)
        let reference = try JPEGDecoder().decode(Fixture.jpeg("444"), pool: pool)
        for plane in 0..<3 {
            #expect(
                FrameCompare.psnr(whole, reference, plane: plane) > (wanted.name.hasPrefix("odd") ? 22 : 28),
                "plane \(plane)")
        }
        // The square is orange: (231, 60, 41), so Y 108, Cb 90, Cr 216.
        #expect(abs(Int(FrameCompare.level(whole, 34, 70)) - 109) < 5)
        #expect(abs(Int(FrameCompare.level(whole, 34, 70, plane: 1)) - 90) < 8)
        #expect(abs(Int(FrameCompare.level(whole, 34, 70, plane: 2)) - 215) < 8)
    }

    @Test(
        "a reduced picture is the picture, smaller", arguments: JPEGScale.allCases,
        ["444", "422", "440", "411", "progressive", "odd-161x121", "cmyk-adobe", "grayscale"])
    func reduced(_ scale: JPEGScale, _ name: String) throws {
        let decoder = JPEGDecoder()
        let full = try decoder.decode(Fixture.jpeg(name), pool: pool)
        let frame = try decoder.decode(Fixture.jpeg(name), scale: scale, pool: pool)
        #expect(frame.size == scale.size(of: full.size))
        let reference = try Scaler().scale(full, to: frame.size, pool: pool)
        // An odd size is rounded up, so its reduction is a little narrower than the scaler's.
        #expect(FrameCompare.psnr(frame, reference) > (name.hasPrefix("odd") ? 21 : 26))
        for plane in 1..<max(1, frame.pixel.planeCount) {
            #expect(FrameCompare.psnr(frame, reference, plane: plane) > 26, "plane \(plane)")
        }
    }

    @Test(
        "an odd height spills nothing into the colour, reduced or not", arguments: JPEGScale.allCases,
        [Size(161, 121), Size(18, 17), Size(1280, 1080), Size(8, 3)])
    func oddHeight(_ scale: JPEGScale, _ size: Size) throws {
        let flat = Made.frame(.yuv420, size) { plane, _, _ in [200, 90, 160][plane] }
        let jpeg = try JPEGEncoder().encode(flat, quality: 95, pool: pool)
        let frame = try JPEGDecoder().decode(Fixture.packet(jpeg), scale: scale, pool: pool)
        for (plane, level) in [200, 90, 160].enumerated() {
            #expect(FrameCompare.rows(frame, plane).allSatisfy { abs(Int($0) - level) <= 2 }, "plane \(plane)")
        }
    }

    @Test("luma alone equals the luma of the whole", arguments: cases.filter { !$0.isDamaged })
    func lumaOnly(_ wanted: Case) throws {
        let decoder = JPEGDecoder()
        let grey = try decoder.decode(Fixture.jpeg(wanted.name), lumaOnly: true, pool: pool)
        let whole = try decoder.decode(Fixture.jpeg(wanted.name), pool: pool)
        #expect(grey.pixel == .gray8)
        #expect(FrameCompare.rows(grey, 0) == FrameCompare.rows(whole, 0))
    }

    @Test(
        "what is no picture is refused in one sentence",
        arguments: [
            ("empty", "cannot read the JPEG: it is empty", CampipeError.Kind.badData),
            ("soi-eoi-only", "cannot read the JPEG: it ends before its picture", .badData),
            ("height-zero", "cannot read the JPEG: its size is 160x0", .badData),
            ("dimension-bomb", "cannot decode a JPEG of 65500x65500: more than 100000000 pixels", .unsupported),
        ])
    func refused(_ name: String, _ message: String, _ kind: CampipeError.Kind) throws {
        let packet = try Fixture.jpeg(name)
        let error = #expect(throws: CampipeError.self) { try JPEGDecoder().decode(packet, pool: pool) }
        #expect(error?.message == message)
        #expect(error?.kind == kind)
        #expect(pool.usedBytes == 0 && pool.freeBytes == 0)
    }

    @Test("one pixel is a picture")
    func onePixel() throws {
        for scale in JPEGScale.allCases {
            #expect(try JPEGDecoder().decode(Fixture.jpeg("1x1"), scale: scale, pool: pool).size == Size(1, 1))
        }
    }

    @Test(
        "every truncation is an error or a damaged picture, and shows nothing of the pool's older pictures",
        arguments: ["progressive", "422", "odd-161x121", "cmyk-adobe", "411"])
    func truncated(_ name: String) throws {
        let decoder = JPEGDecoder()
        let bytes = try Fixture.bytes("jpeg/\(name).jpg").array
        for count in stride(from: 0, to: bytes.count - 2, by: 37) {
            let cut = Fixture.packet(Bytes(bytes[..<count]))
            var seen: [[UInt8]] = []
            for filling in [UInt8(0x11), 0xEE] {
                stain(filling, like: try decoder.decode(Fixture.packet(Bytes(bytes)), pool: pool))
                guard let frame = try? decoder.decode(cut, pool: pool) else { continue }
                #expect(frame.isDamaged, "\(count) of \(bytes.count)")
                seen.append((0..<frame.pixel.planeCount).flatMap { FrameCompare.rows(frame, $0) })
            }
            if seen.count == 2 { #expect(seen[0] == seen[1], "\(count) of \(bytes.count)") }
        }
    }

    private func stain(_ level: UInt8, like frame: consuming Frame) {
        _ = Made.frame(frame.pixel, frame.size, pool: pool) { _, _, _ in Int(level) }
    }

    /// A frame header of no components, behind bytes of no meaning or not.
    private static func headless(_ before: [UInt8]) -> Bytes {
        let header: [UInt8] = [0xFF, 0xC0, 0, 0x11, 8, 0, 0x79, 0, 0xA1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        return Bytes([0xFF, 0xD8] + before + header + [0xFF, 0xDA, 0, 12, 3, 65, 1, 0, 2, 17, 3, 17, 0, 63, 0])
    }

    @Test(
        "a JPEG that fails in its header, with a warning or without, is no picture, and spoils none behind it",
        arguments: [[], [0x32, 0x32, 0x32]] as [[UInt8]])
    func headerFails(_ before: [UInt8]) throws {
        let decoder = JPEGDecoder()
        for lumaOnly in [false, true] {
            for _ in 0..<3 {
                #expect(throws: CampipeError.self) {
                    try decoder.decode(Self.headless(before), lumaOnly: lumaOnly, pool: pool)
                }
            }
            let good = try decoder.decode(Fixture.bytes("jpeg/444.jpg"), lumaOnly: lumaOnly, pool: pool)
            #expect(!good.isDamaged)
        }
    }

    @Test("random damage never traps", arguments: ["progressive", "restart-markers", "cmyk-adobe", "411"])
    func fuzzed(_ name: String) throws {
        let decoder = JPEGDecoder(pixelLimit: 1_000_000)
        let bytes = try Fixture.bytes("jpeg/\(name).jpg").array
        var random = SplitMix(seed: 7)
        for _ in 0..<200 {
            var broken = bytes
            for _ in 0..<Int(random.next() % 8) + 1 {
                broken[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            _ = try? decoder.decode(Fixture.packet(Bytes(broken)), pool: pool)
        }
    }

    @Test(
        "the reduction is the strongest that is still wide enough",
        arguments: [
            (1280, nil, JPEGScale.full), (1280, 1280, .full), (1280, 641, .full), (1280, 640, .half),
            (1280, 320, .quarter),
            (1920, 721, .half), (1920, 720, .threeEighths), (1920, 640, .threeEighths), (1920, 481, .threeEighths),
            (1920, 480, .quarter), (1280, 161, .quarter), (1280, 160, .eighth), (1280, 10, .eighth), (100, 640, .full),
            (161, 21, .eighth),
        ] as [(Int, Int?, JPEGScale)])
    func scales(_ width: Int, _ wanted: Int?, _ scale: JPEGScale) {
        #expect(JPEGScale(of: Size(width, 90), forWidth: wanted) == scale)
    }
}

/// Random numbers that are the same each time.
struct SplitMix {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
