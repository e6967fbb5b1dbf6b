import CFFmpeg
import CampipeKit

/// Decodes sound with libavcodec, to numbers from -1 to 1 for each channel. One owner, one thread at a time.
@safe final class SoundDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let frame: UnsafeMutablePointer<AVFrame>

    /// - Throws: `.unsupported` where there is no decoder, or it does not take the stream.
    init(_ format: PacketFormat) throws(CampipeError) {
        _ = FFmpeg.silent
        let attempted = "cannot decode \(format.codecName ?? format.coding?.rawValue ?? "unknown sound")"
        guard let codec = unsafe avcodec_find_decoder(format.codecID) else {
            throw CampipeError(.unsupported, "\(attempted): there is no decoder")
        }
        var context = unsafe avcodec_alloc_context3(codec)
        var packet = unsafe av_packet_alloc()
        var frame = unsafe av_frame_alloc()
        var parameters = unsafe avcodec_parameters_alloc()
        defer { unsafe avcodec_parameters_free(&parameters) }
        do throws(CampipeError) {
            unsafe self.context = try FFmpeg.made(context, "a decoder")
            unsafe self.packet = try FFmpeg.made(packet, "a packet")
            unsafe self.frame = try FFmpeg.made(frame, "sound")
            let filled = try unsafe FFmpeg.made(parameters, "a stream")
            unsafe try format.fill(filled)
            try FFmpeg.check(unsafe avcodec_parameters_to_context(context, filled), attempted)
            unsafe context?.pointee.thread_count = 1
            try FFmpeg.check(unsafe avcodec_open2(context, codec, nil), attempted)
        } catch {
            // `deinit` does not run when an initialiser throws.
            unsafe avcodec_free_context(&context)
            unsafe av_packet_free(&packet)
            unsafe av_frame_free(&frame)
            throw CampipeError(.unsupported, error.message)
        }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe avcodec_free_context(&context)
        unsafe av_packet_free(&packet)
        unsafe av_frame_free(&frame)
    }

    /// - Returns: The samples of each channel, as many of each; none where the packet gives none.
    /// - Throws: `.badData`, `.unsupported` for samples of a kind that no usual coding has.
    func decode(_ bytes: Bytes) throws(CampipeError) -> [[Float]] {
        guard bytes.count > 0 else { return [] }
        // Decoders read beyond the end, so they get a copy with room behind it.
        try FFmpeg.check(unsafe av_new_packet(packet, Int32(bytes.count)), "cannot decode sound")
        unsafe bytes.withBytes { source in
            if let start = source.baseAddress {
                unsafe UnsafeMutableRawPointer(packet.pointee.data).copyMemory(from: start, byteCount: source.count)
            }
        }
        let sent = unsafe avcodec_send_packet(context, packet)
        unsafe av_packet_unref(packet)
        try FFmpeg.check(sent, "cannot decode sound")
        var planes: [[Float]] = []
        while true {
            let result = unsafe avcodec_receive_frame(context, frame)
            if result == campipe_averror_again || result == campipe_averror_eof { return planes }
            try FFmpeg.check(result, "cannot decode sound")
            let more = try samples()
            if planes.count != more.count { planes = more.map { _ in [] } }
            for channel in more.indices { planes[channel] += more[channel] }
        }
    }

    private func samples() throws(CampipeError) -> [[Float]] {
        let count = unsafe Int(frame.pointee.nb_samples)
        let channels = unsafe Int(frame.pointee.ch_layout.nb_channels)
        let kind = unsafe AVSampleFormat(frame.pointee.format)
        let isPlanar = kind == AV_SAMPLE_FMT_S16P || kind == AV_SAMPLE_FMT_FLTP
        guard isPlanar || kind == AV_SAMPLE_FMT_S16 || kind == AV_SAMPLE_FMT_FLT else {
            throw CampipeError(.unsupported, "cannot decode sound: its samples are of another kind")
        }
        let isFloat = kind == AV_SAMPLE_FMT_FLT || kind == AV_SAMPLE_FMT_FLTP
        return (0..<channels).map { channel in
            guard let plane = unsafe frame.pointee.extended_data[isPlanar ? channel : 0] else { return [] }
            let (first, step) = isPlanar ? (0, 1) : (channel, channels)
            let raw = UnsafeRawPointer(plane)
            return (0..<count).map { index in
                let place = first + index * step
                if isFloat { return unsafe raw.load(fromByteOffset: place * 4, as: Float.self) }
                return Float(unsafe raw.load(fromByteOffset: place * 2, as: Int16.self)) / 32_768
            }
        }
    }
}
