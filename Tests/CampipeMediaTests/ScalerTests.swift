import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Scaling and converting frames")
struct ScalerTests {
    let pool = FramePool()

    @Test("nothing to change is the same frame")
    func identity() throws {
        let frame = Made.gradient(.yuv420, Size(64, 48))
        let same = try Scaler().scale(frame, to: frame.size, fit: .cover, pool: pool)
        #expect(same.pixels === frame.pixels)
    }

    @Test("each layout becomes each other and back", arguments: PixelFormat.allCases, PixelFormat.allCases)
    func layouts(_ from: PixelFormat, _ to: PixelFormat) throws {
        let frame = Made.gradient(from, Size(64, 48))
        let there = try Scaler().scale(frame, pixel: to, pool: pool)
        #expect(there.pixel == to && there.size == frame.size)
        let back = try Scaler().scale(there, pixel: from, pool: pool)
        if to != .gray8 {
            for plane in 0..<from.planeCount {
                #expect(FrameCompare.psnr(back, frame, plane: plane) > 30, "plane \(plane)")
            }
        } else if from.hasLuma {
            #expect(FrameCompare.psnr(back, frame) > 50)
        }
    }

    @Test(
        "black and white stay black and white in both ranges", arguments: [PixelFormat.yuv420, .gray8, .nv12, .yuv444])
    func ranges(_ pixel: PixelFormat) throws {
        let scaler = Scaler()
        let limited = Made.frame(pixel, Size(32, 16), range: .limited) { plane, x, _ in
            plane > 0 ? 128 : x < 16 ? 16 : 235
        }
        let full = try scaler.scale(limited, range: .full, pool: pool)
        #expect(full.format.range == .full)
        #expect(FrameCompare.level(full, 2, 8) <= 1)
        #expect(FrameCompare.level(full, 30, 8) >= 254)
        let back = try scaler.scale(full, range: .limited, pool: pool)
        #expect(abs(Int(FrameCompare.level(back, 2, 8)) - 16) <= 1)
        #expect(abs(Int(FrameCompare.level(back, 30, 8)) - 235) <= 1)
    }

    @Test(
        "grey from colour and colour from grey keep their levels in each range",
        arguments: [
            (PixelFormat.yuv420, PixelFormat.gray8), (.gray8, .yuv420), (.gray8, .nv12), (.nv12, .gray8),
            (.gray8, .rgb24),
            (.rgb24, .gray8), (.yuv420, .rgb24), (.rgb24, .yuv420),
        ], [(ColorRange.full, ColorRange.full), (.full, .limited), (.limited, .full), (.limited, .limited)])
    func grey(_ pair: (PixelFormat, PixelFormat), _ ranges: (ColorRange, ColorRange)) throws {
        let (from, to) = ranges
        let (before, after) = (pair.0 == .rgb24 ? .full : from, pair.1 == .rgb24 ? .full : to)
        func level(_ white: Bool, _ range: ColorRange) -> Int { range == .full ? white ? 255 : 0 : white ? 235 : 16 }
        let frame = Made.frame(pair.0, Size(32, 16), range: before) { plane, x, _ in
            plane > 0 ? 128 : level(x >= (pair.0 == .rgb24 ? 48 : 16), before)
        }
        let result = try Scaler().scale(frame, to: Size(64, 32), pixel: pair.1, range: after, pool: pool)
        #expect(result.format.range == after)
        let step = pair.1 == .rgb24 ? 3 : 1
        #expect(abs(Int(FrameCompare.level(result, 4 * step, 8)) - level(false, after)) <= 1)
        #expect(abs(Int(FrameCompare.level(result, 60 * step, 8)) - level(true, after)) <= 1)
        for plane in 1..<max(1, pair.1.planeCount) {
            #expect(FrameCompare.rows(result, plane).allSatisfy { (127...129).contains($0) })
        }
    }

    @Test(
        "red is red by each matrix",
        arguments: [
            (ColorMatrix.bt601, ColorRange.full, 76, 85, 255), (.bt601, .limited, 81, 90, 240),
            (.bt709, .limited, 63, 102, 240),
            (.bt709, .full, 54, 99, 255), (.bt2020, .limited, 74, 97, 240),
        ])
    func matrices(_ matrix: ColorMatrix, _ range: ColorRange, _ y: Int, _ cb: Int, _ cr: Int) throws {
        let red = Made.frame(.rgb24, Size(32, 32)) { _, x, _ in x % 3 == 0 ? 255 : 0 }
        let frame = try Scaler().scale(red, pixel: .yuv420, range: range, matrix: matrix, pool: pool)
        #expect(abs(Int(FrameCompare.level(frame, 8, 8)) - y) <= 2)
        #expect(abs(Int(FrameCompare.level(frame, 4, 4, plane: 1)) - cb) <= 2)
        #expect(abs(Int(FrameCompare.level(frame, 4, 4, plane: 2)) - cr) <= 2)
        let back = try Scaler().scale(frame, pixel: .rgb24, pool: pool)
        #expect(FrameCompare.level(back, 24, 8) >= 250)
        #expect(FrameCompare.level(back, 25, 8) <= 5)
    }

    @Test("a matrix is changed in planes")
    func matrixToMatrix() throws {
        let red = Made.frame(.yuv444, Size(16, 16), range: .limited, matrix: .bt709) { plane, _, _ in
            [63, 102, 240][plane]
        }
        let frame = try Scaler().scale(red, matrix: .bt601, pool: pool)
        #expect(frame.format.matrix == .bt601)
        #expect(abs(Int(FrameCompare.level(frame, 8, 8)) - 81) <= 2)
        #expect(abs(Int(FrameCompare.level(frame, 8, 8, plane: 2)) - 240) <= 2)
    }

    @Test(
        "a picture keeps its place: contain puts exact bars, cover cuts evenly",
        arguments: [
            PixelFormat.yuv420, .yuv422, .yuv444, .nv12, .gray8, .rgb24,
        ], [Size(100, 40), Size(61, 200), Size(127, 33), Size(640, 16)])
    func bars(_ pixel: PixelFormat, _ size: Size) throws {
        let white = Made.frame(pixel, Size(64, 48)) { plane, _, _ in plane == 0 ? 255 : 128 }
        let frame = try Scaler().scale(white, to: size, fit: .contain, pool: pool)
        let target = FitGeometry(from: white.size, to: size, .contain).target
        let step = pixel == .rgb24 ? 3 : 1
        for y in 0..<size.height {
            for x in 0..<size.width {
                let inside =
                    x >= target.x && x < target.x + target.width && y >= target.y && y < target.y + target.height
                let level = FrameCompare.level(frame, x * step, y)
                #expect(inside ? level >= 254 : level == 0, "\(x),\(y) is \(level)")
            }
        }
        for plane in 1..<max(1, pixel.planeCount) {
            #expect(FrameCompare.rows(frame, plane).allSatisfy { (127...129).contains($0) })
        }
    }

    @Test("times and marks go with the picture")
    func marks() throws {
        var frame = Made.gradient(.yuv420, Size(64, 48))
        frame.captured = Instant(nanoseconds: 5)
        frame.isDamaged = true
        let small = try Scaler().scale(frame, to: Size(32, 24), pool: pool)
        #expect(small.captured == frame.captured && small.isDamaged)
    }
}

@Suite("The geometry of fitting")
struct FitGeometryTests {
    @Test(
        "known shapes",
        arguments: [
            (
                Size(1280, 720), Size(640, 360), Fit.contain, PixelRect(x: 0, y: 0, width: 1280, height: 720),
                PixelRect(x: 0, y: 0, width: 640, height: 360)
            ),
            (
                Size(1280, 720), Size(640, 480), .contain, PixelRect(x: 0, y: 0, width: 1280, height: 720),
                PixelRect(x: 0, y: 60, width: 640, height: 360)
            ),
            (
                Size(640, 480), Size(1280, 720), .contain, PixelRect(x: 0, y: 0, width: 640, height: 480),
                PixelRect(x: 160, y: 0, width: 960, height: 720)
            ),
            (
                Size(640, 480), Size(1280, 720), .cover, PixelRect(x: 0, y: 60, width: 640, height: 360),
                PixelRect(x: 0, y: 0, width: 1280, height: 720)
            ),
            (
                Size(640, 480), Size(100, 300), .stretch, PixelRect(x: 0, y: 0, width: 640, height: 480),
                PixelRect(x: 0, y: 0, width: 100, height: 300)
            ),
            (
                Size(1, 1), Size(1, 100), .contain, PixelRect(x: 0, y: 0, width: 1, height: 1),
                PixelRect(x: 0, y: 48, width: 1, height: 2)
            ),
            (
                Size(161, 121), Size(161, 121), .cover, PixelRect(x: 0, y: 0, width: 161, height: 121),
                PixelRect(x: 0, y: 0, width: 161, height: 121)
            ),
        ])
    func known(_ from: Size, _ to: Size, _ fit: Fit, _ source: PixelRect, _ target: PixelRect) {
        let geometry = FitGeometry(from: from, to: to, fit)
        #expect(geometry.source == source)
        #expect(geometry.target == target)
    }

    @Test("whatever the sizes, both parts lie inside, begin even and touch")
    func random() {
        var random = SplitMix(seed: 1)
        for _ in 0..<5000 {
            func side() -> Int { Int(random.next() % 200) + 1 }
            let (from, to) = (Size(side(), side()), Size(side(), side()))
            for fit in Fit.allCases {
                let geometry = FitGeometry(from: from, to: to, fit)
                for (rect, size) in [(geometry.source, from), (geometry.target, to)] {
                    #expect(rect.x % 2 == 0 && rect.y % 2 == 0 && rect.width > 0 && rect.height > 0)
                    #expect(rect.x + rect.width <= size.width && rect.y + rect.height <= size.height)
                    #expect(rect.width == size.width || rect.height == size.height)
                }
            }
        }
    }
}
