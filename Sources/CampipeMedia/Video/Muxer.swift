import CFFmpeg
package import CampipeKit
import Glibc

/// Writes packets into MP4, Matroska or a transport stream with libavformat.
///
/// MP4 is fragmented and every packet goes to the destination at once or with its fragment, so that what was written
/// stays playable whatever happens. Times begin at the first packet. H.265 in MP4 is tagged `hvc1`, which Apple's
/// players want. One owner, one thread at a time; it blocks while the destination does.
@safe package final class Muxer {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let output: MuxerOutput
    private let packet: UnsafeMutablePointer<AVPacket>
    private let formats: [PacketFormat]
    private let container: Container
    private var base: MediaTime?
    private var lastDTS: [Int64?]
    /// How far apart the last two packets of each stream were.
    private var steps: [Int64]
    private var isFinished = false

    /// Writes the container's head.
    ///
    /// - Parameters:
    ///   - destination: A new file, or a closure.
    ///   - container: Which format.
    ///   - streams: What is written; `write` takes their numbers. H.264 and H.265 need parameter sets, except in a
    ///     transport stream.
    ///   - fragment: What a fragment holds at most, beside the packet that ends it.
    ///   - creationTime: Said in the head, where the container has a place for it.
    /// - Throws: `.configuration` for what the container cannot hold, `.exhausted` for a full disk, `.failed`.
    package init(
        _ destination: MuxerDestination, container: Container, streams: [PacketFormat],
        fragment: Duration = .seconds(1), creationTime: WallTime? = nil
    ) throws(CampipeError) {
        _ = FFmpeg.silent
        for format in streams where format.codecID == AV_CODEC_ID_NONE {
            throw CampipeError(
                .configuration, "cannot write \(format.coding?.rawValue ?? "unknown") packets to \(container.rawValue)")
        }
        for format in streams
        where container != .ts && (format.coding == .h264 || format.coding == .h265) && format.parameterSets == nil {
            throw CampipeError(
                .configuration, "cannot write \(container.rawValue): the stream's parameter sets are not known yet")
        }
        self.container = container
        formats = streams
        lastDTS = streams.map { _ in nil }
        steps = streams.map { _ in 0 }
        output = try MuxerOutput(destination)
        unsafe packet = try FFmpeg.made(unsafe av_packet_alloc(), "a packet")
        var made: UnsafeMutablePointer<AVFormatContext>?
        try FFmpeg.check(
            unsafe avformat_alloc_output_context2(&made, nil, container.muxer, nil),
            "cannot write \(container.rawValue)")
        unsafe context = try FFmpeg.made(made, "a muxer")
        try attachOutput()
        try writeHead(fragment, creationTime)
    }

    deinit {
        if let io = unsafe context.pointee.pb {
            unsafe av_free(io.pointee.buffer)
            var io: UnsafeMutablePointer<AVIOContext>? = unsafe io
            unsafe avio_context_free(&io)
        }
        unsafe avformat_free_context(context)
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
    }

    /// Whether the destination failed: nothing can be written any more.
    package var hasFailed: Bool { output.failure != nil }

    /// Adds a packet; those of each stream come in decoding order, and several streams about as they are played.
    ///
    /// Whoever has several puts them in order beforehand (`SoundOrder`): nothing waits here for another stream.
    ///
    /// A decoding time that is not after the last one is put one tick behind it.
    ///
    /// - Throws: `.exhausted` for a full disk; afterwards every call throws the same.
    package func write(_ item: Packet, stream index: Int = 0) throws(CampipeError) {
        precondition(!isFinished, "nothing is written after finish")
        guard let stream = unsafe context.pointee.streams[index] else { return }
        let target = unsafe Timebase(stream.pointee.time_base.num, stream.pointee.time_base.den)
        let zero = base ?? item.dts
        base = zero
        guard let start = zero.rescaled(to: target)?.ticks, let pts = item.pts.rescaled(to: target)?.ticks,
            let dts = item.dts.rescaled(to: target)?.ticks
        else { throw CampipeError(.badData, "cannot write a packet at \(item.pts.duration)") }
        var decoding = dts - start
        if let last = lastDTS[index], decoding <= last { decoding = last + 1 }
        if let last = lastDTS[index] { steps[index] = decoding - last }
        lastDTS[index] = decoding
        let own = unsafe packet
        unsafe own.pointee.stream_index = Int32(index)
        unsafe own.pointee.dts = decoding
        unsafe own.pointee.pts = max(pts - start, decoding)
        unsafe own.pointee.flags = item.isKeyframe ? AV_PKT_FLAG_KEY : 0
        // The last picture of a file, and of a fragment that another stream ends, has no next one yet that would say how
        // long it is: as long as the one before.
        let duration = item.duration.flatMap { MediaTime($0).rescaled(to: target)?.ticks }
        unsafe own.pointee.duration = duration ?? steps[index]
        let result = unsafe item.data.withBytes { bytes in
            unsafe own.pointee.data = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            unsafe own.pointee.size = Int32(bytes.count)
            return unsafe av_write_frame(context, own)
        }
        try check(result, "cannot write a packet")
    }

    /// Writes what is left and the container's end. Once.
    package func finish() throws(CampipeError) {
        guard !isFinished else { return }
        isFinished = true
        try check(unsafe av_write_trailer(context), "cannot finish the recording")
        unsafe avio_flush(context.pointee.pb)
        try check(0, "cannot finish the recording")
    }

    /// The destination's own failure first, then FFmpeg's.
    private func check(_ result: Int32, _ attempted: String) throws(CampipeError) {
        if let failure = output.failure { throw failure }
        try FFmpeg.check(result, attempted)
        if let io = unsafe context.pointee.pb { try FFmpeg.check(unsafe io.pointee.error, attempted) }
    }

    private func attachOutput() throws(CampipeError) {
        let size = 1 << 16
        guard let buffer = unsafe av_malloc(size) else { throw CampipeError(.exhausted, "no memory for a muxer") }
        let opaque = unsafe Unmanaged.passUnretained(output).toOpaque()
        let seek: (@convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64)? = { opaque, offset, whence in
            guard let opaque = unsafe opaque else { return -1 }
            return unsafe Unmanaged<MuxerOutput>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
        }
        let seeks = output.canSeek
        let io = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(size), 1, opaque, nil,
            { opaque, bytes, count in
                guard let opaque = unsafe opaque else { return -1 }
                return unsafe Unmanaged<MuxerOutput>.fromOpaque(opaque).takeUnretainedValue()
                    .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            }, seeks ? seek : nil)
        guard let io = unsafe io else {
            unsafe av_free(buffer)
            throw CampipeError(.exhausted, "no memory for a muxer")
        }
        unsafe context.pointee.pb = io
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_FLUSH_PACKETS
    }

    private func writeHead(_ fragment: Duration, _ creationTime: WallTime?) throws(CampipeError) {
        for format in formats {
            guard let stream = unsafe avformat_new_stream(context, nil), let parameters = unsafe stream.pointee.codecpar
            else { throw CampipeError(.exhausted, "no memory for a stream") }
            unsafe try format.fill(parameters)
            unsafe stream.pointee.time_base = format.timebase.rational
            if let rate = format.rate, rate > 0 { unsafe stream.pointee.avg_frame_rate = av_d2q(rate, 100_000) }
            if format.coding == .h265, container == .mp4 { unsafe parameters.pointee.codec_tag = campipe_tag_hvc1 }
        }
        if let creationTime {
            unsafe av_dict_set(&context.pointee.metadata, "creation_time", Self.text(creationTime), 0)
        }
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        let milliseconds = max(1, fragment.nanoseconds / 1_000_000)
        switch container {
        case .mp4:
            unsafe av_dict_set(&options, "movflags", "frag_keyframe+empty_moov+default_base_moof", 0)
            unsafe av_dict_set(&options, "frag_duration", "\(milliseconds * 1000)", 0)
        case .mkv:
            unsafe av_dict_set(&options, "cluster_time_limit", "\(milliseconds)", 0)
            if !output.canSeek { unsafe av_dict_set(&options, "live", "1", 0) }
        case .ts: break
        }
        try check(
            unsafe avformat_write_header(context, &options), "cannot begin the recording as \(container.rawValue)")
        unsafe avio_flush(context.pointee.pb)
        try check(0, "cannot begin the recording")
    }

    /// ISO 8601 in UTC, as `creation_time` is kept.
    private static func text(_ time: WallTime) -> String {
        var seconds = time_t(time.microseconds / 1_000_000)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let clock = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        let fraction = String(1_000_000 + time.microseconds % 1_000_000).dropFirst()
        return "\(day)T\(clock).\(fraction)Z"
    }
}
