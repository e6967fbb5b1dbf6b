import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Painting on frames")
struct PaintingTests {
    /// What a pixel of any layout looks like, as red, green, blue.
    private func color(_ frame: Frame, _ x: Int, _ y: Int) throws -> [Int] {
        let rgb = try Scaler().scale(frame, pixel: .rgb24, pool: .shared)
        return (0..<3).map { Int(FrameCompare.level(rgb, 3 * x + $0, y)) }
    }

    private func near(_ a: [Int], _ b: [Int], by: Int = 4) -> Bool { zip(a, b).allSatisfy { abs($0 - $1) <= by } }

    private func canvas(_ pixel: PixelFormat, range: ColorRange = .full, matrix: ColorMatrix = .bt601) -> Frame {
        Made.frame(pixel, Size(64, 48), range: range, matrix: matrix) { plane, _, _ in plane == 0 ? 40 : 128 }
    }

    @Test(
        "a colour is the same in every layout, range and matrix", arguments: PixelFormat.allCases,
        [
            (ColorRange.full, ColorMatrix.bt601), (.limited, .bt709), (.limited, .bt2020), (.full, .bt709),
        ])
    func colors(_ pixel: PixelFormat, _ kind: (ColorRange, ColorMatrix)) throws {
        var frame = canvas(pixel, range: kind.0, matrix: kind.1)
        let before = try color(frame, 2, 2)
        Painting.fill(PixelRect(x: 16, y: 16, width: 24, height: 16), RGBColor(230, 60, 40), opacity: 1).paint(
            on: &frame)
        let painted = try color(frame, 28, 24)
        if pixel == .gray8 {
            #expect(Set(painted).count == 1)
        } else {
            #expect(near(painted, [230, 60, 40]), "\(painted)")
        }
        #expect(try near(color(frame, 2, 2), before, by: 1))
        #expect(try near(color(frame, 50, 40), before, by: 1))
    }

    @Test("half of the opacity is half of the way")
    func opacity() throws {
        var frame = canvas(.rgb24)
        Painting.fill(PixelRect(x: 0, y: 0, width: 10, height: 10), RGBColor(240, 40, 140), opacity: 0.5).paint(
            on: &frame)
        #expect(FrameCompare.level(frame, 0, 0) == 140 && FrameCompare.level(frame, 1, 0) == 40)
        var whole = canvas(.rgb24)
        Painting.fill(PixelRect(x: 0, y: 0, width: 10, height: 10), .black, opacity: 1).paint(on: &whole)
        #expect(FrameCompare.level(whole, 0, 0) == 0)
        Painting.fill(PixelRect(x: 0, y: 0, width: 10, height: 10), .white, opacity: 1).paint(on: &whole)
        #expect(FrameCompare.level(whole, 0, 0) == 255)
    }

    @Test("a box is its border alone, and what sticks out is cut off", arguments: [PixelFormat.yuv420, .nv12, .rgb24])
    func box(_ pixel: PixelFormat) throws {
        var frame = canvas(pixel)
        Painting.box(PixelRect(x: 8, y: 8, width: 32, height: 24), .white, thickness: 2, opacity: 1).paint(on: &frame)
        #expect(try near(color(frame, 8, 20), [255, 255, 255]))
        #expect(try near(color(frame, 39, 31), [255, 255, 255]))
        #expect(try near(color(frame, 20, 20), [40, 40, 40]))
        #expect(try near(color(frame, 40, 20), [40, 40, 40]))
        for rect in [
            PixelRect(x: -50, y: -50, width: 60, height: 60), PixelRect(x: 60, y: 40, width: 900, height: 900),
            PixelRect(x: 500, y: 5, width: 9, height: 9), PixelRect(x: 3, y: 3, width: 0, height: -4),
        ] {
            Painting.box(rect, .white, thickness: 3, opacity: 1).paint(on: &frame)
            Painting.fill(rect, .white, opacity: 1).paint(on: &frame)
        }
    }

    @Test("odd sizes are painted to their last pixel", arguments: [PixelFormat.yuv420, .nv12, .yuv422])
    func odd(_ pixel: PixelFormat) {
        var frame = Made.frame(pixel, Size(33, 17)) { plane, _, _ in plane == 0 ? 40 : 128 }
        Painting.fill(PixelRect(x: 0, y: 0, width: 99, height: 99), RGBColor(255, 0, 0), opacity: 1).paint(on: &frame)
        #expect(FrameCompare.rows(frame, 0).allSatisfy { $0 == 76 })
        // At the odd edge a sample of colour stands for fewer pixels than its block has.
        #expect(FrameCompare.level(frame, 0, 0, plane: 1) == 85)
    }

    @Test("text is white in a dark outline, in place")
    func text() throws {
        let mask = try TextRenderer().render("I", height: 40, outline: 3)
        var frame = Made.frame(.yuv420, Size(64, 64), pool: FramePool()) { plane, _, _ in plane == 0 ? 120 : 128 }
        let pixels = frame.pixels
        let identity = ObjectIdentifier(pixels)
        _ = consume pixels
        Painting.text(mask, x: 10, y: 4, .white, outline: .black, opacity: 1).paint(on: &frame)
        #expect(ObjectIdentifier(frame.pixels) == identity, "nothing is copied")
        let middle = FrameCompare.rows(frame, 0)[(24 * 64)..<(25 * 64)]
        #expect(middle.contains(255) && middle.contains(0))
        let shape = middle.map { $0 > 200 ? "W" : $0 < 50 ? "b" : "." }.joined()
        #expect(shape.contains("bbWW") || shape.contains("bb.WW") || shape.contains("b.W"), "\(shape)")
    }

    @Test("a shared frame is copied, so that the other keeps its picture")
    func shared() {
        let original = canvas(.yuv420)
        var frame = original
        Painting.fill(PixelRect(x: 0, y: 0, width: 64, height: 48), .white, opacity: 1).paint(on: &frame)
        #expect(FrameCompare.level(original, 5, 5) == 40 && FrameCompare.level(frame, 5, 5) == 255)
    }

    @Test(
        "colours are read as people write them",
        arguments: [
            ("#ff8000", RGBColor(255, 128, 0) as RGBColor?), ("#F80", RGBColor(255, 136, 0)), ("White", .white),
            ("#12345", nil), ("ff8000", nil), ("#gg0000", nil), ("", nil),
        ])
    func names(_ text: String, _ color: RGBColor?) { #expect(RGBColor(text) == color) }

    @Test(
        "a line goes from its start to its end, as thick as asked, in every direction",
        arguments: [
            (PixelPoint(x: 4, y: 4), PixelPoint(x: 60, y: 4)), (PixelPoint(x: 4, y: 40), PixelPoint(x: 4, y: 4)),
            (PixelPoint(x: 4, y: 4), PixelPoint(x: 60, y: 40)), (PixelPoint(x: 60, y: 4), PixelPoint(x: 10, y: 40)),
            (PixelPoint(x: 20, y: 44), PixelPoint(x: 30, y: 2)), (PixelPoint(x: 9, y: 9), PixelPoint(x: 9, y: 9)),
        ])
    func line(_ start: PixelPoint, _ end: PixelPoint) {
        var frame = Made.frame(.gray8, Size(64, 48)) { _, _, _ in 0 }
        Painting.line(from: start, to: end, .white, thickness: 1, opacity: 1).paint(on: &frame)
        var painted: [PixelPoint] = []
        for y in 0..<48 {
            for x in 0..<64 where FrameCompare.level(frame, x, y) > 0 { painted.append(.init(x: x, y: y)) }
        }
        #expect(painted.count == max(abs(end.x - start.x), abs(end.y - start.y)) + 1)
        #expect(painted.contains(start) && painted.contains(end))
        let length = max(1, hypot(Double(end.x - start.x), Double(end.y - start.y)))
        for point in painted {
            let across = (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
            #expect(abs(Double(across)) / length <= 0.75)
        }
    }
}
