import CFFmpeg
import CampipeKit

/// What all handles around FFmpeg's libraries share: one check of every return value, and silence.
enum FFmpeg {
    /// FFmpeg prints nothing; what it says comes back in errors. Touched by every handle's `init`.
    static let silent: Void = av_log_set_level(AV_LOG_QUIET)

    /// The one check of every return value.
    ///
    /// - Returns: The value, which is not negative.
    /// - Throws: An error in FFmpeg's words: `.exhausted` for a full disk or no memory, `.notFound`, `.badData`,
    ///   `.unsupported` where there is no codec or demuxer, `.timedOut` when an interrupt ended it, else `.failed`.
    @discardableResult
    static func check(_ code: Int32, _ attempted: @autoclosure () -> String, fix: String? = nil) throws(CampipeError)
        -> Int32
    {
        if code >= 0 { return code }
        throw CampipeError(kind(code), "\(attempted()): \(text(code))", fix: fix, context: [("code", String(code))])
    }

    /// What FFmpeg says of an error code.
    static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        let known = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            unsafe av_strerror(code, buffer.baseAddress, buffer.count)
        }
        guard known >= 0 else { return "FFmpeg's error \(code)" }
        return unsafe buffer.withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe String(cString: $0) } ?? ""
        }
    }

    static func kind(_ code: Int32) -> CampipeError.Kind {
        switch code {
        case campipe_averror_invalid_data: .badData
        case campipe_averror_exit: .timedOut
        case campipe_averror_decoder_not_found, campipe_averror_encoder_not_found, campipe_averror_demuxer_not_found,
            campipe_averror_protocol_not_found, campipe_averror_patch_welcome:
            .unsupported
        case -ENOSPC, -EDQUOT, -ENOMEM, -EMFILE, -ENFILE, -EFBIG: .exhausted
        case -ENOENT: .notFound
        default: .failed
        }
    }

    /// A pointer that is nil only when there is no memory.
    static func made<T>(_ pointer: UnsafeMutablePointer<T>?, _ what: String) throws(CampipeError)
        -> UnsafeMutablePointer<T>
    {
        guard let pointer = unsafe pointer else { throw CampipeError(.exhausted, "no memory for \(what)") }
        return unsafe pointer
    }
}

extension MediaTime {
    /// FFmpeg's ticks of a timebase; its mark for "unknown" becomes nil.
    init?(ffmpeg ticks: Int64, _ timebase: AVRational) {
        guard ticks != campipe_no_pts, timebase.num > 0, timebase.den > 0 else { return nil }
        self.init(ticks: ticks, timebase: Timebase(timebase.num, timebase.den))
    }
}

extension Timebase {
    var rational: AVRational { AVRational(num: numerator, den: denominator) }
}
