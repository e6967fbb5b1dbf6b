import CampipeKit
import CampipeMedia
import Foundation

/// Lays a picture over frames; it is scaled and converted anew only when the frames' size or format changes.
///
/// One owner, in one node's turns.
final class ImagePainter {
    /// How often the picture was made ready.
    private(set) var conversions = 0
    private let picture: AlphaPicture
    private let position: Overlay.Corner
    private let share: Double
    private let opacity: Double
    private var ready: (format: FrameFormat, stamp: PictureStamp)?

    /// - Parameters:
    ///   - share: Of the frame's height; less where it would be wider than the frame.
    ///   - opacity: 0…1.
    init(_ picture: AlphaPicture, position: Overlay.Corner, share: Double, opacity: Double) {
        self.picture = picture
        self.position = position
        self.share = share
        self.opacity = opacity
    }

    /// Bytes that a file may have.
    private static let sizeLimit = 64 << 20

    /// Reads a PNG.
    ///
    /// - Throws: `.notFound` where there is no file, `.badData` for what is no PNG.
    static func read(_ path: String) throws(CampipeError) -> AlphaPicture {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw CampipeError(
                isThere ? .failed : .notFound,
                isThere ? "cannot read the image \(path)" : "there is no image \(path)",
                fix: "name a PNG that may be read")
        }
        defer { try? handle.close() }
        let data: Data
        do {
            data = try handle.read(upToCount: sizeLimit) ?? Data()
        } catch {
            throw CampipeError(.failed, "cannot read the image \(path)", cause: error)
        }
        do throws(CampipeError) {
            return try PNGDecoder.decode(Array(data))
        } catch {
            throw CampipeError(error.kind, "cannot show the image \(path): \(error.message)", fix: error.fix)
        }
    }

    func paint(on frame: inout Frame) {
        if ready?.format != frame.format { ready = (frame.format, stamp(for: frame.format, frame.size)) }
        ready?.stamp.paint(on: &frame)
    }

    private func stamp(for format: FrameFormat, _ size: Size) -> PictureStamp {
        conversions += 1
        let (own, across) = (Double(picture.height), Double(picture.width))
        let margin = max(2, size.height / 60)
        let room = Double(max(1, size.width - 2 * margin))
        let scale = min(share * Double(size.height) / own, room / across)
        let scaled = picture.scaled(
            toWidth: Int((across * scale).rounded()), height: Int((own * scale).rounded()))
        return PictureStamp(
            scaled, x: position.x(of: scaled.width, in: size, margin),
            y: max(0, position.y(of: scaled.height, in: size, margin)), opacity: opacity, format: format)
    }
}
