import CampipeKit
import Glibc

/// Writes whole lines to a descriptor that somebody else opened; writers on several threads take turns.
final class LineFile: Sendable {
    private let descriptor: Int32
    // Held while a line is written: the lines of two nodes must not mix. Only threads that may block come here.
    private let turn = Lock(())

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// - Throws: `CampipeError` of kind `.failed` when it cannot be written for another reason than a reader who left.
    func write(_ line: String) throws -> LineWriter.Outcome {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        let code = turn.withLock { _ in unsafe bytes.withUnsafeBytes { unsafe Self.write(all: $0, to: descriptor) } }
        switch code {
        case 0: return .written
        case EPIPE: return .closed
        default: throw CampipeError.system("cannot write to standard output", errno: code)
        }
    }

    /// - Returns: 0, or the error number of the call that failed.
    static func write(all bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = unsafe Glibc.write(descriptor, base + done, bytes.count - done)
            if count >= 0 {
                done += count
                continue
            }
            let code = errno
            switch code {
            case EINTR: continue
            case EAGAIN:
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe Glibc.poll(&poll, 1, -1)
            default: return code
            }
        }
        return 0
    }
}
