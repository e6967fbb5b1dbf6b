import COpenSSL
package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// A certificate with its key, as OpenSSL holds them for all clients that come while it is in force: TLS 1.2 and later.
@safe package final class TLSContext: Sendable {
    /// Owned; OpenSSL counts references to it itself, and it is not changed after `init`.
    private nonisolated(unsafe) let context: OpaquePointer
    /// The last moment at which the certificate is valid; nil when it does not say.
    package let expiry: WallTime?

    /// Reads a pair of files.
    ///
    /// - Throws: `.configuration` when a file cannot be read, is no PEM, has a passphrase, or the two do not belong
    ///   together; the sentence says which.
    package init(_ files: TLSFiles) throws(CampipeError) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw CampipeError(.exhausted, "cannot begin TLS: \(openSSLReason())")
        }
        var isOwned = false
        defer { if !isOwned { unsafe SSL_CTX_free(context) } }
        guard unsafe copenssl_require_tls12(context) == 1 else {
            throw CampipeError(.failed, "cannot begin TLS: \(openSSLReason())")
        }
        unsafe copenssl_set_stream_mode(context)
        unsafe copenssl_refuse_passphrases(context)
        guard unsafe SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1 else {
            throw Self.failure("certificate", files.certificate, openSSLReason())
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1 else {
            let reason = openSSLReason()
            // The words of OpenSSL's error table for a key that is another certificate's.
            guard reason == "key values mismatch" || reason == "key type mismatch" else {
                throw Self.failure("key", files.key, reason)
            }
            throw CampipeError(
                .configuration, "the key in \(files.key) does not belong to the certificate in \(files.certificate)",
                fix: "name the two files that were made together")
        }
        let seconds = unsafe copenssl_expiry(context)
        expiry = seconds < 0 ? nil : WallTime(microseconds: seconds * 1_000_000)
        unsafe self.context = context
        isOwned = true
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// A session on a socket that a client has connected to; nil without memory.
    func session(on descriptor: Int32) -> TLSSession? {
        guard let session = unsafe SSL_new(context) else { return nil }
        guard unsafe SSL_set_fd(session, descriptor) == 1 else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe SSL_set_accept_state(session)
        return unsafe TLSSession(taking: session)
    }

    private static func failure(_ what: String, _ path: String, _ reason: String) -> CampipeError {
        let code = unsafe access(path, R_OK) == 0 ? 0 : errno
        if code != 0 {
            return .system("cannot read the \(what) \(path)", errno: code, kind: .configuration)
        }
        return CampipeError(
            .configuration, "cannot use the \(what) in \(path): \(reason)",
            fix: what == "key"
                ? "it must be PEM, without a passphrase, and belong to the certificate"
                : "it must be PEM, the server's own certificate first")
    }
}

/// What OpenSSL says of the last failure on this thread; forgets it.
func openSSLReason() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let reason = unsafe ERR_reason_error_string(code) else { return "it says no more" }
    return unsafe String(cString: reason)
}
