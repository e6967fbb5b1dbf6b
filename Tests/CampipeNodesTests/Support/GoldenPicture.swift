import CampipeKit
import CampipeMedia
import Foundation

@testable import CampipeNodes

/// Pictures that were looked at once, kept as JPEGs under Fixtures/golden.
///
/// `CAMPIPE_UPDATE_GOLDEN=1 swift test` writes them anew; look at them.
enum GoldenPicture {
    /// How alike a frame and its kept picture are: decibels of the plane that differs most.
    static func likeness(_ frame: Frame, _ name: String) throws -> Double {
        let pool = FramePool()
        if ProcessInfo.processInfo.environment["CAMPIPE_UPDATE_GOLDEN"] == "1" {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let file = folder.appending(path: "Fixtures/golden/\(name).jpg")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let jpeg = try JPEGEncoder().encode(frame, quality: 95, pool: pool)
            try Data(jpeg.withBytes { Array($0) }).write(to: file)
            return .infinity
        }
        let kept = Pictures.packet(try Fixture.bytes("golden/\(name).jpg"))
        let decoded = try JPEGDecoder().decode(kept, pool: pool)
        guard decoded.size == frame.size else { return -1 }
        // Both as 4:2:0 of all levels, as the JPEG has them.
        let scaler = Scaler()
        let left = try scaler.scale(frame, pixel: .yuv420, range: .full, matrix: .bt601, pool: pool)
        let right = try scaler.scale(decoded, pixel: .yuv420, range: .full, matrix: .bt601, pool: pool)
        return (0..<3).map { psnr(left, right, plane: $0) }.min() ?? -1
    }

    private static func psnr(_ left: Frame, _ right: Frame, plane index: Int) -> Double {
        var (sum, count) = (0.0, 0)
        left.withPlane(index) { a, plane in
            right.withPlane(index) { b, other in
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        let difference = Double(a[y * plane.stride + x]) - Double(b[y * other.stride + x])
                        sum += difference * difference
                        count += 1
                    }
                }
            }
        }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(count) / sum)
    }
}
