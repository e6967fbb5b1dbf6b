public import CampipeKit

/// One JPEG as a camera sent it, byte for byte from FF D8 to its end.
public struct JPEGPicture: Sendable {
    public var bytes: Bytes
    /// In pixels, from the frame header.
    public var width: Int
    public var height: Int
    /// It has no end of image; a length, a delimiter or the next picture ended it.
    public var isDamaged: Bool
    /// Whether it defines Huffman tables; browsers need the standard ones put in where there is none.
    public var hasHuffmanTables: Bool
    /// The camera's own time of it (`X-Timestamp`, seconds since 1970), as metadata only.
    public var timestamp: WallTime?

    public init(
        bytes: Bytes, width: Int, height: Int, isDamaged: Bool = false, hasHuffmanTables: Bool = true,
        timestamp: WallTime? = nil
    ) {
        self.bytes = bytes
        self.width = width
        self.height = height
        self.isDamaged = isDamaged
        self.hasHuffmanTables = hasHuffmanTables
        self.timestamp = timestamp
    }
}

/// Why a picture or a part of a stream was not handed on.
public enum PictureDropReason: Sendable, Hashable {
    /// The connection's end, or another picture, cut it before there was something to show.
    case truncated
    /// Its structure is broken, or there is none.
    case notJPEG
    /// It is beyond the limit of bytes or pixels.
    case tooLarge
    /// The part says that it is of another type.
    case unsupportedPart(type: String)

    /// It belongs to the picture before it, in the same part: a further view or a preview.
    case secondView

    /// The word of the counters: `truncated`, `not_jpeg`, `too_large`, `unsupported_part`, `second_view`.
    public var name: String {
        switch self {
        case .truncated: "truncated"
        case .notJPEG: "not_jpeg"
        case .tooLarge: "too_large"
        case .unsupportedPart: "unsupported_part"
        case .secondView: "second_view"
        }
    }
}
