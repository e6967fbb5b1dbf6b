import CampipeKit
import CampipeMedia

/// Makes pictures of another size or layout. The runtime puts it in by itself too, where a link needs it.
struct Scale: Transform {
    static let name = "scale"
    static let summary = "Makes pictures smaller or larger."
    static let role: ConverterRole? = .convert

    @Option(1...16_384, "Pixels across; left out, it follows from the height.") var width: Int? = nil
    @Option(1...16_384, "Pixels down; left out, it follows from the width.") var height: Int? = nil
    @Option(1...16_384, "Pixels across at most: what is larger is made smaller, what is smaller stays.")
    var maxWidth: Int? = nil
    @Option("What happens when the shapes differ: bars, cut edges, or a skewed picture.") var fit = FitChoice.contain
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
        if width == nil, height == nil, maxWidth == nil, pixel == nil, !lumaOnly {
            faults.append(
                Fault(
                    .missingKey, at: path, "this scale changes nothing", fix: "set width, height or max_width",
                    severity: .warning))
        }
    }

    /// The most pixels that a result may have: as many as `decode` takes.
    private static let maxPixels = 100_000_000
    /// The longest side of one, given or not: what `width` and `height` accept.
    private static let maxSide = 16_384

    /// - Throws: `.unsupported` for a result beyond the limit; a side that is given can make the other very long.
    private func limitedSize(of size: Size) throws -> Size {
        let result = self.size(of: size)
        guard result != size else { return result }
        if max(result.width, result.height) > Self.maxSide {
            throw CampipeError(
                .unsupported, "cannot scale \(size) to \(result): a side is longer than \(Self.maxSide) pixels",
                fix: "accepted: sides of 1…\(Self.maxSide); make width or height smaller, or give both")
        }
        guard result.pixels > Self.maxPixels else { return result }
        throw CampipeError(
            .unsupported, "cannot scale \(size) to \(result): more than \(Self.maxPixels / 1_000_000) megapixels",
            fix: "make width or height smaller")
    }

    func output(for input: Format) throws -> Format {
        guard case .frames(var format) = input else { return input }
        format.pixel = target(of: format.pixel)
        // The size is known when both sides are given, or when the input's is.
        format.size = try format.size.map(limitedSize) ?? width.flatMap { width in height.map { Size(width, $0) } }
        if format.pixel == .rgb24 { format.range = .full }
        return .frames(format)
    }

    /// As many columns as the result needs, so that a decoder in front reduces as much as it can for nothing.
    func want(_ downstream: Want) -> Want {
        var want = Want(maxRate: downstream.maxRate, lumaOnly: lumaOnly || downstream.lumaOnly)
        switch (width, height) {
        case (let width?, let height?): want.maxWidth = fit == .contain ? width : max(width, height * 2)
        case (let width?, nil): want.maxWidth = width
        case (nil, .some): want.maxWidth = nil
        case (nil, nil): want.maxWidth = maxWidth ?? downstream.maxWidth
        }
        return want
    }

    mutating func open(_ context: borrowing Context) throws {
        scaler = Scaler()
        pool = context.pool
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        guard let scaler, let pool else { return }
        let (size, pixel) = (try limitedSize(of: frame.size), target(of: frame.pixel))
        output.emit(try scaler.scale(frame, to: size, pixel: pixel, fit: fit.media, pool: pool))
    }

    mutating func finish() throws { scaler = nil }

    private func target(of pixel: PixelFormat?) -> PixelFormat? { self.pixel?.format ?? (lumaOnly ? .gray8 : pixel) }

    /// What becomes of a size; a side that is left out is rounded to whole pairs, which colour needs.
    func size(of size: Size) -> Size {
        func other(_ side: Int, _ own: Int, _ across: Int) -> Int { max(2, (side * own * 2 / across + 1) / 2 & ~1) }
        switch (width, height) {
        case (let width?, let height?): return Size(width, height)
        case (let width?, nil): return Size(width, other(size.height, width, size.width))
        case (nil, let height?): return Size(other(size.width, height, size.height), height)
        case (nil, nil):
            guard let maxWidth, size.width > maxWidth else { return size }
            return Size(maxWidth, other(size.height, maxWidth, size.width))
        }
    }
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
