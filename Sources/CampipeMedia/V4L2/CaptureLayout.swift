package import CampipeKit

/// How the bytes of a captured picture are laid out, of the layouts that are read.
package enum CaptureLayout: String, Sendable, CaseIterable {
    /// A JPEG, maybe without its Huffman tables.
    case mjpeg
    /// Luma, blue, luma, red: two pixels in four bytes.
    case yuyv
    /// A plane of luma, then one of blue and red in turn, at half the width and height.
    case nv12
    /// Three planes, colour at half the width and height.
    case yuv420
    /// Luma alone.
    case gray
    case rgb24

    /// The four characters that V4L2 calls it by.
    package var name: String {
        switch self {
        case .mjpeg: "MJPG"
        case .yuyv: "YUYV"
        case .nv12: "NV12"
        case .yuv420: "YU12"
        case .gray: "GREY"
        case .rgb24: "RGB3"
        }
    }

    /// V4L2's number: the characters, the first one lowest.
    var code: UInt32 { name.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    /// The layout of frames that are made of it; nil of a JPEG.
    package var pixel: PixelFormat? {
        switch self {
        case .mjpeg: nil
        case .yuyv: .yuv422
        case .nv12: .nv12
        case .yuv420: .yuv420
        case .gray: .gray8
        case .rgb24: .rgb24
        }
    }

    /// Bytes of a row of so many pixels, where the device does not say.
    package func bytesPerRow(_ width: Int) -> Int {
        switch self {
        case .mjpeg: 0
        case .yuyv: width * 2
        case .nv12, .yuv420, .gray: width
        case .rgb24: width * 3
        }
    }

    /// The four characters of any code; what is no letter becomes a question mark.
    static func name(of code: UInt32) -> String {
        String(decoding: (0..<4).map { UInt8(code >> ($0 * 8) & 0x7F) }.map { $0 > 0x20 ? $0 : 0x3F }, as: UTF8.self)
            .trimmingBlanks
    }
}

extension String {
    /// Without the question marks that stand for blanks at its end.
    fileprivate var trimmingBlanks: String { String(reversed().drop { $0 == "?" }.reversed()) }
}
