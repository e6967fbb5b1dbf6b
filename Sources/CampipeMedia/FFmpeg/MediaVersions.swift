import CFFmpeg

/// The versions of the media libraries that this process runs with.
package enum MediaVersions {
    /// FFmpeg's, as its maintainers write it: `5.1.9-0+deb12u1`.
    package static var ffmpeg: String {
        guard let text = unsafe av_version_info() else { return "unknown" }
        return unsafe String(cString: text)
    }
}
