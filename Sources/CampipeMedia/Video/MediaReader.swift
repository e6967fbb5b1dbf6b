import CFFmpeg
package import CampipeKit

/// Reads the packets of a container, of MJPEG back to back, or of one picture with libavformat.
///
/// It hands on the best video stream and, when asked, one of audio. Packets refer to FFmpeg's own memory; nothing is
/// copied. Their `captured` is the stream's own time from the file's start; no clock is read. One owner, one thread at
/// a time; it blocks while the file system does.
@safe package final class MediaReader {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let interrupt: StopFlag
    /// What it reads.
    package let file: String
    private var formats: [Int: PacketFormat] = [:]
    private var clocks: [Int: StreamClock] = [:]
    /// How much later the times of the stream that began anew last are than in the file.
    private var moved: MediaTime?
    private var hasBegun = false
    /// Of a video that says only when its pictures are decoded.
    private var shown: (times: ShownTimes, order: PictureOrder)?
    /// Where the file's times began anew last.
    package private(set) var jump: TimeJump?

    /// All streams, in the container's order.
    package let streams: [StreamInfo]
    /// The best video stream.
    package let video: StreamInfo
    /// When the recording was begun, where the container says so.
    package let creationTime: WallTime?
    /// The time of the file's first picture; `captured` counts from here.
    private let start: Duration

    /// Opens a file and looks at its first packets.
    ///
    /// - Parameters:
    ///   - path: A file; a name may hold colons and percent signs, nothing in it is a pattern or an address.
    ///   - rate: Pictures a second of what has no times itself (MJPEG, H.264 without a container); 25 if left out.
    ///   - interrupt: Ends calls that wait.
    /// - Throws: `.notFound`, `.badData` when it is no container, `.unsupported` without video.
    package init(path: String, rate: Double? = nil, interrupt: StopFlag = StopFlag()) throws(CampipeError) {
        _ = FFmpeg.silent
        let attempted = "cannot open \(path)"
        let context = try unsafe Self.open(path, rate: rate, interrupt)
        unsafe self.context = context
        self.interrupt = interrupt
        file = path
        var found: [StreamInfo] = []
        do throws(CampipeError) {
            try FFmpeg.check(unsafe avformat_find_stream_info(context, nil), attempted)
            for index in 0..<Int(unsafe context.pointee.nb_streams) {
                if let stream = unsafe context.pointee.streams[index] { found.append(unsafe Self.info(stream)) }
            }
            let best = unsafe av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
            guard best >= 0, let video = found.first(where: { $0.index == Int(best) }) else {
                throw CampipeError(.unsupported, "\(attempted): there is no video in it")
            }
            self.video = video
        } catch {
            // `deinit` does not run when an initialiser throws before all is set.
            var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
            unsafe avformat_close_input(&context)
            throw error
        }
        streams = found
        creationTime = unsafe Self.creationTime(context, stream: video.index)
        let started = unsafe context.pointee.start_time
        start = started == campipe_no_pts ? .zero : .microseconds(started)
        select(audio: false)
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
    }

    /// How long the file is, where it says so.
    package var duration: Duration? {
        let ticks = unsafe context.pointee.duration
        return ticks == campipe_no_pts || ticks <= 0 ? nil : .microseconds(ticks)
    }

    /// The best audio stream beside the video, if any.
    package var audio: StreamInfo? {
        let best = unsafe av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, Int32(video.index), nil, 0)
        return streams.first { $0.index == Int(best) && $0.kind == .audio }
    }

    /// Chooses what `next` hands on: video, and audio with it or not. On the way, it holds for what is read next.
    package func select(audio wanted: Bool) {
        formats = [video.index: video.format]
        if wanted, let audio { formats[audio.index] = audio.format }
        for (index, format) in formats where clocks[index] == nil { clocks[index] = clock(index, format) }
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            unsafe context.pointee.streams[index]?.pointee.discard =
                formats[index] == nil ? AVDISCARD_ALL : AVDISCARD_DEFAULT
        }
    }

    private func clock(_ index: Int, _ format: PacketFormat) -> StreamClock {
        let isDiscontinuous = unsafe context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
        return StreamClock(format, reordering: reordering(index), isDiscontinuous: isDiscontinuous)
    }

    /// How many pictures of a stream may come before one that is shown before them.
    private func reordering(_ index: Int) -> Int {
        unsafe Int(context.pointee.streams[index]?.pointee.codecpar?.pointee.video_delay ?? 0)
    }

    /// Where the file ends too early; nil while its container says nothing of it. It reads the file anew.
    package var cut: FileEnd? { FileEnd.look(at: file) }

    /// The next packet, in the file's order; a video that says only when its pictures are decoded is put in order.
    ///
    /// Decoding times never go back: what jumps or is missing is mended by the stream's rate.
    ///
    /// - Returns: nil at the end of the file.
    /// - Throws: `.badData` when the file is broken here, `.timedOut` after an interrupt, `.failed` when it cannot be
    ///   read.
    package func next() throws(CampipeError) -> Packet? {
        while true {
            if let packet = shown?.times.take() { return packet }
            guard let packet = try read() else {
                guard shown?.times.end() == true else { return nil }
                continue
            }
            guard let order = shown?.order, !packet.format.isAudio else { return packet }
            shown?.times.add(packet, order: order.place(of: packet.data))
        }
    }

    private func read() throws(CampipeError) -> Packet? {
        while true {
            var made = unsafe av_packet_alloc()
            let packet = try unsafe FFmpeg.made(made, "a packet")
            let result = unsafe av_read_frame(context, packet)
            let index = Int(unsafe packet.pointee.stream_index)
            guard result >= 0, let format = formats[index], unsafe packet.pointee.size > 0 else {
                unsafe av_packet_free(&made)
                if result == campipe_averror_eof { return nil }
                try FFmpeg.check(result, "cannot read \(file)")
                continue
            }
            do {
                try FFmpeg.check(unsafe av_packet_make_refcounted(packet), "cannot read \(file)")
            } catch {
                unsafe av_packet_free(&made)
                throw error
            }
            return unsafe take(packet, format)
        }
    }

    /// A packet of ours around one of FFmpeg's, which is freed with the last reference to its bytes.
    private func take(_ packet: UnsafeMutablePointer<AVPacket>, _ format: PacketFormat) -> Packet {
        let own = unsafe packet.pointee
        let address = Int(bitPattern: packet)
        let bytes = unsafe Bytes(foreign: UnsafeRawBufferPointer(start: own.data, count: Int(own.size))) {
            var packet = unsafe UnsafeMutablePointer<AVPacket>(bitPattern: address)
            unsafe av_packet_free(&packet)
        }
        let index = Int(unsafe own.stream_index)
        var clock = clocks[index] ?? clock(index, format)
        let before = clock.moved
        let times = unsafe clock.place(
            pts: own.pts == campipe_no_pts ? nil : own.pts, dts: own.dts == campipe_no_pts ? nil : own.dts,
            duration: own.duration, moved: moved)
        clocks[index] = clock
        if index == video.index, !hasBegun {
            hasBegun = true
            if unsafe own.pts == campipe_no_pts { sortPictures() }
        }
        let flags = unsafe own.flags
        let pts = MediaTime(ticks: times.pts, timebase: format.timebase)
        let lasts = unsafe own.duration > 0 ? MediaTime(ticks: own.duration, timebase: format.timebase).duration : nil
        var result = Packet(
            bytes, format: format, captured: .zero + (pts.duration - start), pts: pts,
            dts: MediaTime(ticks: times.dts, timebase: format.timebase), duration: lasts,
            isKeyframe: flags & AV_PKT_FLAG_KEY != 0,
            isDisposable: flags & AV_PKT_FLAG_DISPOSABLE != 0 || AccessUnit.isDisposable(bytes, format))
        if flags & AV_PKT_FLAG_CORRUPT != 0 { result.isDamaged = true }
        if clock.moved != before, clock.moved != moved {
            moved = clock.moved
            jump = TimeJump(at: result.captured - .zero, by: before.duration - clock.moved.duration)
        }
        return result
    }

    private func sortPictures() {
        let depth = reordering(video.index)
        guard depth > 0, let parameters = unsafe context.pointee.streams[video.index]?.pointee.codecpar,
            let order = unsafe PictureOrder(parameters)
        else { return }
        shown = (ShownTimes(depth: depth), order)
    }

    private static func open(
        _ path: String, rate: Double?, _ interrupt: StopFlag
    ) throws(CampipeError) -> UnsafeMutablePointer<AVFormatContext> {
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe avformat_alloc_context()
        let made = try unsafe FFmpeg.made(context, "a reader")
        // The reader owns the interrupt and closes the context before it goes.
        unsafe made.pointee.interrupt_callback = AVIOInterruptCB(
            callback: { opaque in
                guard let opaque = unsafe opaque else { return 0 }
                return unsafe Unmanaged<StopFlag>.fromOpaque(opaque).takeUnretainedValue().isRaised ? 1 : 0
            }, opaque: Unmanaged.passUnretained(interrupt).toOpaque())
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        if let rate { unsafe av_dict_set(&options, "framerate", "\(rate)", 0) }
        // By its name FFmpeg would take a picture for a pattern of names ("%d"); as a pipe it is what it is.
        let name = path.lowercased()
        let isPicture = [".jpg", ".jpeg", ".jpe"].contains { name.hasSuffix($0) }
        let format = unsafe isPicture ? av_find_input_format("jpeg_pipe") : nil
        var result = unsafe avformat_open_input(&context, "file:" + path, format, &options)
        if result == campipe_averror_demuxer_not_found { result = campipe_averror_invalid_data }
        if result == campipe_averror_invalid_data, FileEnd.lacksIndex(path) {
            throw CampipeError(
                .badData, "cannot open \(path): its index (moov) is missing, as when a recording was not ended",
                fix: "record to .mkv or .ts, or fragmented MP4, which play without an end")
        }
        try FFmpeg.check(result, "cannot open \(path)")
        return try unsafe FFmpeg.made(context, "a reader")
    }

    private static func info(_ stream: UnsafeMutablePointer<AVStream>) -> StreamInfo {
        guard let parameters = unsafe stream.pointee.codecpar else {
            return StreamInfo(index: unsafe Int(stream.pointee.index), kind: .other, format: .any, duration: nil)
        }
        let kind: StreamInfo.Kind =
            switch unsafe parameters.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO: .video
            case AVMEDIA_TYPE_AUDIO: .audio
            default: .other
            }
        let duration = unsafe MediaTime(ffmpeg: stream.pointee.duration, stream.pointee.time_base)?.duration
        return unsafe StreamInfo(
            index: Int(stream.pointee.index), kind: kind, format: PacketFormat(stream, parameters: parameters),
            duration: duration)
    }

    /// `creation_time` of the container, else of the stream: ISO 8601, as MP4 and Matroska keep it.
    private static func creationTime(_ context: UnsafeMutablePointer<AVFormatContext>, stream: Int) -> WallTime? {
        unsafe creationTime(context.pointee.metadata) ?? creationTime(context.pointee.streams[stream]?.pointee.metadata)
    }

    private static func creationTime(_ tags: OpaquePointer?) -> WallTime? {
        guard let entry = unsafe av_dict_get(tags, "creation_time", nil, 0), let text = unsafe entry.pointee.value
        else {
            return nil
        }
        var microseconds: Int64 = 0
        guard unsafe av_parse_time(&microseconds, text, 0) >= 0, microseconds > 0 else { return nil }
        return WallTime(microseconds: microseconds)
    }
}
