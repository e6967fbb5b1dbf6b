import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("PNG with transparency")
struct PNGDecoderTests {
    private func picture(_ name: String) throws -> AlphaPicture {
        try PNGDecoder.decode(Fixture.bytes("png/\(name).png").withBytes { Array($0) })
    }

    @Test(
        "every layout becomes red, green, blue and alpha, multiplied",
        arguments: [
            ("gray-alpha", 0, [100, 100, 100, 128]), ("gray", 0, [90, 90, 90, 255]), ("rgb16", 0, [200, 100, 50, 255]),
            ("palette", 0, [255, 0, 0, 255]), ("palette", 1, [0, 0, 0, 0]), ("mono", 0, [255, 255, 255, 255]),
            ("mono", 7, [0, 0, 0, 255]),
        ])
    func layouts(_ name: String, _ place: Int, _ expected: [Int]) throws {
        let picture = try picture(name)
        #expect(picture.width == 8 && picture.height == 8)
        let found = picture.pixels[(place * 4)..<(place * 4 + 4)].map(Int.init)
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(found)")
    }

    @Test("what is cut, too large or no PNG is refused", arguments: ["cut", "bomb"])
    func broken(_ name: String) throws {
        #expect { try picture(name) } throws: { ($0 as? CampipeError)?.kind == .badData }
        #expect { try PNGDecoder.decode(Array("GIF89a, which is another format".utf8)) } throws: {
            ($0 as? CampipeError)?.message == "this is no PNG"
        }
    }

    @Test("scaling mixes no colour of what is transparent, down and up", arguments: [12, 40, 200])
    func scaling(_ width: Int) throws {
        let scaled = try picture("logo").scaled(toWidth: width, height: width)
        #expect(scaled.width == width && scaled.pixels.count == width * width * 4)
        for at in stride(from: 0, to: scaled.pixels.count, by: 4) {
            let alpha = Int(scaled.pixels[at + 3])
            #expect(scaled.pixels[at] <= alpha + 1)
            // The logo has no dark colour: red is near its alpha wherever anything is seen.
            #expect(Int(scaled.pixels[at]) >= alpha * 235 / 255 - 2)
        }
        let middle = (width / 2 * width + width / 2) * 4
        #expect(abs(Int(scaled.pixels[middle + 3]) - 127) <= 2)
        #expect(scaled.pixels[3] == 0)
    }
}

@Suite("Pictures laid over frames")
struct PictureStampTests {
    private func square(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8) -> AlphaPicture {
        AlphaPicture(
            width: 10, height: 9, straight: (0..<90).flatMap { _ in [red, green, blue, alpha] })
    }

    @Test(
        "a colour is the same in every layout, range and matrix", arguments: PixelFormat.allCases,
        [
            (ColorRange.full, ColorMatrix.bt601), (.limited, .bt709), (.limited, .bt2020), (.full, .bt709),
        ])
    func colors(_ pixel: PixelFormat, _ kind: (ColorRange, ColorMatrix)) throws {
        var frame = Made.frame(pixel, Size(64, 48), range: kind.0, matrix: kind.1) { plane, _, _ in
            plane == 0 ? 40 : 128
        }
        let before = frame
        PictureStamp(square(230, 60, 40, alpha: 255), x: 17, y: 16, opacity: 1, format: frame.format).paint(on: &frame)
        let rgb = try Scaler().scale(frame, pixel: .rgb24, pool: .shared)
        let painted = (0..<3).map { Int(FrameCompare.level(rgb, 3 * 20 + $0, 20)) }
        if pixel == .gray8 {
            #expect(Set(painted).count == 1)
        } else {
            #expect(zip(painted, [230, 60, 40]).allSatisfy { abs($0 - $1) <= 4 }, "\(painted)")
        }
        #expect(FrameCompare.level(frame, 2, 2) == FrameCompare.level(before, 2, 2))
        #expect(FrameCompare.level(frame, 40, 20) == FrameCompare.level(before, 40, 20))
    }

    @Test("alpha and opacity multiply")
    func halves() {
        var frame = Made.frame(.gray8, Size(32, 32)) { _, _, _ in 0 }
        PictureStamp(square(255, 255, 255, alpha: 128), x: 4, y: 4, opacity: 0.5, format: frame.format).paint(
            on: &frame)
        #expect(abs(Int(FrameCompare.level(frame, 8, 8)) - 64) <= 1)
    }

    @Test("what lies outside of the frame is cut off", arguments: [(-4, -4), (28, 28), (-20, 0), (40, 40)])
    func outside(_ x: Int, _ y: Int) {
        for pixel in PixelFormat.allCases {
            var frame = Made.frame(pixel, Size(31, 31)) { _, _, _ in 0 }
            PictureStamp(square(255, 255, 255, alpha: 255), x: x, y: y, opacity: 1, format: frame.format).paint(
                on: &frame)
        }
    }
}
