import COpenSSL
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// One client's TLS over its socket. On the server's thread only.
///
/// The handshake happens within the first reads and writes. What is sent is encrypted record by record, 16 KiB at most,
/// and the next one only when the socket has taken the last: that one record is all that is held for a slow client.
@safe final class TLSSession {
    /// The most bytes of plain text in a record (RFC 8446 section 5.1).
    static let recordBytes = 16 << 10

    private let session: OpaquePointer

    /// - Parameter session: Owned from now on.
    init(taking session: OpaquePointer) { unsafe self.session = session }

    deinit { unsafe SSL_free(session) }

    /// Reads what was decrypted.
    ///
    /// - Returns: As `recv`: bytes, 0 when the client is done, or -1 with `errno` set, `EAGAIN` until more comes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        ERR_clear_error()
        errno = 0
        let count = unsafe SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
        return result(count)
    }

    /// Sends bytes, at most a record of them.
    ///
    /// After `EAGAIN` the same bytes must be given again.
    ///
    /// - Returns: As `send`: bytes taken, or -1 with `errno` set.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if unsafe bytes.isEmpty { return 0 }
        ERR_clear_error()
        errno = 0
        let count = unsafe SSL_write(session, bytes.baseAddress, Int32(clamping: min(bytes.count, Self.recordBytes)))
        return result(count)
    }

    /// Says that nothing more will be sent, if the socket takes that now.
    func finish() {
        ERR_clear_error()
        if unsafe SSL_is_init_finished(session) == 1 { _ = unsafe SSL_shutdown(session) }
        ERR_clear_error()
    }

    private func result(_ count: Int32) -> Int {
        if count > 0 { return Int(count) }
        let code = errno
        switch unsafe SSL_get_error(session, count) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            errno = EAGAIN
            return -1
        case SSL_ERROR_ZERO_RETURN: return 0
        case SSL_ERROR_SYSCALL:
            errno = code == 0 || code == EAGAIN || code == EINTR ? ECONNRESET : code
            return -1
        default:
            ERR_clear_error()
            errno = EPROTO
            return -1
        }
    }
}
