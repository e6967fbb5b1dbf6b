import CTurboJPEG
import CampipeKit

/// A handle of TurboJPEG, which goes with it, and what is known of how its calls end. One owner, one thread at a time.
@safe final class TurboJPEGHandle {
    /// What it is for.
    enum Purpose { case compress, decompress, transform }

    private(set) var pointer: tjhandle
    private let purpose: Purpose

    init(_ purpose: Purpose) {
        self.purpose = purpose
        unsafe pointer = Self.make(purpose)
    }

    deinit { _ = unsafe tjDestroy(pointer) }

    /// Forgets all that the calls before have left in it.
    func renew() {
        _ = unsafe tjDestroy(pointer)
        unsafe pointer = Self.make(purpose)
    }

    /// How a JPEG holds colour, as its header says.
    ///
    /// - Returns: The sampling, nil where TurboJPEG has no name for it, which is an error to it though the colour space is
    ///   known.
    /// - Throws: `.badData` when there is no header.
    func color(of jpeg: UnsafeRawBufferPointer) throws(CampipeError) -> (sampling: TJSAMP?, space: TJCS) {
        var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, -1, -1)
        let result = unsafe tjDecompressHeader3(
            pointer, Self.start(jpeg), UInt(jpeg.count), &width, &height, &sampling, &space)
        // TurboJPEG 2.1 stays in the middle of a header that failed, and would read the next picture from there.
        defer { if result != 0 { renew() } }
        if sampling >= 0 || space < 0 { _ = try check(result, "cannot read the JPEG") }
        return (sampling >= 0 ? TJSAMP(UInt32(sampling)) : nil, TJCS(UInt32(bitPattern: space)))
    }

    /// The one check of every return value.
    ///
    /// - Returns: Whether the picture came with damage (TurboJPEG's "warning"); it may have given up anywhere then, and
    ///   what it did not reach is as it was.
    /// - Throws: `.badData` with the library's own words.
    func check(_ result: Int32, _ attempted: String) throws(CampipeError) -> Bool {
        if result == 0 { return false }
        if unsafe tjGetErrorCode(pointer) == Int32(TJERR_WARNING.rawValue) { return true }
        throw CampipeError(.badData, "\(attempted): \(text)")
    }

    /// The library's last words on this handle, without its own prefix.
    var text: String {
        guard let words = unsafe tjGetErrorStr2(pointer) else { return "TurboJPEG gives no reason" }
        return unsafe String(cString: words)
    }

    /// The bytes as TurboJPEG takes them.
    static func start(_ jpeg: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        unsafe jpeg.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }

    private static func make(_ purpose: Purpose) -> tjhandle {
        let made =
            switch purpose {
            case .compress: unsafe tjInitCompress()
            case .decompress: unsafe tjInitDecompress()
            case .transform: unsafe tjInitTransform()
            }
        guard let made = unsafe made else { fatalError("TurboJPEG has no memory for a handle") }
        return unsafe made
    }
}
