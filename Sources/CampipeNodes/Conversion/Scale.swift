import CampipeKit
import CampipeMedia

/// Makes pictures of another size, shape or layout. The runtime puts it in by itself too, where a link needs it.
struct Scale: Transform {
    static let name = "scale"
    static let summary = "Makes pictures smaller or larger; takes a part of them, turns and mirrors it."
    static let role: ConverterRole? = .convert

    @Option(1...16_384, "Pixels across; left out, it follows from the height.") var width: Int? = nil
    @Option(1...16_384, "Pixels down; left out, it follows from the width.") var height: Int? = nil
    @Option(1...16_384, "Pixels across at most: what is larger is made smaller, what is smaller stays.")
    var maxWidth: Int? = nil
    @Option("What happens when the shapes differ: bars, cut edges, or a skewed picture.") var fit = FitChoice.contain
    @Option("The part that is taken first: its top left and its bottom right corner, 0…1.") var crop: CropArea? = nil
    @Option("Degrees clockwise, by which the part is turned; width and height are those of the turned picture.")
    var rotate: TurnChoice? = nil
    @Option("Mirrors what was turned: horizontal swaps left and right, vertical top and bottom.")
    var flip: FlipChoice? = nil
    @Option("How the pixels lie in memory; left out, as they come.") var pixel: PixelChoice? = nil
    @Option("Leaves the colour out.") var lumaOnly = false

    private var scaler: Scaler?
    private var pool: FramePool?

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if maxWidth != nil, width != nil || height != nil {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("max_width"), "max_width does not go with width or height",
                    fix: "leave one of them out", part: .key))
        }
        if let width, let height, width * height > Self.maxPixels {
            faults.append(
                Fault(
                    .outOfRange, at: path.key("width"),
                    "\(width)x\(height) is more than \(Self.maxPixels / 1_000_000) megapixels",
                    fix: "make width or height smaller"))
        }
        if geometry == PictureGeometry(fit: fit.media), pixel == nil, !lumaOnly {
            faults.append(
                Fault(
                    .idleNode, at: path, "this scale changes nothing",
                    fix: "set width, height, max_width, crop, rotate or flip", severity: .warning))
        }
    }

    /// The most pixels that a result may have: as many as `decode` takes.
    private static let maxPixels = 100_000_000
    /// The longest side of one, given or not: what `width` and `height` accept.
    private static let maxSide = 16_384

    private var geometry: PictureGeometry {
        PictureGeometry(
            crop: crop, orientation: Orientation(rotate, flip), width: width, height: height, maxWidth: maxWidth,
            fit: fit.media)
    }

    /// - Throws: `.unsupported` for a result beyond the limit; a side that is given can make the other very long.
    private func limitedSize(of size: Size) throws -> Size {
        let result = geometry.size(of: size)
        if max(result.width, result.height) > max(Self.maxSide, size.width, size.height) {
            throw CampipeError(
                .unsupported, "cannot scale \(size) to \(result): a side is longer than \(Self.maxSide) pixels",
                fix: "accepted: sides of 1…\(Self.maxSide); make width or height smaller, or give both")
        }
        guard result.pixels > max(Self.maxPixels, size.pixels) else { return result }
        throw CampipeError(
            .unsupported, "cannot scale \(size) to \(result): more than \(Self.maxPixels / 1_000_000) megapixels",
            fix: "make width or height smaller")
    }

    func output(for input: Format) throws -> Format {
        guard case .frames(var format) = input else { return input }
        format.pixel = Turner.pixel(of: target(of: format.pixel), geometry.orientation)
        // The size is known when both sides are given, or when the input's is.
        format.size = try format.size.map(limitedSize) ?? width.flatMap { width in height.map { Size(width, $0) } }
        if format.pixel == .rgb24 { format.range = .full }
        return .frames(format)
    }

    func want(_ downstream: Want) -> Want {
        var want = geometry.want(downstream)
        if lumaOnly { want.lumaOnly = true }
        return want
    }

    mutating func open(_ context: borrowing Context) throws {
        scaler = Scaler()
        pool = context.pool
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        guard let scaler, let pool else { return }
        let (before, geometry) = (frame.size, geometry)
        _ = try limitedSize(of: before)
        let pixel = Turner.pixel(of: target(of: frame.pixel), geometry.orientation)
        var result = try scaler.scale(
            frame, part: geometry.part(of: before), to: geometry.sizeBeforeTurn(of: before), pixel: pixel,
            fit: fit.media, pool: pool)
        let regions = result.regions
        result = try Turner.turn(result, geometry.orientation, scaler: scaler, pool: pool)
        if !regions.isEmpty { result.regions = regions.compactMap { geometry.place(of: $0, in: before) } }
        output.emit(result)
    }

    mutating func finish() throws { scaler = nil }

    private func target(of pixel: PixelFormat?) -> PixelFormat? { self.pixel?.format ?? (lumaOnly ? .gray8 : pixel) }
}

/// What happens when the shapes differ.
enum FitChoice: String, OptionChoice {
    /// The whole picture, with bars.
    case contain
    /// No bars, with edges cut off.
    case cover
    /// The whole picture without bars, skewed.
    case stretch

    var media: Fit {
        switch self {
        case .contain: .contain
        case .cover: .cover
        case .stretch: .stretch
        }
    }
}

/// How pixels lie in memory, as an option.
enum PixelChoice: String, OptionChoice {
    case yuv420, yuv422, yuv444, nv12, gray8, rgb24

    var format: PixelFormat {
        switch self {
        case .yuv420: .yuv420
        case .yuv422: .yuv422
        case .yuv444: .yuv444
        case .nv12: .nv12
        case .gray8: .gray8
        case .rgb24: .rgb24
        }
    }
}
