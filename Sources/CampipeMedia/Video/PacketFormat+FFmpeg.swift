import CFFmpeg
import CampipeKit

extension Coding {
    init(ffmpeg id: AVCodecID) {
        switch id {
        case AV_CODEC_ID_MJPEG: self = .jpeg
        case AV_CODEC_ID_H264: self = .h264
        case AV_CODEC_ID_HEVC: self = .h265
        case AV_CODEC_ID_AAC: self = .aac
        case AV_CODEC_ID_OPUS: self = .opus
        case AV_CODEC_ID_PCM_MULAW: self = .pcmu
        case AV_CODEC_ID_PCM_ALAW: self = .pcma
        default: self = .other
        }
    }
}

extension PacketFormat {
    /// FFmpeg's number of the codec, where it has one.
    var codecID: AVCodecID {
        switch coding {
        case .jpeg: return AV_CODEC_ID_MJPEG
        case .h264: return AV_CODEC_ID_H264
        case .h265: return AV_CODEC_ID_HEVC
        case .aac: return AV_CODEC_ID_AAC
        case .opus: return AV_CODEC_ID_OPUS
        case .pcmu: return AV_CODEC_ID_PCM_MULAW
        case .pcma: return AV_CODEC_ID_PCM_ALAW
        case .other:
            if RawLayout(codecName) != nil { return AV_CODEC_ID_RAWVIDEO }
            guard let codecName, let descriptor = unsafe avcodec_descriptor_get_by_name(codecName) else {
                return AV_CODEC_ID_NONE
            }
            return unsafe descriptor.pointee.id
        case .empty, nil: return AV_CODEC_ID_NONE
        }
    }

    /// What a container says of a stream.
    init(_ stream: UnsafeMutablePointer<AVStream>, parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let own = unsafe parameters.pointee
        self.init(unsafe Coding(ffmpeg: own.codec_id))
        if unsafe own.width > 0, unsafe own.height > 0 { size = unsafe Size(Int(own.width), Int(own.height)) }
        let rate = unsafe stream.pointee.avg_frame_rate
        if rate.num > 0, rate.den > 0 { self.rate = av_q2d(rate) }
        let base = unsafe stream.pointee.time_base
        if base.num > 0, base.den > 0 { timebase = Timebase(base.num, base.den) }
        if let extra = unsafe own.extradata, unsafe own.extradata_size > 0 {
            parameterSets = unsafe Bytes(UnsafeRawBufferPointer(start: extra, count: Int(own.extradata_size)))
        }
        if coding == .other {
            let name = unsafe String(cString: avcodec_get_name(own.codec_id))
            codecName = unsafe RawLayout(parameters)?.codecName ?? name
        }
        if unsafe own.codec_type == AVMEDIA_TYPE_AUDIO {
            sampleRate = unsafe Int(own.sample_rate)
            channels = unsafe Int(own.ch_layout.nb_channels)
        }
    }

    /// Tells FFmpeg what the stream is.
    func fill(_ parameters: UnsafeMutablePointer<AVCodecParameters>) throws(CampipeError) {
        unsafe parameters.pointee.codec_id = codecID
        if let size {
            unsafe parameters.pointee.width = Int32(size.width)
            unsafe parameters.pointee.height = Int32(size.height)
        }
        if isAudio {
            unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
            unsafe parameters.pointee.sample_rate = Int32(sampleRate ?? 8000)
            unsafe av_channel_layout_default(&parameters.pointee.ch_layout, Int32(channels ?? 1))
            if coding == .aac { unsafe parameters.pointee.frame_size = 1024 }
        } else {
            unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
            if let layout = RawLayout(codecName) { unsafe layout.fill(parameters) }
            if let aspect = sampleAspect {
                unsafe parameters.pointee.sample_aspect_ratio = AVRational(
                    num: Int32(aspect.width), den: Int32(aspect.height))
            }
        }
        guard let parameterSets, parameterSets.count > 0 else { return }
        let padded = parameterSets.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let copy = unsafe av_mallocz(padded) else {
            throw CampipeError(.exhausted, "no memory for parameter sets")
        }
        unsafe parameterSets.withBytes { bytes in
            if let start = bytes.baseAddress { unsafe copy.copyMemory(from: start, byteCount: bytes.count) }
        }
        unsafe parameters.pointee.extradata = unsafe copy.assumingMemoryBound(to: UInt8.self)
        unsafe parameters.pointee.extradata_size = Int32(parameterSets.count)
    }
}
