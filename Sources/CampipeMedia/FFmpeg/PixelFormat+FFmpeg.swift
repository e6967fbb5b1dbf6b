import CFFmpeg
import CampipeKit

extension PixelFormat {
    /// FFmpeg's name of the same layout; the range is told beside it.
    var ffmpeg: AVPixelFormat {
        switch self {
        case .yuv420: AV_PIX_FMT_YUV420P
        case .yuv422: AV_PIX_FMT_YUV422P
        case .yuv444: AV_PIX_FMT_YUV444P
        case .nv12: AV_PIX_FMT_NV12
        case .gray8: AV_PIX_FMT_GRAY8
        case .rgb24: AV_PIX_FMT_RGB24
        }
    }

    /// The house's layout of a picture of FFmpeg's, where there is one.
    init?(ffmpeg: AVPixelFormat) {
        switch ffmpeg {
        case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P: self = .yuv420
        case AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P: self = .yuv422
        case AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ444P: self = .yuv444
        case AV_PIX_FMT_NV12: self = .nv12
        case AV_PIX_FMT_GRAY8: self = .gray8
        case AV_PIX_FMT_RGB24: self = .rgb24
        default: return nil
        }
    }

    /// How many columns and rows share one sample of colour.
    var colorBlock: (columns: Int, rows: Int) {
        switch self {
        case .yuv420, .nv12: (2, 2)
        case .yuv422: (2, 1)
        case .yuv444, .gray8, .rgb24: (1, 1)
        }
    }
}

extension ColorMatrix {
    /// swscale's number of the matrix.
    var swscale: Int32 {
        switch self {
        case .bt601: SWS_CS_ITU601
        case .bt709: SWS_CS_ITU709
        case .bt2020: SWS_CS_BT2020
        }
    }

    /// FFmpeg's number of the matrix in streams and frames.
    var ffmpeg: AVColorSpace {
        switch self {
        case .bt601: AVCOL_SPC_SMPTE170M
        case .bt709: AVCOL_SPC_BT709
        case .bt2020: AVCOL_SPC_BT2020_NCL
        }
    }

    /// - Parameter size: What decides where the stream says nothing: BT.709 from HD sizes on, as browsers do.
    init(ffmpeg: AVColorSpace, size: Size) {
        switch ffmpeg {
        case AVCOL_SPC_BT709: self = .bt709
        case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: self = .bt2020
        case AVCOL_SPC_SMPTE170M, AVCOL_SPC_BT470BG, AVCOL_SPC_FCC: self = .bt601
        default: self = size.width >= 1280 || size.height > 576 ? .bt709 : .bt601
        }
    }
}
