import CampipeKit
import Foundation

/// How alike two pictures are, as peak signal-to-noise ratio.
enum FrameCompare {
    /// Decibels of one plane; infinite when equal, and -1 when the shapes differ.
    static func psnr(_ left: Frame, _ right: Frame, plane: Int = 0) -> Double {
        let a = rows(left, plane)
        let b = rows(right, plane)
        guard a.count == b.count, !a.isEmpty else { return -1 }
        var sum = 0.0
        for (x, y) in zip(a, b) { sum += Double((Int(x) - Int(y)) * (Int(x) - Int(y))) }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / sum)
    }

    /// The visible bytes of a plane, without padding.
    static func rows(_ frame: Frame, _ plane: Int) -> [UInt8] {
        unsafe frame.withPlane(plane) { pointer, shape in
            var bytes: [UInt8] = []
            for y in 0..<shape.height {
                let row = unsafe UnsafeBufferPointer(
                    start: pointer + y * shape.stride, count: shape.width * shape.bytesPerPixel)
                unsafe bytes.append(contentsOf: row)
            }
            return bytes
        }
    }

    /// One sample of a plane.
    static func level(_ frame: Frame, _ x: Int, _ y: Int, plane: Int = 0) -> UInt8 {
        unsafe frame.withPlane(plane) { pointer, shape in unsafe pointer[y * shape.stride + x] }
    }
}

/// The number that the pictures of the cases carry: eight blocks across the top 128 of 160 columns, white is one.
enum Barcode {
    static func read(_ frame: Frame) -> Int {
        let block = Double(frame.size.width / 10 * 10) / 10
        return (0..<8).reduce(0) { number, bit in
            let x = Int((Double(bit) + 0.5) * block)
            return number * 2 + (FrameCompare.level(frame, x, Int(block / 2)) > 127 ? 1 : 0)
        }
    }
}

/// Frames made in tests.
enum Made {
    static func frame(
        _ pixel: PixelFormat, _ size: Size, range: ColorRange = .full, matrix: ColorMatrix = .bt601,
        pool: FramePool = .shared, _ level: (_ plane: Int, _ x: Int, _ y: Int) -> Int
    ) -> Frame {
        let buffer = pool.buffer(pixel, size)
        for index in buffer.planes.indices {
            unsafe buffer.withMutablePlane(index) { pointer, plane in
                for y in 0..<plane.height {
                    for x in 0..<plane.width * plane.bytesPerPixel {
                        unsafe pointer[y * plane.stride + x] = UInt8(clamping: level(index, x, y))
                    }
                }
            }
        }
        return Frame(
            buffer, range: range, matrix: matrix, captured: .zero, pts: MediaTime(ticks: 0, timebase: .nanoseconds))
    }

    /// A soft picture in every plane, different in each.
    static func gradient(_ pixel: PixelFormat, _ size: Size, range: ColorRange = .full) -> Frame {
        frame(pixel, size, range: range) { plane, x, y in
            switch pixel {
            case .rgb24: [40 + x / 3, 60 + y, 200 - x / 3][x % 3]
            case .nv12 where plane == 1: x % 2 == 0 ? 100 + x / 4 : 140 - y / 2
            default: plane == 0 ? 40 + x + y / 2 : plane == 1 ? 100 + x / 2 : 140 - y / 2
            }
        }
    }
}
