import COpenSSL
package import CampipeKit

/// A certificate that nobody vouches for, for a house without a name of its own: browsers ask once whether to trust it.
@safe package enum SelfSignedCertificate {
    /// Makes a P-256 key, and a certificate for these names that it signs itself.
    ///
    /// - Parameters:
    ///   - names: Host names and addresses, as people type them; at least one.
    ///   - time: From a day before on it is valid, for two years.
    /// - Returns: Both as PEM.
    /// - Throws: `.failed`.
    package static func make(
        names: [String], time: WallTime
    ) throws(CampipeError) -> (certificate: [UInt8], key: [UInt8]) {
        ERR_clear_error()
        guard let key = unsafe copenssl_new_p256_key() else { throw failure }
        defer { unsafe EVP_PKEY_free(key) }
        guard let certificate = unsafe X509_new() else { throw failure }
        defer { unsafe X509_free(certificate) }
        let serial = UInt64.random(in: 1..<1 << 62)
        var seconds = time_t(time.microseconds / 1_000_000)
        let texts = names.map { isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }.joined(separator: ",")
        guard unsafe X509_set_version(certificate, 2) == 1,
            unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
            unsafe X509_time_adj_ex(X509_getm_notBefore(certificate), -1, 0, &seconds) != nil,
            unsafe X509_time_adj_ex(X509_getm_notAfter(certificate), 730, 0, &seconds) != nil,
            unsafe X509_set_pubkey(certificate, key) == 1,
            let name = unsafe X509_get_subject_name(certificate),
            unsafe X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "campipe", -1, -1, 0) == 1,
            unsafe X509_set_issuer_name(certificate, name) == 1
        else { throw failure }
        for (nid, text) in [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_ext_key_usage, "serverAuth"),
            (NID_subject_alt_name, texts),
        ] {
            guard let part = unsafe X509V3_EXT_conf_nid(nil, nil, nid, text) else { throw failure }
            defer { unsafe X509_EXTENSION_free(part) }
            guard unsafe X509_add_ext(certificate, part, -1) == 1 else { throw failure }
        }
        guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else { throw failure }
        let first = unsafe try pem { bio in unsafe PEM_write_bio_X509(bio, certificate) }
        let second = unsafe try pem { bio in unsafe PEM_write_bio_PrivateKey(bio, key, nil, nil, 0, nil, nil) }
        return (first, second)
    }

    private static var failure: CampipeError {
        CampipeError(.failed, "cannot make a certificate: \(openSSLReason())")
    }

    private static func isAddress(_ name: String) -> Bool {
        name.contains(":") || name.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
    }

    private static func pem(_ write: (OpaquePointer) -> Int32) throws(CampipeError) -> [UInt8] {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw failure }
        defer { unsafe BIO_free(bio) }
        guard unsafe write(bio) == 1 else { throw failure }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe BIO_read(bio, &chunk, Int32(chunk.count))
            if count <= 0 { break }
            bytes += chunk.prefix(Int(count))
        }
        return bytes
    }
}
