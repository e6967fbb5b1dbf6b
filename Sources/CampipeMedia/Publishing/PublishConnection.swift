import CFFmpeg
package import CampipeKit

/// One connection to a server that streams are pushed to, by libavformat: RTSP (ANNOUNCE, RECORD), RTMP or SRT.
///
/// It blocks, each call at most as long as its limit says, and ends within half a second when somebody asks to stop; only
/// the look-up of a name takes as long as the system's resolver does. One owner, one thread at a time.
@safe package final class PublishConnection {
    /// How long a packet may still take once somebody asked to stop.
    private static let grace = Duration.milliseconds(400)

    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let target: PublishTarget
    private let interrupt: PublishInterrupt
    private let limit: Duration
    private var times: [PublishTimes]
    private var hasFailed = false

    /// Connects, and says what will come.
    ///
    /// - Parameters:
    ///   - target: Where to.
    ///   - streams: What is sent; `write` takes their numbers. H.264 and H.265 need parameter sets.
    ///   - origin: The decoding time that is sent as 0.
    ///   - limit: How long connecting, and each packet, may take.
    ///   - stop: Ends what waits.
    /// - Throws: `.unavailable`, `.timedOut`, `.unauthorized`, `.notFound`, `.unsupported` for a coding that cannot be sent
    ///   so.
    package init(
        _ target: PublishTarget, streams: [PacketFormat], origin: MediaTime, limit: Duration, clock: any PipelineClock,
        stop: StopFlag
    ) throws(CampipeError) {
        _ = FFmpeg.silent
        let interrupt = PublishInterrupt(clock, stop)
        self.target = target
        self.interrupt = interrupt
        self.limit = limit
        var packet = unsafe av_packet_alloc()
        unsafe self.packet = try FFmpeg.made(packet, "a packet")
        do throws(CampipeError) {
            unsafe context = try Self.open(target, streams, interrupt, limit)
        } catch {
            // `deinit` does not run when an initialiser throws before all is set.
            unsafe av_packet_free(&packet)
            throw error
        }
        times = []
        for index in streams.indices {
            let base = unsafe context.pointee.streams[index]?.pointee.time_base
            times.append(
                PublishTimes(origin: origin, timebase: base.map { Timebase($0.num, $0.den) } ?? .nanoseconds))
        }
    }

    deinit {
        // The server is told, but is not waited for.
        interrupt.begin(limit: hasFailed ? .zero : Self.grace, grace: Self.grace)
        unsafe av_write_trailer(context)
        unsafe Self.discard(context)
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
    }

    /// Sends a packet; those of each stream come in decoding order.
    ///
    /// - Throws: As `init`; the connection is then of no use.
    package func write(_ item: Packet, stream index: Int = 0) throws(CampipeError) {
        guard let place = times[index].place(pts: item.pts, dts: item.dts),
            let stream = unsafe context.pointee.streams[index]
        else { throw CampipeError(.badData, "cannot publish a packet at \(item.pts.duration)") }
        let base = unsafe Timebase(stream.pointee.time_base.num, stream.pointee.time_base.den)
        let own = unsafe packet
        unsafe own.pointee.stream_index = Int32(index)
        unsafe (own.pointee.pts, own.pointee.dts) = (place.pts, place.dts)
        unsafe own.pointee.flags = item.isKeyframe ? AV_PKT_FLAG_KEY : 0
        unsafe own.pointee.duration = item.duration.flatMap { MediaTime($0).rescaled(to: base)?.ticks } ?? 0
        interrupt.begin(limit: limit, grace: Self.grace)
        let result = unsafe item.data.withBytes { bytes in
            unsafe own.pointee.data = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            unsafe own.pointee.size = Int32(bytes.count)
            // One stream needs no sorting; several wait until each has a packet.
            return unsafe times.count == 1 ? av_write_frame(context, own) : av_interleaved_write_frame(context, own)
        }
        // The muxer of RTSP does not look at what its socket says.
        guard result < 0 || interrupt.hasGivenUp else { return }
        hasFailed = true
        throw Self.error(result, "lost \(target.shown)", target, interrupt, limit)
    }

    // MARK: Opening

    private static func open(
        _ target: PublishTarget, _ streams: [PacketFormat], _ interrupt: PublishInterrupt, _ limit: Duration
    ) throws(CampipeError) -> UnsafeMutablePointer<AVFormatContext> {
        var made: UnsafeMutablePointer<AVFormatContext>?
        let attempted = "cannot publish to \(target.shown)"
        try FFmpeg.check(
            unsafe avformat_alloc_output_context2(&made, nil, target.muxer, target.address), attempted)
        let context = try unsafe FFmpeg.made(made, "a muxer")
        do throws(CampipeError) {
            // The connection owns the interrupt, and closes the context before it goes.
            unsafe context.pointee.interrupt_callback = AVIOInterruptCB(
                callback: { opaque in
                    guard let opaque = unsafe opaque else { return 0 }
                    return unsafe Unmanaged<PublishInterrupt>.fromOpaque(opaque).takeUnretainedValue().isOver ? 1 : 0
                }, opaque: Unmanaged.passUnretained(interrupt).toOpaque())
            unsafe context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
            for format in streams { unsafe try add(format, to: context) }
            interrupt.begin(limit: limit, grace: .zero)
            var result: Int32 = 0
            if unsafe !connectsItself(context) {
                var options = unsafe dictionary(target.connectionOptions)
                unsafe result = avio_open2(
                    &context.pointee.pb, target.address, AVIO_FLAG_WRITE, &context.pointee.interrupt_callback, &options)
                unsafe av_dict_free(&options)
            }
            if result >= 0 {
                var options = unsafe dictionary(target.muxerOptions)
                unsafe result = avformat_write_header(context, &options)
                unsafe av_dict_free(&options)
            }
            if result < 0 { throw error(result, attempted, target, interrupt, limit) }
            return unsafe context
        } catch {
            interrupt.begin(limit: .zero, grace: .zero)
            unsafe discard(context)
            throw error
        }
    }

    private static func add(
        _ format: PacketFormat, to context: UnsafeMutablePointer<AVFormatContext>
    ) throws(CampipeError) {
        guard let stream = unsafe avformat_new_stream(context, nil), let parameters = unsafe stream.pointee.codecpar
        else { throw CampipeError(.exhausted, "no memory for a stream") }
        unsafe try format.fill(parameters)
        unsafe stream.pointee.time_base = format.timebase.rational
        if let rate = format.rate, rate > 0 { unsafe stream.pointee.avg_frame_rate = av_d2q(rate, 100_000) }
    }

    /// Whether the muxer makes its connection itself, as that of RTSP does.
    private static func connectsItself(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        unsafe context.pointee.oformat.pointee.flags & AVFMT_NOFILE != 0
    }

    private static func discard(_ context: UnsafeMutablePointer<AVFormatContext>) {
        if unsafe !connectsItself(context) { unsafe avio_closep(&context.pointee.pb) }
        unsafe avformat_free_context(context)
    }

    private static func dictionary(_ options: [String: String]) -> OpaquePointer? {
        var made: OpaquePointer?
        for (key, value) in options { unsafe av_dict_set(&made, key, value, 0) }
        return unsafe made
    }

    private static func error(
        _ code: Int32, _ attempted: String, _ target: PublishTarget, _ interrupt: PublishInterrupt, _ limit: Duration
    ) -> CampipeError {
        if interrupt.hasGivenUp {
            return interrupt.isStopping
                ? CampipeError(.unavailable, "\(attempted): the pipeline stopped before the server answered")
                : CampipeError(
                    .timedOut, "\(attempted): no answer in \(limit.seconds) s",
                    fix: "check the address, or raise connect_timeout")
        }
        switch code {
        case campipe_averror_unauthorized, campipe_averror_forbidden:
            return CampipeError(
                .unauthorized, "\(attempted): the server refuses the user", fix: "check username and password")
        case campipe_averror_not_found: return CampipeError(.notFound, "\(attempted): \(FFmpeg.text(code))")
        case -ENOSYS, campipe_averror_patch_welcome, campipe_averror_protocol_not_found:
            return CampipeError(.unsupported, "\(attempted): \(FFmpeg.text(code))")
        // What RTMP says no with has no number.
        case campipe_averror_unknown where target.service == .rtmp, -EPERM where target.service == .rtmp:
            return CampipeError(.unavailable, "\(attempted): the server refuses it", fix: "check its name and key")
        default:
            // What TLS refuses has no number either.
            let mayBeTrust = code == -EIO && target.checksCertificate
            return CampipeError(
                .unavailable, "\(attempted): \(FFmpeg.text(code))",
                fix: mayBeTrust ? "if its certificate is not of a known authority, give that as `ca_file`" : nil)
        }
    }
}
