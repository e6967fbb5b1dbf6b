import CFFmpeg
package import CampipeKit

/// Encodes AAC-LC with libavcodec, 1024 samples a packet. One owner, one thread at a time.
///
/// What comes out is one packet behind what goes in, and the first one is what decoders need to begin with: its time is
/// 1024 samples before the first sample.
@safe final class AACEncoder {
    static let frameSize = 1024
    private let context: UnsafeMutablePointer<AVCodecContext>
    private var next: Int64 = 0

    /// The stream that it makes, AudioSpecificConfig included.
    let format: PacketFormat

    /// - Throws: `.unsupported` for a rate that AAC does not have.
    init(rate: Int, channels: Int) throws(CampipeError) {
        _ = FFmpeg.silent
        let attempted = "cannot encode AAC of \(rate) Hz"
        guard let codec = unsafe avcodec_find_encoder(AV_CODEC_ID_AAC) else {
            throw CampipeError(.unsupported, "\(attempted): there is no encoder")
        }
        var made = unsafe avcodec_alloc_context3(codec)
        unsafe context = try FFmpeg.made(made, "an encoder")
        unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        unsafe context.pointee.sample_rate = Int32(clamping: rate)
        unsafe av_channel_layout_default(&context.pointee.ch_layout, Int32(clamping: channels))
        unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(clamping: max(1, rate)))
        // Three bits a sample are enough for speech; music is mostly sampled faster.
        unsafe context.pointee.bit_rate = Int64(min(64_000, rate * 3) * channels)
        unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        let result = unsafe avcodec_open2(context, codec, nil)
        guard result >= 0 else {
            // `deinit` does not run when an initialiser throws.
            unsafe avcodec_free_context(&made)
            throw CampipeError(.unsupported, "\(attempted): \(FFmpeg.text(result))")
        }
        var format = PacketFormat(.aac, timebase: Timebase(1, Int32(clamping: rate)))
        format.sampleRate = rate
        format.channels = channels
        if let extra = unsafe context.pointee.extradata {
            format.parameterSets = unsafe Bytes(
                UnsafeRawBufferPointer(start: extra, count: Int(context.pointee.extradata_size)))
        }
        self.format = format
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Encodes 1024 samples of each channel, which follow those before.
    ///
    /// - Returns: Frames that are now whole, each with its time in samples from the first one.
    func encode(_ planes: [[Float]]) throws(CampipeError) -> [(bytes: Bytes, time: Int64)] {
        var made = unsafe av_frame_alloc()
        defer { unsafe av_frame_free(&made) }
        let frame = try unsafe FFmpeg.made(made, "sound")
        unsafe frame.pointee.nb_samples = Int32(Self.frameSize)
        unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        unsafe frame.pointee.sample_rate = context.pointee.sample_rate
        unsafe av_channel_layout_default(&frame.pointee.ch_layout, context.pointee.ch_layout.nb_channels)
        try FFmpeg.check(unsafe av_frame_get_buffer(frame, 0), "no memory for sound")
        for (channel, plane) in planes.enumerated() {
            guard let target = unsafe frame.pointee.extended_data[channel] else { continue }
            unsafe plane.withUnsafeBytes { source in
                guard let start = source.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(target).copyMemory(
                    from: start, byteCount: min(source.count, Self.frameSize * 4))
            }
        }
        unsafe frame.pointee.pts = next
        next += Int64(Self.frameSize)
        try FFmpeg.check(unsafe avcodec_send_frame(context, frame), "cannot encode sound")
        return try packets()
    }

    /// What it still holds; it takes nothing afterwards.
    func drain() throws(CampipeError) -> [(bytes: Bytes, time: Int64)] {
        let result = unsafe avcodec_send_frame(context, nil)
        if result != campipe_averror_eof { try FFmpeg.check(result, "cannot end encoding sound") }
        return try packets()
    }

    private func packets() throws(CampipeError) -> [(bytes: Bytes, time: Int64)] {
        var found: [(Bytes, Int64)] = []
        var made = unsafe av_packet_alloc()
        defer { unsafe av_packet_free(&made) }
        let packet = try unsafe FFmpeg.made(made, "a packet")
        while true {
            let result = unsafe avcodec_receive_packet(context, packet)
            if result == campipe_averror_again || result == campipe_averror_eof { return found }
            try FFmpeg.check(result, "cannot encode sound")
            let bytes = unsafe Bytes(
                UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            found.append((bytes, unsafe packet.pointee.pts))
            unsafe av_packet_unref(packet)
        }
    }
}

extension SoundConfiguration {
    /// A frame of silence.
    ///
    /// - Throws: As an encoder does that cannot be had.
    package func silence() throws(CampipeError) -> Bytes {
        let encoder = try AACEncoder(rate: sampleRate, channels: channels)
        let planes = [[Float]](
            repeating: [Float](repeating: 0, count: AACEncoder.frameSize), count: channels)
        var frames: [Bytes] = []
        // The first ones are what decoders need to begin with.
        for _ in 0..<4 { frames += try encoder.encode(planes).map(\.bytes) }
        frames += try encoder.drain().map(\.bytes)
        guard frames.count > 2 else { throw CampipeError(.failed, "cannot encode silence") }
        return frames[2]
    }
}
