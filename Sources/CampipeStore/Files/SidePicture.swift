package import CampipeKit
import Glibc

/// The picture that stands beside a recording and shows what happened in it: `CLIP.jpg` beside `CLIP.mp4`.
///
/// It was last changed when its recording was, to the microsecond: that tells it from a picture that somebody else put
/// there, and it goes with its recording.
package enum SidePicture {
    /// Where the picture of a recording is.
    package static func path(of recording: String) -> String {
        let bytes = Array(recording.utf8)
        return String(decoding: bytes[..<FileNamePattern.extensionIndex(of: bytes)], as: UTF8.self) + ".jpg"
    }

    /// Writes the picture of a recording that is there, unless a file has its name.
    ///
    /// - Returns: Its path; nil when the name is in use.
    /// - Throws: As `OutputFile` does; nothing is left behind then.
    package static func write(
        _ bytes: [UInt8], beside recording: String, disk: any Disk = KernelDisk()
    ) throws(CampipeError) -> String? {
        let path = path(of: recording)
        guard path != recording else { return nil }
        guard try WholeFile.write(bytes, path: path, disk: disk) else { return nil }
        stamp(of: recording)
        return path
    }

    /// Says of a recording that was changed since that its picture is still its own.
    package static func stamp(of recording: String) {
        var status = stat()
        guard unsafe lstat(recording, &status) == 0 else { return }
        let times = [status.st_mtim, status.st_mtim]
        unsafe utimensat(AT_FDCWD, path(of: recording), times, AT_SYMLINK_NOFOLLOW)
    }

    /// The picture of a recording that is there, if it is its own; both are deleted together.
    static func own(of recording: String) -> String? {
        let path = path(of: recording)
        var (picture, clip) = (stat(), stat())
        guard path != recording, unsafe lstat(path, &picture) == 0, picture.st_mode & S_IFMT == S_IFREG,
            unsafe lstat(recording, &clip) == 0
        else { return nil }
        // A file system may round times to two seconds, and a copy to another disk with them.
        return abs(picture.st_mtim.tv_sec - clip.st_mtim.tv_sec) <= 2 ? path : nil
    }
}
