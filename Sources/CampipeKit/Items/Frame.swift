/// A decoded picture.
///
/// A frame is one reference to a header, which refers to the pixels; both are copied only when somebody writes to a
/// shared one. A node that works in place on a frame nobody else holds copies nothing: take it as `consuming` and hand
/// it on.
public struct Frame: Item {
    @usableFromInline var header: FrameStorage

    /// - Parameters:
    ///   - pixels: The picture.
    ///   - range: Which levels mean black and white.
    ///   - matrix: How luma and colour make red, green and blue.
    ///   - rate: Pictures a second, where known.
    ///   - captured: When the light arrived.
    ///   - pts: Presentation time.
    ///   - origin: The packet that it was decoded from, where that packet decodes alone: the best picture there is.
    public init(
        _ pixels: PixelBuffer, range: ColorRange = .full, matrix: ColorMatrix = .bt601, rate: Double? = nil,
        captured: Instant, pts: MediaTime, origin: Packet? = nil
    ) {
        header = FrameStorage(
            pixels: pixels,
            format: FrameFormat(pixels.pixel, size: pixels.size, rate: rate, range: range, matrix: matrix),
            captured: captured, pts: pts, origin: origin)
    }

    /// A frame is the kind `.frame`.
    public static let kind = ItemKind.frame
    /// Its header and pixels, for links and for the harness.
    @inlinable public var storage: ItemStorage { header }
    /// Traps where the storage is no frame's.
    @inlinable public init(storage: consuming ItemStorage) {
        precondition(type(of: storage) == FrameStorage.self, "expected a frame, found a \(storage.kind)")
        header = unsafe unsafeDowncast(storage, to: FrameStorage.self)
    }

    /// Its size, layout of pixels, rate, range and matrix: what `begin` was told of.
    public var format: FrameFormat { header.format }
    /// In pixels, of the first plane.
    public var size: Size { header.pixels.size }
    /// How its pixels lie.
    public var pixel: PixelFormat { header.pixels.pixel }
    /// Its memory, for reading: `withPlane` and `withMutablePlane` are shorter, and keep it from being written while shared.
    public var pixels: PixelBuffer { header.pixels }
    /// The intra-coded packet that it was decoded from, as long as nobody has painted on it; nil otherwise.
    public var origin: Packet? { header.origin }

    /// What nodes found in this picture so far, with the nodes' ids as labels where they gave no other; they stay with
    /// it through nodes that paint on it, and through `replacing`.
    public var regions: [Region] {
        get { header.regions }
        set { uniqueHeader().regions = newValue }
    }

    /// When the light arrived, on the pipeline's clock; of what is not live, on the stream's own line. It is what `late_after` and
    /// joins go by.
    public var captured: Instant {
        get { header.captured }
        set { uniqueHeader().captured = newValue }
    }
    /// When it is to be shown, on the stream's line; never before that of the frame in front.
    public var pts: MediaTime {
        get { header.pts }
        set { uniqueHeader().pts = newValue }
    }
    /// Whether it was decoded with damage.
    public var isDamaged: Bool {
        get { header.flags.contains(.damaged) }
        set {
            let header = uniqueHeader()
            if newValue { header.flags.insert(.damaged) } else { header.flags.remove(.damaged) }
        }
    }

    /// The same times and marks around another picture.
    ///
    /// - Parameters:
    ///   - pixels: The new picture.
    ///   - range: Which levels mean black and white in it; by default as before.
    ///   - matrix: Its matrix; by default as before.
    public func replacing(_ pixels: PixelBuffer, range: ColorRange? = nil, matrix: ColorMatrix? = nil) -> Frame {
        let frame = Frame(
            pixels, range: range ?? format.range, matrix: matrix ?? format.matrix, rate: format.rate,
            captured: captured,
            pts: pts)
        frame.header.flags = header.flags
        frame.header.subscription = header.subscription
        frame.header.regions = header.regions
        return frame
    }

    /// The same picture, marks and origin at another time of presentation, in a stream of another rate.
    ///
    /// Nobody else holds the pixels afterwards if nobody did before.
    public consuming func replayed(at pts: MediaTime, rate: Double?) -> Frame {
        let frame = Frame(
            pixels, range: format.range, matrix: format.matrix, rate: rate, captured: captured, pts: pts, origin: origin
        )
        frame.header.flags = header.flags
        frame.header.subscription = header.subscription
        frame.header.regions = header.regions
        return frame
    }

    /// Lends a plane for reading: its first byte and its shape. The pointer must not leave the closure.
    ///
    /// Row `y` begins at `first + y * plane.stride`, and has `plane.width * plane.bytesPerPixel` bytes. Planes are those of
    /// `PixelFormat`, the first one luma but of `rgb24`; another index traps.
    public func withPlane<Result, Failure: Error>(
        _ index: Int, _ body: (UnsafePointer<UInt8>, PixelBuffer.Plane) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try header.pixels.withPlane(index, body)
    }

    /// Lends a plane for writing, in the shape that `withPlane` tells; copies the pixels first if somebody else holds them too,
    /// and `origin` is nil from then on. The pointer must not leave the closure.
    public mutating func withMutablePlane<Result, Failure: Error>(
        _ index: Int, _ body: (UnsafeMutablePointer<UInt8>, PixelBuffer.Plane) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try uniquePixels().withMutablePlane(index, body)
    }

    /// Lends the luma plane for writing: its first byte and bytes a row. The frame must have luma.
    public mutating func withLuma<Result>(_ body: (UnsafeMutablePointer<UInt8>, Int) throws -> Result) rethrows
        -> Result
    {
        precondition(pixel.hasLuma, "\(pixel) has no luma plane")
        return unsafe try withMutablePlane(0) { pointer, plane in unsafe try body(pointer, plane.stride) }
    }

    /// Replaces each luma level by a function of it alone, which is tabulated first: 256 calls, whatever the size.
    public mutating func mapLuma(_ transform: (UInt8) -> UInt8) {
        precondition(pixel.hasLuma, "\(pixel) has no luma plane")
        let table = (0...255).map { transform(UInt8($0)) }
        unsafe withMutablePlane(0) { pointer, plane in
            unsafe table.withUnsafeBufferPointer { table in
                for y in 0..<plane.height {
                    let row = unsafe pointer + y * plane.stride
                    for x in 0..<plane.width { unsafe row[x] = table[Int(row[x])] }
                }
            }
        }
    }

    private mutating func uniqueHeader() -> FrameStorage {
        if !isKnownUniquelyReferenced(&header) { header = FrameStorage(copying: header) }
        return header
    }

    private mutating func uniquePixels() -> PixelBuffer {
        let header = uniqueHeader()
        if header.pixels.isForeign || !isKnownUniquelyReferenced(&header.pixels) {
            header.pixels = header.pixels.copy()
        }
        // What is about to be painted is no longer what the camera sent.
        header.origin = nil
        return header.pixels
    }
}

@usableFromInline final class FrameStorage: ItemStorage, @unchecked Sendable {
    // As its superclass: changed only through a unique reference.
    var pixels: PixelBuffer
    let format: FrameFormat
    var pts: MediaTime
    var origin: Packet?
    var regions: [Region] = []

    init(pixels: PixelBuffer, format: FrameFormat, captured: Instant, pts: MediaTime, origin: Packet?) {
        self.pixels = pixels
        self.format = format
        self.pts = pts
        self.origin = origin
        super.init(captured: captured, flags: [], byteCount: pixels.byteCount, formatToken: 0)
    }

    init(copying other: FrameStorage) {
        pixels = other.pixels
        format = other.format
        pts = other.pts
        origin = other.origin
        regions = other.regions
        super.init(copying: other)
    }

    override func copy() -> ItemStorage { FrameStorage(copying: self) }
    override var streamTime: Duration? { pts.duration }
    override func shift(by offset: Duration, captured: Instant) {
        pts = pts.shifted(by: offset)
        self.captured = captured
    }
    override var kind: ItemKind { .frame }
    override var streamFormat: Format { .frames(format) }
    override func hasFormat(_ other: Format?) -> Bool {
        if case .frames(let other)? = other { other == format } else { false }
    }
}
