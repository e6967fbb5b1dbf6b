import CampipeKit
import CampipeMedia

/// A camera of this machine that gives the same picture for ever.
final class EndlessCamera: CaptureDevice {
    let facts: CaptureFacts
    private let picture: Bytes
    private var sequence: UInt32 = 0

    /// - Parameter jpeg: What it gives where JPEGs are asked for.
    init(_ request: CaptureRequest, jpeg: [UInt8]) {
        let size = Size(16, 16)
        facts = CaptureFacts(
            name: "endless", layout: request.layout, size: size, bytesPerRow: request.layout.bytesPerRow(size.width))
        picture = Bytes(
            request.layout == .mjpeg ? jpeg : [UInt8](repeating: 90, count: facts.bytesPerRow * size.height * 2))
    }

    func next(within limit: Duration) throws(CampipeError) -> CapturedPicture? {
        sequence &+= 1
        return CapturedPicture(picture, sequence: sequence)
    }
}
