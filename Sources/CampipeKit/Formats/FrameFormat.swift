/// How the pixels of a frame lie in memory.
public enum PixelFormat: String, Sendable, CaseIterable, Codable {
    /// Planes Y, U, V with the colour at half width and half height.
    case yuv420
    /// Planes Y, U, V with the colour at half width.
    case yuv422
    /// Planes Y, U, V at full size.
    case yuv444
    /// A plane Y and one of U and V in turn, at half width and half height.
    case nv12
    /// One plane of luma.
    case gray8
    /// One plane of red, green, blue bytes.
    case rgb24

    /// How many planes there are.
    public var planeCount: Int {
        switch self {
        case .yuv420, .yuv422, .yuv444: 3
        case .nv12: 2
        case .gray8, .rgb24: 1
        }
    }

    /// The size of a plane: columns, rows and bytes a column.
    public func plane(_ index: Int, of size: Size) -> (width: Int, height: Int, bytesPerPixel: Int) {
        let half = (width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        return switch self {
        case .rgb24: (size.width, size.height, 3)
        case _ where index == 0: (size.width, size.height, 1)
        case .yuv420: (half.width, half.height, 1)
        case .yuv422: (half.width, size.height, 1)
        case .nv12: (half.width, half.height, 2)
        case .yuv444, .gray8: (size.width, size.height, 1)
        }
    }

    /// Whether the first plane is luma.
    public var hasLuma: Bool { self != .rgb24 }
}

/// Which of the 256 levels mean black and white: 16…235 of broadcast video, or 0…255 of JPEG.
public enum ColorRange: String, Sendable, Codable {
    case limited, full
}

/// How luma and colour make red, green and blue (ITU-R BT.601, BT.709, BT.2020).
public enum ColorMatrix: String, Sendable, Codable {
    case bt601, bt709, bt2020
}

/// What a stream of frames is.
public struct FrameFormat: Hashable, Sendable, Codable {
    /// nil where any layout is meant.
    public var pixel: PixelFormat?
    /// nil where any size is meant.
    public var size: Size?
    /// Pictures a second, where known.
    public var rate: Double?
    /// Which levels mean black and white.
    public var range: ColorRange
    /// How luma and colour make red, green and blue.
    public var matrix: ColorMatrix

    public init(
        _ pixel: PixelFormat?, size: Size? = nil, rate: Double? = nil, range: ColorRange = .full,
        matrix: ColorMatrix = .bt601
    ) {
        self.pixel = pixel
        self.size = size
        self.rate = rate
        self.range = range
        self.matrix = matrix
    }

    /// Frames of any layout and size.
    public static let any = FrameFormat(nil)
    public static let gray8 = FrameFormat(.gray8)
    public static let yuv420 = FrameFormat(.yuv420)
    public static let yuv422 = FrameFormat(.yuv422)
    public static let yuv444 = FrameFormat(.yuv444)
    public static let nv12 = FrameFormat(.nv12)
    public static let rgb24 = FrameFormat(.rgb24)
}
