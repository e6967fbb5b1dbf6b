import CFFmpeg
package import CampipeKit
import Glibc

/// Where a muxer's bytes go.
package enum MuxerDestination {
    /// A file that does not exist yet; one that does is an error, never overwritten.
    case path(String)
    /// Whoever takes the bytes in order; nothing is ever changed afterwards. What it throws, the muxer throws.
    case bytes((Bytes) throws -> Void)
    /// As `bytes`, and `rewrite` changes what was taken, from a place on: for what a container learns at its end only,
    /// such as how long it is. It never reaches beyond the end.
    case rewritable((Bytes) throws -> Void, rewrite: (Bytes, Int) throws -> Void)
}

/// The muxer's file or closure, and what went wrong there, since FFmpeg's callbacks can only return a number.
final class MuxerOutput {
    private let descriptor: Int32?
    private let name: String
    private let take: ((Bytes) throws -> Void)?
    private let rewrite: ((Bytes, Int) throws -> Void)?
    /// Where the next bytes go, and how many there are; of a destination that can be rewritten.
    private var place = 0
    /// How much was written, of a destination that can be rewritten.
    private(set) var end = 0
    /// The first thing that went wrong; it stays.
    private(set) var failure: CampipeError?

    init(_ destination: MuxerDestination) throws(CampipeError) {
        switch destination {
        case .path(let path):
            let opened = unsafe Glibc.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
            guard opened >= 0 else { throw Self.error("cannot create \(path)", errno) }
            (descriptor, name, take, rewrite) = (opened, path, nil, nil)
        case .bytes(let take):
            (descriptor, name, rewrite) = (nil, "the recording", nil)
            self.take = take
        case .rewritable(let take, let rewrite):
            (descriptor, name) = (nil, "the recording")
            self.take = take
            self.rewrite = rewrite
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    var canSeek: Bool { descriptor != nil || rewrite != nil }

    /// Writes all of it.
    ///
    /// - Returns: How much, or FFmpeg's negative code; `failure` then says why.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        if failure != nil { return -EIO }
        if let take {
            do {
                let old = rewrite == nil ? 0 : min(bytes.count, end - place)
                if old > 0 { try rewrite?(unsafe Bytes(UnsafeRawBufferPointer(rebasing: bytes[..<old])), place) }
                if old < bytes.count { try take(unsafe Bytes(UnsafeRawBufferPointer(rebasing: bytes[old...]))) }
                place += bytes.count
                end = max(end, place)
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
        guard let descriptor else { return rewrite == nil ? Int64(-ESPIPE) : move(Int(offset), whence) }
        if whence & AVSEEK_SIZE != 0 {
            var status = stat()
            return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : Int64(-errno)
        }
        let place = lseek(descriptor, Int(offset), whence & ~AVSEEK_FORCE)
        return place >= 0 ? Int64(place) : Int64(-errno)
    }

    /// As `seek`, where the place is kept here. What is left out beyond the end becomes zeros.
    private func move(_ offset: Int, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return Int64(end) }
        let target: Int
        switch whence & ~AVSEEK_FORCE {
        case SEEK_SET: target = offset
        case SEEK_CUR: target = place + offset
        case SEEK_END: target = end + offset
        default: return Int64(-EINVAL)
        }
        guard target >= 0 else { return Int64(-EINVAL) }
        if target > end {
            guard let take, failure == nil else { return Int64(-EIO) }
            do {
                try take(Bytes([UInt8](repeating: 0, count: target - end)))
            } catch {
                failure = error as? CampipeError ?? CampipeError(.failed, "cannot write \(name)", cause: error)
                return Int64(-EIO)
            }
            end = target
        }
        place = target
        return Int64(target)
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
