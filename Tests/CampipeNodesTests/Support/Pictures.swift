import CampipeKit
import Foundation

@testable import CampipeNodes

/// Pictures and packets for tests.
enum Pictures {
    /// A frame whose planes are filled with the values of `fill`, by plane, column and row.
    static func frame(
        _ pixel: PixelFormat = .yuv420, _ size: Size, at time: Duration = .zero, pool: FramePool = .shared,
        fill: (_ plane: Int, _ x: Int, _ y: Int) -> UInt8 = { plane, _, _ in plane == 0 ? 100 : 128 }
    ) -> Frame {
        let buffer = pool.buffer(pixel, size)
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { base, plane in
                for y in 0..<plane.height {
                    for x in 0..<plane.width * plane.bytesPerPixel { base[y * plane.stride + x] = fill(index, x, y) }
                }
            }
        }
        return Frame(buffer, captured: .zero + time, pts: MediaTime(time))
    }

    static func packet(
        _ bytes: [UInt8] = [], _ format: PacketFormat = .jpeg, at time: Duration = .zero, isKeyframe: Bool = true
    ) -> Packet {
        Packet(Bytes(bytes), format: format, captured: .zero + time, pts: MediaTime(time), isKeyframe: isKeyframe)
    }

    /// One byte of a plane.
    static func pixel(_ frame: Frame, _ x: Int, _ y: Int, plane index: Int = 0) -> UInt8 {
        frame.withPlane(index) { base, plane in base[y * plane.stride + x] }
    }
}

/// Files of the test bundle.
enum Fixture {
    static func bytes(_ path: String) throws -> [UInt8] {
        guard let folder = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else {
            throw CampipeError(.notFound, "the test bundle has no fixtures")
        }
        return Array(try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// The JPEGs of a file that holds them back to back, cut at each start of image; they hold no thumbnails.
    static func jpegs(_ path: String) throws -> [[UInt8]] {
        let bytes = try bytes(path)
        var starts: [Int] = []
        for index in 0..<max(0, bytes.count - 2)
        where bytes[index] == 0xff && bytes[index + 1] == 0xd8 && bytes[index + 2] == 0xff { starts.append(index) }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }
}

extension Emission {
    /// The gap, where it is one.
    var gap: Gap? { if case .gap(let gap) = self { gap } else { nil } }
    /// The format, where it is one.
    var format: Format? { if case .format(let format) = self { format } else { nil } }
}
