import COpenSSL

/// The hashes of HTTP's Digest login (RFC 7616); most cameras still want MD5.
enum MessageDigest {
    case md5, sha256

    /// The hash in small hexadecimal digits.
    func text(_ bytes: [UInt8]) -> String {
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let kind = unsafe self == .md5 ? EVP_md5() : EVP_sha256()
        _ = unsafe EVP_Digest(bytes, bytes.count, &hash, &count, kind, nil)
        return hexText(hash[..<Int(count)])
    }
}
