import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Kinds of mask")
struct MaskKindTests {
    private static let all: Value = [["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]
    private static let left: Value = [["0", "0"], ["0.5", "0"], ["0.5", "1"], ["0", "1"]]

    private func masked(_ options: Value.ValueMap, _ frame: Frame) throws -> Frame {
        let harness = try NodeHarness(Registration(transform: MaskNode.self), options: options)
        try harness.push(frame)
        return try #require(harness.frames.first)
    }

    @Test("a fill has its colour in every layout, range and matrix", arguments: PixelFormat.allCases)
    func color(_ pixel: PixelFormat) throws {
        for (range, matrix) in [(ColorRange.full, ColorMatrix.bt601), (.limited, .bt709)] {
            let plain = Pictures.frame(pixel, Size(32, 16))
            let frame = Frame(plain.pixels, range: range, matrix: matrix, captured: .zero, pts: MediaTime(.zero))
            let result = try masked(["zones": Self.left, "color": "#3264c8"], frame)
            let rgb = try Scaler().scale(result, pixel: .rgb24, pool: .shared)
            let found = (0..<3).map { Int(Pictures.pixel(rgb, 12 + $0, 8)) }
            let wanted = pixel == .gray8 ? [96, 96, 96] : [50, 100, 200]
            for (a, b) in zip(found, wanted) { #expect(abs(a - b) <= 6, "\(pixel) \(range): \(found)") }
        }
    }

    @Test(
        "what is left of a picture depends on the averages of its squares alone", arguments: ["blur", "pixelate"],
        [PixelFormat.yuv420, .rgb24, .nv12])
    func irreversible(kind: String, _ pixel: PixelFormat) throws {
        // Two pictures that differ in every pixel but in no square's average: after the mask they are the same.
        func picture(_ phase: Int) -> Frame {
            Pictures.frame(pixel, Size(128, 96)) { _, x, y in
                let step = pixel == .rgb24 ? x / 3 : x
                return UInt8(100 + (x / 48 + y / 24) * 8 + ((step + y + phase) % 2 == 0 ? 30 : -30))
            }
        }
        let options: Value.ValueMap = ["zones": Self.all, "kind": .plain(kind)]
        let (one, two) = (try masked(options, picture(0)), try masked(options, picture(1)))
        for plane in one.pixels.planes.indices {
            let shape = one.pixels.planes[plane]
            var worst = 0
            for y in 0..<shape.height {
                for x in 0..<shape.width * shape.bytesPerPixel {
                    let (a, b) = (Pictures.pixel(one, x, y, plane: plane), Pictures.pixel(two, x, y, plane: plane))
                    worst = max(worst, abs(Int(a) - Int(b)))
                }
            }
            #expect(worst <= 1)
        }
    }

    @Test("a blur passes from square to square without edges, and touches nothing beside it")
    func blur() throws {
        let source = Pictures.frame(.gray8, Size(128, 96)) { _, x, y in UInt8(x < 64 ? (y < 48 ? 20 : 220) : 77) }
        let result = try masked(["zones": Self.left, "kind": "blur"], source)
        for y in 1..<96 {
            let step = abs(Int(Pictures.pixel(result, 20, y)) - Int(Pictures.pixel(result, 20, y - 1)))
            #expect(step <= 26, "row \(y): \(step)")
            #expect(Pictures.pixel(result, 64, y) == 77 && Pictures.pixel(result, 127, y) == 77)
        }
        #expect(Pictures.pixel(result, 20, 2) == 20 && Pictures.pixel(result, 20, 93) == 220)
    }

    @Test(
        "a square of which little is covered shows its neighbour's average, not the few pixels",
        arguments: ["blur", "pixelate"])
    func slivers(kind: String) throws {
        // The polygon reaches one pixel into the next square, and there stands a single bright line.
        let zone: Value = [["0", "0"], ["0.1328125", "0"], ["0.1328125", "1"], ["0", "1"]]
        let source = Pictures.frame(.gray8, Size(128, 96)) { _, x, _ in x == 16 ? 255 : 50 }
        let result = try masked(["zones": zone, "kind": .plain(kind)], source)
        for y in 0..<96 { #expect(Pictures.pixel(result, 16, y) == 50) }
    }

    @Test("no mask copies pixels that nobody else holds", arguments: ["fill", "blur", "pixelate"])
    func inPlace(kind: String) throws {
        let harness = try NodeHarness(
            Registration(transform: MaskNode.self), options: ["zones": Self.left, "kind": .plain(kind)])
        let own = Pictures.frame(.yuv420, Size(64, 48))
        let place = ObjectIdentifier(own.pixels)
        try harness.push(consume own)
        #expect(ObjectIdentifier(try #require(harness.takeItems(Frame.self).first).pixels) == place)
    }

    @Test("a colour without a fill is said")
    func faults() {
        let faults = Registration(transform: MaskNode.self).inspect(
            ["zones": Self.all, "kind": "blur", "color": "red"]
        ).faults
        #expect(faults.map(\.sentence) == ["a mask of kind blur has no colour"])
    }
}
