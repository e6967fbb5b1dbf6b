import CampipeKit
import CampipeMedia
import Foundation

/// Reads one JPEG after another from files, as a stream of so many a second.
final class PictureReader: PacketReader {
    private var files: ArraySlice<String>
    private let fps: Double
    private var number = 0

    /// - Throws: `.notFound` when the path means no picture.
    init(_ path: String, fps: Double) throws(CampipeError) {
        files = PictureList.files(path)[...]
        self.fps = fps
        guard !files.isEmpty else {
            throw CampipeError(
                .notFound, "there are no pictures at \(path)",
                fix: "name a folder with JPEGs, or a pattern such as shots/*.jpg")
        }
    }

    func next() throws -> Packet? {
        guard let file = files.popFirst() else { return nil }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw CampipeError(.failed, "cannot read \(file)", cause: error)
        }
        let bytes = unsafe data.withUnsafeBytes { unsafe Bytes($0) }
        let size: Size
        do throws(CampipeError) {
            size = try JPEGHeader(bytes).size
        } catch {
            throw CampipeError(error.kind, "cannot read \(file): \(error.message)")
        }
        let time = Duration.nanoseconds(Int64((Double(number) * 1e9 / fps).rounded()))
        number += 1
        return Packet(
            bytes, format: PacketFormat(.jpeg, size: size, rate: fps), captured: .zero + time, pts: MediaTime(time),
            duration: .nanoseconds(Int64(1e9 / fps)))
    }
}
