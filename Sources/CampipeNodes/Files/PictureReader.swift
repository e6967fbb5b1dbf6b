import CampipeKit
import CampipeMedia
import Foundation
import Glibc

/// Reads one file after another that should hold a JPEG, as a stream of so many a second.
final class PictureReader: PacketReader {
    private var files: ArraySlice<String>
    private let fps: Double
    private var number = 0
    private(set) var file: String
    let creationTime: WallTime? = nil

    /// - Throws: `.notFound` when the path means no picture.
    init(_ path: String, fps: Double) throws(CampipeError) {
        files = PictureList.files(path)[...]
        self.fps = fps
        file = files.first ?? path
        if !PictureList.isList(path), unsafe access(path, R_OK) != 0 {
            throw CampipeError.system("cannot open \(path)", errno: errno, kind: errno == ENOENT ? .notFound : .failed)
        }
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
            // Foundation's own text names its domains and codes.
            let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            throw CampipeError.system("cannot read \(file)", errno: code ?? EIO)
        }
        self.file = file
        let bytes = unsafe data.withUnsafeBytes { unsafe Bytes($0) }
        let time = Duration.nanoseconds(Int64((Double(number) * 1e9 / fps).rounded()))
        number += 1
        return Packet(
            bytes, format: PacketFormat(.jpeg, rate: fps), captured: .zero + time, pts: MediaTime(time),
            duration: .nanoseconds(Int64(1e9 / fps)))
    }
}
