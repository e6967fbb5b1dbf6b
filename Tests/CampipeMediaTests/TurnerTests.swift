import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Turning pictures")
struct TurnerTests {
    static let all = (0..<4).flatMap { quarters in
        [(false, false), (true, false), (false, true)].map {
            Orientation(quarters: quarters, flipsX: $0.0, flipsY: $0.1)
        }
    }
    private let pool = FramePool()

    /// What a turn is, said once more: quarter turns clockwise, one after the other.
    private static func turnedOnce(_ rows: [[UInt8]]) -> [[UInt8]] {
        (0..<(rows.first?.count ?? 0)).map { x in rows.reversed().map { $0[x] } }
    }

    private static func rows(_ frame: Frame, _ plane: Int) -> [[UInt8]] {
        let shape = frame.pixels.planes[plane]
        let bytes = FrameCompare.rows(frame, plane)
        let length = shape.width * shape.bytesPerPixel
        return (0..<shape.height).map { Array(bytes[($0 * length)..<(($0 + 1) * length)]) }
    }

    @Test(
        "each turn and mirror puts every pixel of every plane in its place",
        arguments: [Size(48, 32), Size(37, 75), Size(1, 3)], [0, 1, 2, 3])
    func places(_ size: Size, _ quarters: Int) throws {
        for (flipsX, flipsY) in [(false, false), (true, false), (false, true), (true, true)] {
            let frame = Made.frame(.yuv420, size) { plane, x, y in (x * 7 + y * 13 + plane * 31) % 251 }
            let turned = try Turner.turn(
                frame, Orientation(quarters: quarters, flipsX: flipsX, flipsY: flipsY), scaler: Scaler(), pool: pool)
            for plane in 0..<3 {
                var expected = Self.rows(frame, plane)
                for _ in 0..<quarters { expected = Self.turnedOnce(expected) }
                if flipsX { expected = expected.map { $0.reversed() } }
                if flipsY { expected.reverse() }
                #expect(Self.rows(turned, plane) == expected, "plane \(plane), flips \(flipsX) \(flipsY)")
            }
        }
    }

    @Test("pixels of several bytes stay whole", arguments: [PixelFormat.rgb24, .nv12])
    func bytes(_ pixel: PixelFormat) throws {
        let frame = Made.frame(pixel, Size(40, 24)) { _, x, y in (x + y * 5) % 256 }
        let turned = try Turner.turn(frame, Orientation(quarters: 1), scaler: Scaler(), pool: pool)
        #expect(turned.size == Size(24, 40))
        let plane = pixel == .nv12 ? 1 : 0
        let shape = frame.pixels.planes[plane]
        let count = shape.bytesPerPixel
        for y in 0..<shape.height {
            for x in 0..<shape.width {
                for byte in 0..<count {
                    let there = FrameCompare.level(turned, (shape.height - 1 - y) * count + byte, x, plane: plane)
                    #expect(there == FrameCompare.level(frame, x * count + byte, y, plane: plane))
                }
            }
        }
    }

    @Test("4:2:2 turned by a quarter is yuv420, and as it was by a half")
    func halfColour() throws {
        let frame = Made.gradient(.yuv422, Size(64, 48))
        let quarter = try Turner.turn(frame, Orientation(quarters: 1), scaler: Scaler(), pool: pool)
        #expect(quarter.pixel == .yuv420 && quarter.size == Size(48, 64))
        let half = try Turner.turn(frame, Orientation(quarters: 2), scaler: Scaler(), pool: pool)
        #expect(half.pixel == .yuv422 && half.size == Size(64, 48))
    }

    @Test("what was found goes along with the pixels")
    func regions() throws {
        var frame = Made.gradient(.yuv420, Size(64, 48))
        frame.regions = [Region(x: 0.1, y: 0.2, width: 0.3, height: 0.1)]
        let turned = try Turner.turn(frame, Orientation(quarters: 1), scaler: Scaler(), pool: pool)
        let place = try #require(turned.regions.first)
        #expect(abs(place.x - 0.7) < 1e-9 && abs(place.y - 0.1) < 1e-9)
        #expect(place.width == 0.1 && place.height == 0.3)
    }
}
