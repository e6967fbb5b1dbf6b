import CFFmpeg
package import CampipeKit
import Glibc

/// Where a muxer's bytes go.
package enum MuxerDestination {
    /// A file that does not exist yet; one that does is an error, never overwritten.
    case path(String)
    /// Whoever takes the bytes in order; nothing is ever changed afterwards. What it throws, the muxer throws.
    case bytes((Bytes) throws -> Void)
}

/// The muxer's file or closure, and what went wrong there, since FFmpeg's callbacks can only return a number.
final class MuxerOutput {
    private let descriptor: Int32?
    private let name: String
    private let take: ((Bytes) throws -> Void)?
    /// The first thing that went wrong; it stays.
    private(set) var failure: CampipeError?
    /// Bytes handed on, those written twice counted twice.
    private(set) var written = 0

    init(_ destination: MuxerDestination) throws(CampipeError) {
        switch destination {
        case .path(let path):
            let opened = unsafe Glibc.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
            guard opened >= 0 else { throw Self.error("cannot create \(path)", errno) }
            (descriptor, name, take) = (opened, path, nil)
        case .bytes(let take):
            descriptor = nil
            name = "the recording"
            self.take = take
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    var canSeek: Bool { descriptor != nil }

    /// Writes all of it.
    ///
    /// - Returns: How much, or FFmpeg's negative code; `failure` then says why.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        if failure != nil { return -EIO }
        written += bytes.count
        if let take {
            do {
                try take(unsafe Bytes(bytes))
                return Int32(bytes.count)
            } catch {
                failure = error as? CampipeError ?? CampipeError(.failed, "cannot write \(name)", cause: error)
                return -EIO
            }
        }
        var done = 0
        while done < bytes.count {
            let count = unsafe Glibc.write(
                descriptor ?? -1, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                let code = errno
                failure = Self.error("cannot write \(name)", code)
                return -code
            }
        }
        return Int32(done)
    }

    /// Moves in the file; FFmpeg's AVSEEK_SIZE asks for its size.
    func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        guard let descriptor else { return Int64(-ESPIPE) }
        if whence & AVSEEK_SIZE != 0 {
            var status = stat()
            return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : Int64(-errno)
        }
        let place = lseek(descriptor, Int(offset), whence & ~AVSEEK_FORCE)
        return place >= 0 ? Int64(place) : Int64(-errno)
    }

    private static func error(_ attempted: String, _ code: Int32) -> CampipeError {
        let kind: CampipeError.Kind =
            switch code {
            case ENOSPC, EDQUOT, EMFILE, ENFILE, EFBIG: .exhausted
            case ENOENT: .notFound
            default: .failed
            }
        return .system(attempted, errno: code, kind: kind)
    }
}
