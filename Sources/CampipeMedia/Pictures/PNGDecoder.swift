import CFFmpeg
package import CampipeKit

/// Reads PNG with libavcodec, transparency included.
package enum PNGDecoder {
    /// Pixels that a PNG may have: a file of a few kilobytes can claim gigabytes.
    package static let pixelLimit = 16_777_216

    private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    /// Decodes a file's bytes.
    ///
    /// - Returns: The picture, whatever layout the file has: grey, palette, 16 bits, with or without alpha.
    /// - Throws: `.badData` for what is no PNG, is broken or has more than `pixelLimit` pixels.
    package static func decode(_ bytes: [UInt8]) throws(CampipeError) -> AlphaPicture {
        guard bytes.count > 24, bytes.starts(with: signature) else {
            throw CampipeError(.badData, "this is no PNG", fix: "save the picture as PNG")
        }
        _ = FFmpeg.silent
        guard let codec = unsafe avcodec_find_decoder(AV_CODEC_ID_PNG) else {
            throw CampipeError(.unsupported, "cannot decode PNG: FFmpeg has no decoder for it")
        }
        var context = unsafe avcodec_alloc_context3(codec)
        var packet = unsafe av_packet_alloc()
        var picture = unsafe av_frame_alloc()
        defer {
            unsafe avcodec_free_context(&context)
            unsafe av_packet_free(&packet)
            unsafe av_frame_free(&picture)
        }
        let decoder = unsafe try FFmpeg.made(context, "a decoder")
        let input = unsafe try FFmpeg.made(packet, "a packet")
        let output = unsafe try FFmpeg.made(picture, "a picture")
        unsafe decoder.pointee.max_pixels = Int64(pixelLimit)
        unsafe decoder.pointee.thread_count = 1
        try FFmpeg.check(unsafe avcodec_open2(decoder, codec, nil), "cannot decode PNG")
        try FFmpeg.check(unsafe av_new_packet(input, Int32(bytes.count)), "cannot decode PNG")
        unsafe input.pointee.data.update(from: bytes, count: bytes.count)
        try check(unsafe avcodec_send_packet(decoder, input))
        try check(unsafe avcodec_receive_frame(decoder, output))
        return unsafe try converted(output)
    }

    private static func check(_ code: Int32) throws(CampipeError) {
        guard code < 0 else { return }
        throw CampipeError(.badData, "the PNG is broken or too large: \(FFmpeg.text(code))")
    }

    private static func converted(_ picture: UnsafeMutablePointer<AVFrame>) throws(CampipeError) -> AlphaPicture {
        let own = unsafe picture.pointee
        let (width, height) = unsafe (Int(own.width), Int(own.height))
        guard
            let scaler = unsafe sws_getContext(
                own.width, own.height, AVPixelFormat(own.format), own.width, own.height, AV_PIX_FMT_RGBA,
                SWS_POINT | SWS_ACCURATE_RND, nil, nil, nil)
        else { throw CampipeError(.unsupported, "cannot read a PNG of this layout") }
        defer { unsafe sws_freeContext(scaler) }
        // Grey of a PNG has all levels.
        let table = unsafe sws_getCoefficients(SWS_CS_ITU601)
        _ = unsafe sws_setColorspaceDetails(scaler, table, 1, table, 1, 0, 1 << 16, 1 << 16)
        var rows = [UInt8](repeating: 0, count: width * height * 4)
        let result = unsafe rows.withUnsafeMutableBufferPointer { rows in
            let inputs = unsafe [own.data.0, own.data.1, own.data.2, own.data.3]
            var sources = unsafe inputs.map { unsafe $0.map { unsafe UnsafePointer($0) } }
            var sourceStrides = unsafe [own.linesize.0, own.linesize.1, own.linesize.2, own.linesize.3]
            var targets = unsafe [rows.baseAddress, nil, nil, nil]
            var targetStrides: [Int32] = [Int32(width * 4), 0, 0, 0]
            return unsafe sws_scale(scaler, &sources, &sourceStrides, 0, own.height, &targets, &targetStrides)
        }
        try FFmpeg.check(result, "cannot read the PNG")
        return AlphaPicture(width: width, height: height, straight: rows)
    }
}
