import CFFmpeg

/// How pictures that are not coded lie in a file's packets, which their decoder has to be told. A value.
///
/// It stands behind the codec's name: `rawvideo/yuyv422`.
struct RawLayout: Hashable {
    private static let prefix = "rawvideo/"
    /// Four characters of which FFmpeg's decoder reads more than the pixels' layout: planes in another order, signs.
    private static let special = ["YV12", "YV16", "YV24", "YVU9", "yuv2", "b64a"]

    /// FFmpeg's name of the layout, or one of those four characters.
    private let name: String

    var codecName: String { Self.prefix + name }

    init?(_ codecName: String?) {
        guard let codecName, codecName.hasPrefix(Self.prefix) else { return nil }
        name = String(codecName.dropFirst(Self.prefix.count))
    }

    /// - Returns: nil of what is coded, and where the layout is not known.
    init?(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let own = unsafe parameters.pointee
        guard unsafe own.codec_id == AV_CODEC_ID_RAWVIDEO else { return nil }
        let tag = unsafe own.codec_tag
        let code = String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }, as: UTF8.self)
        if Self.special.contains(code) {
            name = code
        } else {
            guard let known = unsafe av_get_pix_fmt_name(AVPixelFormat(own.format)) else { return nil }
            name = unsafe String(cString: known)
        }
    }

    /// Tells FFmpeg's decoder.
    func fill(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        if Self.special.contains(name) {
            unsafe parameters.pointee.codec_tag = name.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        } else {
            unsafe parameters.pointee.format = av_get_pix_fmt(name).rawValue
        }
    }
}
