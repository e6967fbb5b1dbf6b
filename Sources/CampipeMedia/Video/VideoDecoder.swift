import CFFmpeg
package import CampipeKit

/// Decodes H.264, H.265 and whatever else FFmpeg knows to frames.
///
/// Frames show FFmpeg's own pictures, which nobody may write to (the first write copies); layouts that the house does
/// not have are converted to yuv420. One owner, one thread at a time. Give a new decoder to a stream whose format
/// changed.
@safe package final class VideoDecoder {
    /// What of a packet its picture takes over.
    private struct Pending {
        var captured: Instant
        var origin: Packet?
        var isDamaged: Bool
    }
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let picture: UnsafeMutablePointer<AVFrame>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let format: PacketFormat
    private let pictures = ForeignPictures()
    private var pending: [Int64: Pending] = [:]
    private var sequence: Int64 = 0
    private var lastPTS: MediaTime?

    /// Opens FFmpeg's decoder for a stream.
    ///
    /// - Parameters:
    ///   - format: The stream; its parameter sets are what the container or the session description said.
    ///   - threads: FFmpeg's own threads for this stream; each one more holds back a picture.
    /// - Throws: `.unsupported` when FFmpeg has no decoder for it, `.badData` when the parameter sets are broken.
    package init(_ format: PacketFormat, threads: Int = 1) throws(CampipeError) {
        _ = FFmpeg.silent
        self.format = format
        let name = format.coding == .other ? format.codecName ?? "unknown" : format.coding?.rawValue ?? "unknown"
        guard let codec = unsafe avcodec_find_decoder(format.codecID) else {
            throw CampipeError(.unsupported, "cannot decode \(name): FFmpeg has no decoder for it")
        }
        let made = unsafe (avcodec_alloc_context3(codec), av_frame_alloc(), av_packet_alloc())
        unsafe context = try FFmpeg.made(made.0, "a decoder")
        unsafe picture = try FFmpeg.made(made.1, "a picture")
        unsafe packet = try FFmpeg.made(made.2, "a packet")
        var parameters = unsafe avcodec_parameters_alloc()
        defer { unsafe avcodec_parameters_free(&parameters) }
        let filled = try unsafe FFmpeg.made(parameters, "a decoder")
        unsafe try format.fill(filled)
        try FFmpeg.check(unsafe avcodec_parameters_to_context(context, filled), "cannot decode \(name)")
        unsafe context.pointee.thread_count = Int32(threads)
        unsafe context.pointee.pkt_timebase = format.timebase.rational
        try FFmpeg.check(unsafe avcodec_open2(context, codec, nil), "cannot decode \(name)")
    }

    deinit {
        var (context, picture, packet) = unsafe (Optional(context), Optional(picture), Optional(packet))
        unsafe avcodec_free_context(&context)
        unsafe av_frame_free(&picture)
        unsafe av_packet_free(&packet)
    }

    /// Decodes a packet.
    ///
    /// - Parameters:
    ///   - packet: The next one in decoding order.
    ///   - pool: Where a conversion's memory comes from.
    /// - Returns: The frames that are now whole, in presentation order; none while the decoder waits for more.
    /// - Throws: `.badData` when this packet cannot be decoded; the next keyframe is fine again.
    package func decode(_ packet: Packet, pool: FramePool) throws(CampipeError) -> [Frame] {
        sequence += 1
        pending[sequence] = Pending(
            captured: packet.captured, origin: packet.format.isIntraCoded ? packet : nil, isDamaged: packet.isDamaged)
        // What a decoder swallowed without a picture must not stay.
        if pending.count > 128 { pending = pending.filter { $0.key > sequence - 64 } }
        let timebase = format.timebase
        let own = unsafe self.packet
        let result = unsafe packet.data.withBytes { bytes in
            // Not reference-counted: FFmpeg copies it behind the padding that its bit readers want.
            unsafe own.pointee.data = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            unsafe own.pointee.size = Int32(bytes.count)
            unsafe own.pointee.pts = packet.pts.rescaled(to: timebase)?.ticks ?? campipe_no_pts
            unsafe own.pointee.dts = packet.dts.rescaled(to: timebase)?.ticks ?? campipe_no_pts
            unsafe own.pointee.flags = packet.isKeyframe ? AV_PKT_FLAG_KEY : 0
            unsafe context.pointee.reordered_opaque = sequence
            return unsafe avcodec_send_packet(context, own)
        }
        // Full never comes back here: all pictures are taken after each packet.
        try FFmpeg.check(result, "cannot decode the \(format.coding?.rawValue ?? "video") packet")
        return try frames(pool)
    }

    /// Hands out what the decoder still holds, at the end of the stream; afterwards it can begin again at a keyframe.
    package func drain(pool: FramePool) throws(CampipeError) -> [Frame] {
        let result = unsafe avcodec_send_packet(context, nil)
        if result != campipe_averror_eof { try FFmpeg.check(result, "cannot end decoding") }
        let frames = try frames(pool)
        flush()
        return frames
    }

    /// Forgets everything before the next keyframe, after a gap.
    package func flush() {
        unsafe avcodec_flush_buffers(context)
        pending = [:]
        lastPTS = nil
    }

    private func frames(_ pool: FramePool) throws(CampipeError) -> [Frame] {
        var frames: [Frame] = []
        while true {
            let result = unsafe avcodec_receive_frame(context, picture)
            if result == campipe_averror_again || result == campipe_averror_eof { return frames }
            try FFmpeg.check(result, "cannot decode the \(format.coding?.rawValue ?? "video") picture")
            frames.append(try frame(pool))
        }
    }

    /// The picture at hand as a frame; the picture's reference goes with it.
    private func frame(_ pool: FramePool) throws(CampipeError) -> Frame {
        let ticks = unsafe picture.pointee.best_effort_timestamp
        let known = pending.removeValue(forKey: unsafe picture.pointee.reordered_opaque)
        let isDamaged =
            unsafe picture.pointee.decode_error_flags != 0
            || picture.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
        var pts =
            MediaTime(ffmpeg: ticks, format.timebase.rational) ?? lastPTS
            ?? MediaTime(ticks: 0, timebase: format.timebase)
        // Broken streams go back; frames never do.
        if let lastPTS, pts < lastPTS { pts = lastPTS }
        lastPTS = pts
        let shown = try unsafe pictures.take(picture, pool)
        var frame = Frame(
            shown.pixels, range: shown.range, matrix: shown.matrix, rate: format.rate,
            captured: known?.captured ?? .zero + pts.duration, pts: pts, origin: known?.origin)
        if isDamaged || known?.isDamaged == true { frame.isDamaged = true }
        return frame
    }
}
