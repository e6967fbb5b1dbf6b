import CFFmpeg
package import CampipeKit

/// Encodes frames as H.264 with libx264 through libavcodec.
///
/// Range and matrix are written into the stream (VUI), so levels stay as they are; layouts other than yuv420 (yuv444
/// where all colour is kept) are converted. 4:2:0 needs even sides (ITU-T H.264 6.2): the last column or row of an odd size is left out, never
/// skewed. Packets are Annex B in 1/90000 s; the parameter sets stand in `format` alone. One owner, one thread at a
/// time.
@safe package final class VideoEncoder {
    /// What of a frame its packet takes over.
    private struct Pending {
        var captured: Instant
        var isDamaged: Bool
    }
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let settings: EncoderSettings
    private let input: FrameFormat
    private let scaler = Scaler()
    private var pending: [Int64: Pending] = [:]
    private var lastTicks: Int64?
    private var lastKeyframe: Int64?

    /// The stream that `encode` makes, parameter sets included.
    package let format: PacketFormat

    /// Opens libx264 for frames of one kind.
    ///
    /// - Parameters:
    ///   - input: What the frames are; size, range and matrix must stay so, the layout may change.
    ///   - settings: Quality and latency.
    /// - Throws: `.unsupported` when libx264 is missing or takes no such size.
    package init(_ input: FrameFormat, settings: EncoderSettings = EncoderSettings()) throws(CampipeError) {
        _ = FFmpeg.silent
        guard let size = input.size else {
            throw CampipeError(.configuration, "cannot encode frames whose size is not known")
        }
        guard let codec = unsafe avcodec_find_encoder_by_name("libx264") else {
            throw CampipeError(
                .unsupported, "cannot encode H.264: FFmpeg was built without libx264",
                fix: "install the package libavcodec59 of Debian")
        }
        self.settings = settings
        self.input = input
        let coded = Self.evenSize(size)
        let attempted = "cannot encode \(coded) as H.264"
        unsafe context = try FFmpeg.made(unsafe avcodec_alloc_context3(codec), "an encoder")
        unsafe context.pointee.width = Int32(coded.width)
        unsafe context.pointee.height = Int32(coded.height)
        unsafe context.pointee.pix_fmt = settings.pixel.ffmpeg
        unsafe context.pointee.color_range = input.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        unsafe context.pointee.colorspace = input.matrix.ffmpeg
        unsafe context.pointee.time_base = Timebase.rtpVideo.rational
        // Without a rate x264 takes each tick for a picture, and shares the bits out among 90,000 a second.
        if let rate = input.rate ?? (settings.bitRate == nil ? nil : 25), rate > 0 {
            unsafe context.pointee.framerate = av_d2q(rate, 100_000)
        }
        unsafe context.pointee.max_b_frames = 0
        unsafe context.pointee.thread_count = Int32(settings.threads)
        unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        // Keyframes are asked for by time; this only bounds what comes without asking.
        unsafe context.pointee.gop_size = 600
        if let bitRate = settings.bitRate {
            unsafe context.pointee.bit_rate = Int64(bitRate)
            unsafe context.pointee.rc_max_rate = Int64(bitRate) * 3 / 2
            unsafe context.pointee.rc_buffer_size = Int32(clamping: bitRate)
        }
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        unsafe av_dict_set(&options, "preset", settings.preset, 0)
        if settings.lowLatency { unsafe av_dict_set(&options, "tune", "zerolatency", 0) }
        if settings.bitRate == nil { unsafe av_dict_set(&options, "crf", "\(settings.quality)", 0) }
        unsafe av_dict_set(&options, "forced-idr", "1", 0)
        do throws(CampipeError) {
            try FFmpeg.check(unsafe avcodec_open2(context, codec, &options), attempted)
        } catch {
            // `deinit` does not run when an initialiser throws before all is set.
            var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
            unsafe avcodec_free_context(&context)
            throw error
        }
        var made = PacketFormat(.h264, size: coded, rate: input.rate, timebase: .rtpVideo)
        if let extra = unsafe context.pointee.extradata {
            made.parameterSets = unsafe Bytes(
                UnsafeRawBufferPointer(start: extra, count: Int(context.pointee.extradata_size)))
        }
        format = made
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// The size that is coded: even, and at least two.
    package static func evenSize(_ size: Size) -> Size { Size(max(2, size.width & ~1), max(2, size.height & ~1)) }

    /// Encodes a frame; a keyframe is made whenever `keyframeInterval` has passed.
    ///
    /// A frame whose time is not after the last one's is put one tick behind it.
    ///
    /// - Returns: The packets that are now whole, in decoding order.
    /// - Throws: `.configuration` when the frame has another size, range or matrix than `init` was told.
    package func encode(_ frame: Frame, pool: FramePool) throws(CampipeError) -> [Packet] {
        guard frame.size == input.size, frame.format.range == input.range else {
            throw CampipeError(
                .configuration, "cannot encode a frame of \(frame.size) in a stream of \(input.size ?? frame.size)")
        }
        var frame = try scaler.scale(frame, pixel: settings.pixel, pool: pool)
        let coded = Self.evenSize(frame.size)
        // A side of one pixel has no even part to leave the rest out of.
        if frame.size.width < coded.width || frame.size.height < coded.height {
            frame = try scaler.scale(frame, to: coded, pool: pool)
        }
        var ticks = frame.pts.rescaled(to: .rtpVideo)?.ticks ?? 0
        if let lastTicks, ticks <= lastTicks { ticks = lastTicks + 1 }
        lastTicks = ticks
        pending[ticks] = Pending(captured: frame.captured, isDamaged: frame.isDamaged)
        let interval = settings.keyframeInterval.seconds * 90_000
        let isKey = lastKeyframe.map { Double(ticks - $0) >= interval } ?? true
        if isKey { lastKeyframe = ticks }

        var made = unsafe av_frame_alloc()
        defer { unsafe av_frame_free(&made) }
        let picture = try unsafe FFmpeg.made(made, "a picture")
        unsafe picture.pointee.width = Int32(coded.width)
        unsafe picture.pointee.height = Int32(coded.height)
        unsafe picture.pointee.format = settings.pixel.ffmpeg.rawValue
        unsafe picture.pointee.color_range = context.pointee.color_range
        unsafe picture.pointee.colorspace = context.pointee.colorspace
        unsafe picture.pointee.pts = ticks
        unsafe picture.pointee.pict_type = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        unsafe try Self.lend(frame.pixels, to: picture)
        try FFmpeg.check(unsafe avcodec_send_frame(context, picture), "cannot encode a frame")
        return try packets()
    }

    /// Hands out what the encoder still holds, at the end of the stream; it takes nothing afterwards.
    package func drain() throws(CampipeError) -> [Packet] {
        let result = unsafe avcodec_send_frame(context, nil)
        if result != campipe_averror_eof { try FFmpeg.check(result, "cannot end encoding") }
        return try packets()
    }

    /// Lets FFmpeg read a buffer where it is; it holds a reference as long as it needs it.
    private static func lend(
        _ pixels: PixelBuffer, to picture: UnsafeMutablePointer<AVFrame>
    ) throws(CampipeError) {
        let held = unsafe Unmanaged.passRetained(pixels)
        let made = unsafe pixels.withPlane(0) { base, first in
            let base = unsafe UnsafeMutablePointer(mutating: base)
            unsafe picture.pointee.data.0 = base
            unsafe picture.pointee.data.1 = base + (pixels.planes[1].offset - first.offset)
            unsafe picture.pointee.data.2 = base + (pixels.planes[2].offset - first.offset)
            return unsafe av_buffer_create(
                base, pixels.byteCount,
                { opaque, _ in
                    guard let opaque = unsafe opaque else { return }
                    unsafe Unmanaged<PixelBuffer>.fromOpaque(opaque).release()
                }, held.toOpaque(), AV_BUFFER_FLAG_READONLY)
        }
        unsafe picture.pointee.linesize.0 = Int32(pixels.planes[0].stride)
        unsafe picture.pointee.linesize.1 = Int32(pixels.planes[1].stride)
        unsafe picture.pointee.linesize.2 = Int32(pixels.planes[2].stride)
        guard let made = unsafe made else {
            unsafe held.release()
            throw CampipeError(.exhausted, "no memory for a picture")
        }
        unsafe picture.pointee.buf.0 = made
    }

    private func packets() throws(CampipeError) -> [Packet] {
        var packets: [Packet] = []
        while true {
            var made = unsafe av_packet_alloc()
            let own = try unsafe FFmpeg.made(made, "a packet")
            let result = unsafe avcodec_receive_packet(context, own)
            guard result >= 0, let data = unsafe own.pointee.data else {
                unsafe av_packet_free(&made)
                if result == campipe_averror_again || result == campipe_averror_eof { return packets }
                try FFmpeg.check(result, "cannot encode a frame")
                continue
            }
            let (ticks, dts, flags) = unsafe (own.pointee.pts, own.pointee.dts, own.pointee.flags)
            let known = pending.removeValue(forKey: ticks)
            let address = Int(bitPattern: own)
            let bytes = unsafe Bytes(foreign: UnsafeRawBufferPointer(start: data, count: Int(own.pointee.size))) {
                var packet = unsafe UnsafeMutablePointer<AVPacket>(bitPattern: address)
                unsafe av_packet_free(&packet)
            }
            let pts = MediaTime(ticks: ticks, timebase: .rtpVideo)
            var packet = Packet(
                bytes, format: format, captured: known?.captured ?? .zero + pts.duration, pts: pts,
                dts: MediaTime(ticks: dts, timebase: .rtpVideo), isKeyframe: flags & AV_PKT_FLAG_KEY != 0,
                isDisposable: flags & AV_PKT_FLAG_DISPOSABLE != 0)
            if known?.isDamaged == true { packet.isDamaged = true }
            packets.append(packet)
        }
    }
}
