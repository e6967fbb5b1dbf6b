import CFFmpeg
package import CampipeKit
import Glibc

/// Writes a fragmented MP4 anew as a plain one, its index at the front: for players that know no fragments, or want to
/// begin before they have all of it.
///
/// Packets stay as they are. The file is read twice, since the index must be written before what it tells of; it blocks
/// while the disk does.
@safe package final class PlainMP4 {
    private let input: UnsafeMutablePointer<AVFormatContext>
    private let output: UnsafeMutablePointer<AVFormatContext>
    private let sink: MuxerOutput

    /// Writes what is at `path` as a plain MP4.
    ///
    /// - Throws: `.exhausted` for a full disk, `.badData` for what is no MP4.
    package static func write(_ path: String, to destination: MuxerDestination) throws(CampipeError) {
        let measure = try PlainMP4(path, .rewritable({ _ in }, rewrite: { _, _ in }))
        let index = try measure.copy(reserving: nil)
        // Some bytes more, should places be so much larger that they need longer numbers.
        _ = try PlainMP4(path, destination).copy(reserving: index + index / 4 + 1024)
    }

    private init(_ path: String, _ destination: MuxerDestination) throws(CampipeError) {
        _ = FFmpeg.silent
        sink = try MuxerOutput(destination)
        var opened: UnsafeMutablePointer<AVFormatContext>?
        try FFmpeg.check(unsafe avformat_open_input(&opened, "file:" + path, nil, nil), "cannot open \(path)")
        unsafe input = try FFmpeg.made(opened, "a reader")
        var made: UnsafeMutablePointer<AVFormatContext>?
        unsafe avformat_alloc_output_context2(&made, nil, "mp4", nil)
        guard let made = unsafe made else {
            // `deinit` does not run when an initialiser throws before all is set.
            unsafe avformat_close_input(&opened)
            throw CampipeError(.exhausted, "no memory for a muxer")
        }
        unsafe output = made
        try attach()
    }

    deinit {
        var input: UnsafeMutablePointer<AVFormatContext>? = unsafe input
        unsafe avformat_close_input(&input)
        if let io = unsafe output.pointee.pb {
            unsafe av_free(io.pointee.buffer)
            var io: UnsafeMutablePointer<AVIOContext>? = unsafe io
            unsafe avio_context_free(&io)
        }
        unsafe avformat_free_context(output)
    }

    /// Copies all packets.
    ///
    /// - Parameter room: What the index gets at the front; nil puts it at the end.
    /// - Returns: How large the index is, where it is at the end.
    private func copy(reserving room: Int?) throws(CampipeError) -> Int {
        try FFmpeg.check(unsafe avformat_find_stream_info(input, nil), "cannot read a recording")
        for index in 0..<Int(unsafe input.pointee.nb_streams) {
            guard let from = unsafe input.pointee.streams[index], let to = unsafe avformat_new_stream(output, nil)
            else { throw CampipeError(.exhausted, "no memory for a stream") }
            try check(unsafe avcodec_parameters_copy(to.pointee.codecpar, from.pointee.codecpar))
            unsafe to.pointee.time_base = from.pointee.time_base
            unsafe to.pointee.sample_aspect_ratio = from.pointee.sample_aspect_ratio
            unsafe to.pointee.avg_frame_rate = from.pointee.avg_frame_rate
        }
        unsafe av_dict_copy(&output.pointee.metadata, input.pointee.metadata, 0)
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        if let room { unsafe av_dict_set(&options, "moov_size", "\(room)", 0) }
        try check(unsafe avformat_write_header(output, &options))
        var made = unsafe av_packet_alloc()
        let packet = try unsafe FFmpeg.made(made, "a packet")
        defer { unsafe av_packet_free(&made) }
        while true {
            let result = unsafe av_read_frame(input, packet)
            if result == campipe_averror_eof { break }
            try FFmpeg.check(result, "cannot read a recording")
            defer { unsafe av_packet_unref(packet) }
            guard let from = unsafe input.pointee.streams[Int(packet.pointee.stream_index)],
                let to = unsafe output.pointee.streams[Int(packet.pointee.stream_index)]
            else { continue }
            unsafe av_packet_rescale_ts(packet, from.pointee.time_base, to.pointee.time_base)
            unsafe packet.pointee.pos = -1
            try check(unsafe av_write_frame(output, packet))
        }
        unsafe avio_flush(output.pointee.pb)
        let end = sink.end
        try check(unsafe av_write_trailer(output))
        unsafe avio_flush(output.pointee.pb)
        try check(0)
        return sink.end - end
    }

    /// The destination's own failure first, then FFmpeg's.
    private func check(_ result: Int32) throws(CampipeError) {
        if let failure = sink.failure { throw failure }
        try FFmpeg.check(result, "cannot write a plain MP4")
    }

    private func attach() throws(CampipeError) {
        guard let buffer = unsafe av_malloc(1 << 16) else { throw CampipeError(.exhausted, "no memory for a muxer") }
        let opaque = unsafe Unmanaged.passUnretained(sink).toOpaque()
        let io = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), 1 << 16, 1, opaque, nil,
            { opaque, bytes, count in
                guard let opaque = unsafe opaque else { return -1 }
                return unsafe Unmanaged<MuxerOutput>.fromOpaque(opaque).takeUnretainedValue()
                    .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            },
            { opaque, offset, whence in
                guard let opaque = unsafe opaque else { return -1 }
                return unsafe Unmanaged<MuxerOutput>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            })
        guard let io = unsafe io else {
            unsafe av_free(buffer)
            throw CampipeError(.exhausted, "no memory for a muxer")
        }
        unsafe output.pointee.pb = io
        unsafe output.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    }
}
