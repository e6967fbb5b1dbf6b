import COpenSSL

/// What a server's certificate must be, for one that no authority has signed.
///
/// Two spellings, as the tools print them: the SHA-256 of the certificate in hexadecimal digits, with colons or without
/// (`openssl x509 -fingerprint -sha256`, browsers), or `sha256//` and the SHA-256 of its public key in base64 (RFC 7469
/// section 2.4; curl). The public key outlives a renewed certificate.
package enum TLSFingerprint: Hashable, Sendable {
    /// Of the whole certificate (DER), 32 bytes.
    case certificate([UInt8])
    /// Of its public key (SubjectPublicKeyInfo, DER), in base64.
    case publicKey(String)

    /// nil when it is neither spelling.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let prefix = Array("sha256//".utf8)
        if bytes.starts(with: prefix) {
            let hash = Array(bytes.dropFirst(prefix.count))
            guard TLSFingerprint.isBase64Hash(hash) else { return nil }
            self = .publicKey(String(decoding: hash, as: UTF8.self))
            return
        }
        var hash: [UInt8] = []
        var high: UInt8?
        for byte in bytes {
            if byte == UInt8(ascii: ":") {
                guard high == nil, !hash.isEmpty else { return nil }
                continue
            }
            guard let digit = hexDigit(byte) else { return nil }
            if let first = high {
                hash.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil, hash.count == 32, bytes.last != UInt8(ascii: ":") else { return nil }
        self = .certificate(hash)
    }

    /// A hash as it is written: `AB:CD:…`.
    package static func text(_ hash: [UInt8]) -> String {
        hash.map { hexText([$0]).uppercased() }.joined(separator: ":")
    }

    /// The SHA-256 of the first certificate of a PEM text; nil when there is none.
    static func hash(ofPEM text: String) -> [UInt8]? {
        var text = text
        ERR_clear_error()
        // OpenSSL reads out of the text's own memory until the BIO is freed.
        let read: OpaquePointer? = text.withUTF8 { bytes in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { unsafe BIO_free(input) }
            return unsafe PEM_read_bio_X509(input, nil, nil, nil)
        }
        guard let certificate = unsafe read else { return nil }
        defer { unsafe X509_free(certificate) }
        var hash = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard unsafe X509_digest(certificate, EVP_sha256(), &hash, &length) == 1, length == 32 else { return nil }
        return hash
    }

    /// Whether these are 32 bytes in base64: 43 digits and a sign of padding.
    private static func isBase64Hash(_ text: [UInt8]) -> Bool {
        text.count == 44 && text.last == UInt8(ascii: "=")
            && Base64.bytes(String(decoding: text, as: UTF8.self))?.count == 32
    }
}
