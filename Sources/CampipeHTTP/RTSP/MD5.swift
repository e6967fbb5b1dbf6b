import COpenSSL

/// MD5 (RFC 1321), which Digest of most cameras still is.
enum MD5 {
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 16)
        var count: UInt32 = 16
        _ = unsafe EVP_Digest(bytes, bytes.count, &result, &count, EVP_md5(), nil)
        return result
    }
}

/// Bytes as small hexadecimal digits.
enum Hexadecimal {
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Base64 (RFC 4648 section 4).
package enum Base64 {
    package static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        var at = 0
        while at < bytes.count {
            let b = at + 1 < bytes.count ? bytes[at + 1] : 0
            let c = at + 2 < bytes.count ? bytes[at + 2] : 0
            text.append(digits[Int(bytes[at] >> 2)])
            text.append(digits[Int((bytes[at] & 3) << 4 | b >> 4)])
            text.append(at + 1 < bytes.count ? digits[Int((b & 15) << 2 | c >> 6)] : UInt8(ascii: "="))
            text.append(at + 2 < bytes.count ? digits[Int(c & 63)] : UInt8(ascii: "="))
            at += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil when it holds anything else; blanks at the ends and missing signs of padding are taken.
    package static func bytes(_ text: String) -> [UInt8]? { TLSFingerprint.base64(trimmed(Array(text.utf8)[...])) }
}
