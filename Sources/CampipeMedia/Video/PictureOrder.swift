import CFFmpeg
import CampipeKit

/// Reads out of coded pictures in which order they are shown. One owner, one thread at a time.
@safe final class PictureOrder {
    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let context: UnsafeMutablePointer<AVCodecContext>
    /// Whether the pictures are counted by themselves; else only those that others are not predicted from are known.
    private let isCounted: Bool
    private var references = 0

    /// - Returns: nil where the coding's pictures cannot be read.
    init?(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let id = unsafe parameters.pointee.codec_id
        guard let parser = unsafe av_parser_init(Int32(bitPattern: id.rawValue)) else { return nil }
        guard let context = unsafe avcodec_alloc_context3(nil) else {
            unsafe av_parser_close(parser)
            return nil
        }
        unsafe parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        unsafe self.parser = parser
        unsafe self.context = context
        isCounted = id == AV_CODEC_ID_H264 || id == AV_CODEC_ID_HEVC
        guard unsafe avcodec_parameters_to_context(context, parameters) >= 0 else { return nil }
    }

    deinit {
        unsafe av_parser_close(parser)
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// The place of the next picture in decoding order in the order of showing.
    ///
    /// - Parameter data: FFmpeg's own memory, with the padding that its readers want.
    func place(of data: Bytes) -> Int {
        unsafe data.withBytes { bytes in
            var output: UnsafeMutablePointer<UInt8>?
            var count: Int32 = 0
            _ = unsafe av_parser_parse2(
                parser, context, &output, &count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                Int32(bytes.count), campipe_no_pts, campipe_no_pts, 0)
        }
        if isCounted { return Int(unsafe parser.pointee.output_picture_number) }
        // A picture between two others is shown before the second, which came first.
        if unsafe parser.pointee.pict_type == Int32(bitPattern: AV_PICTURE_TYPE_B.rawValue) {
            return references * 2 - 1
        }
        references += 1
        return references * 2
    }
}
