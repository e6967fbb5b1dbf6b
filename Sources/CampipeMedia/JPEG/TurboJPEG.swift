import CTurboJPEG
import CampipeKit

/// How a call of TurboJPEG ended.
enum TurboJPEG {
    /// The one check of every return value.
    ///
    /// - Returns: Whether the picture came with damage (TurboJPEG's "warning"); it may have given up anywhere then, and
    ///   what it did not reach is as it was.
    /// - Throws: `.badData` with the library's own words.
    static func check(_ result: Int32, _ handle: tjhandle, _ attempted: String) throws(CampipeError) -> Bool {
        if result == 0 { return false }
        if unsafe tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) { return true }
        throw unsafe CampipeError(.badData, "\(attempted): \(text(handle))")
    }

    /// The library's last words on this handle, without its own prefix.
    static func text(_ handle: tjhandle) -> String {
        guard let words = unsafe tjGetErrorStr2(handle) else { return "TurboJPEG gives no reason" }
        return unsafe String(cString: words)
    }

    static func handle(_ made: tjhandle?) -> tjhandle {
        guard let made = unsafe made else { fatalError("TurboJPEG has no memory for a handle") }
        return unsafe made
    }
}
