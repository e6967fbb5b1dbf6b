import CFFmpeg
package import CampipeKit

/// Takes the payloads out of the RTP packets of one stream, by libavformat.
///
/// libavformat gets one packet at a time, in order, and gives at once what it holds: of H.264 and H.265 NAL units, or
/// pieces of one, with start codes; of JPEG a whole picture with its head; of audio whole frames. It does not wait for
/// the next picture, as its own RTSP reader does, and it opens no socket. One owner, one thread at a time.
@safe package final class RTPDepacketizer {
    /// What the stream is, as its description says.
    package struct Stream: Sendable {
        package var isAudio: Bool
        /// RTP's name: `H264`.
        package var encoding: String
        package var clockRate: Int
        package var channels: Int
        /// What follows `a=fmtp:N`.
        package var parameters: String

        package init(isAudio: Bool, encoding: String, clockRate: Int, channels: Int, parameters: String) {
            self.isAudio = isAudio
            self.encoding = encoding
            self.clockRate = clockRate
            self.channels = channels
            self.parameters = parameters
        }

        /// The one description that libavformat reads. Parameter sets are ours to keep, and are left out: cameras write
        /// broken ones.
        fileprivate var description: [UInt8] {
            let kept = parameters.split(separator: ";").filter { part in
                let name = part.drop { $0 == " " }.lowercased()
                return !["sprop-parameter-sets", "sprop-vps", "sprop-sps", "sprop-pps", "sprop-sei"].contains {
                    name.hasPrefix($0)
                }
            }.joined(separator: ";")
            let medium = isAudio ? "audio" : "video"
            var text = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
            text += "m=\(medium) 5004 RTP/AVP \(RTPDepacketizer.payloadType)\r\n"
            text +=
                "a=rtpmap:\(RTPDepacketizer.payloadType) \(encoding)/\(clockRate)\(isAudio ? "/\(channels)" : "")\r\n"
            if !kept.isEmpty { text += "a=fmtp:\(RTPDepacketizer.payloadType) \(kept)\r\n" }
            return Array(text.utf8)
        }
    }

    fileprivate static let payloadType: UInt8 = 96
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let io: UnsafeMutablePointer<AVIOContext>
    private let feed: Feed
    /// What libavformat reads into.
    private let frame: UnsafeMutablePointer<AVPacket>
    private var sequence: UInt16 = 0

    /// What libavformat reads next: the description, then one packet after the other.
    private final class Feed {
        var bytes: [UInt8]
        var isOpening = true
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    /// - Throws: `.unsupported` for a coding that libavformat does not know.
    package init(_ stream: Stream) throws(CampipeError) {
        _ = FFmpeg.silent
        feed = Feed(stream.description)
        let attempted = "cannot read \(stream.encoding) over RTP"
        let size = 64 << 10
        var frame: UnsafeMutablePointer<AVPacket>? = unsafe try FFmpeg.made(unsafe av_packet_alloc(), "a packet")
        var isMade = false
        defer { if !isMade { unsafe av_packet_free(&frame) } }
        guard let memory = unsafe av_malloc(size) else { throw CampipeError(.exhausted, "\(attempted): no memory") }
        let io = unsafe avio_alloc_context(
            memory.assumingMemoryBound(to: UInt8.self), Int32(size), 0, Unmanaged.passUnretained(feed).toOpaque(),
            { opaque, target, size in
                guard let opaque = unsafe opaque, let target = unsafe target else { return campipe_averror_eof }
                let feed = unsafe Unmanaged<Feed>.fromOpaque(opaque).takeUnretainedValue()
                guard !feed.bytes.isEmpty else {
                    return feed.isOpening ? campipe_averror_eof : campipe_averror_again
                }
                let count = min(Int(size), feed.bytes.count)
                unsafe target.update(from: feed.bytes, count: count)
                feed.bytes.removeFirst(count)
                return Int32(count)
            },
            // It reports to the sender; we do that.
            { _, _, size in size }, nil)
        guard unsafe io != nil else {
            unsafe av_free(memory)
            throw CampipeError(.exhausted, "\(attempted): no memory")
        }
        var context = unsafe avformat_alloc_context()
        unsafe context?.pointee.pb = io
        unsafe context?.pointee.flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN | AVFMT_FLAG_CUSTOM_IO
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        unsafe av_dict_set(&options, "sdp_flags", "custom_io", 0)
        unsafe av_dict_set(&options, "reorder_queue_size", "0", 0)
        let result = unsafe avformat_open_input(&context, "", av_find_input_format("sdp"), &options)
        guard result >= 0, let opened = unsafe context, unsafe opened.pointee.nb_streams == 1,
            let made = unsafe io, let kept = unsafe frame,
            unsafe opened.pointee.streams[0]?.pointee.codecpar?.pointee.codec_id != AV_CODEC_ID_NONE
        else {
            unsafe avformat_close_input(&context)
            unsafe Self.free(io)
            throw CampipeError(.unsupported, attempted)
        }
        unsafe self.context = opened
        unsafe self.io = made
        unsafe self.frame = kept
        isMade = true
        // What is written must not go through the buffer, which holds what is read.
        unsafe made.pointee.direct = 1
        feed.isOpening = false
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
        unsafe Self.free(io)
        var frame: UnsafeMutablePointer<AVPacket>? = unsafe frame
        unsafe av_packet_free(&frame)
    }

    private static func free(_ io: UnsafeMutablePointer<AVIOContext>?) {
        guard let made = unsafe io else { return }
        unsafe av_freep(&made.pointee.buffer)
        var io = unsafe io
        unsafe avio_context_free(&io)
    }

    /// What the parameters of `a=fmtp` say of audio: AudioSpecificConfig; nil when nothing.
    package var configuration: Bytes? {
        guard let parameters = unsafe context.pointee.streams[0]?.pointee.codecpar,
            let extra = unsafe parameters.pointee.extradata, unsafe parameters.pointee.extradata_size > 0
        else { return nil }
        return unsafe Bytes(UnsafeRawBufferPointer(start: extra, count: Int(parameters.pointee.extradata_size)))
    }

    /// FFmpeg's name of the codec of sound, and its rate, which is not always that of the clock.
    package var sound: (codec: String?, rate: Int?) {
        guard let parameters = unsafe context.pointee.streams[0]?.pointee.codecpar else { return (nil, nil) }
        let rate = unsafe Int(parameters.pointee.sample_rate)
        return (unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id)), rate)
    }

    /// Takes one RTP packet, and gives what it completes to `take`.
    ///
    /// A packet that cannot be read gives nothing: it is like one that was lost.
    package func read(_ packet: [UInt8], take: (UnsafeRawBufferPointer) -> Void) {
        guard packet.count >= 12 else { return }
        var packet = packet
        // Cameras send another type than they describe; and what is lost is told by us.
        packet[1] = packet[1] & 0x80 | Self.payloadType
        packet[2] = UInt8(sequence >> 8)
        packet[3] = UInt8(truncatingIfNeeded: sequence)
        sequence &+= 1
        feed.bytes = packet
        unsafe io.pointee.eof_reached = 0
        unsafe io.pointee.error = 0
        while unsafe av_read_frame(context, frame) >= 0 {
            if let data = unsafe frame.pointee.data {
                unsafe take(UnsafeRawBufferPointer(start: data, count: Int(frame.pointee.size)))
            }
            unsafe av_packet_unref(frame)
        }
        feed.bytes = []
    }
}
