import COpenSSL

/// Base64 (RFC 4648 section 4).
package enum Base64 {
    /// The bytes in base64 with padding (RFC 4648, section 4).
    package static func text(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text[..<Int(count)], as: UTF8.self)
    }

    /// nil when it holds anything else; blanks at the ends and missing signs of padding are taken.
    package static func bytes(_ text: String) -> [UInt8]? {
        var digits = trimmed(Array(text.utf8)[...])
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        // OpenSSL passes over blanks, and takes padding anywhere.
        guard digits.count % 4 != 1, digits.allSatisfy({ $0 > 32 && $0 != UInt8(ascii: "=") }) else { return nil }
        let count = digits.count * 3 / 4
        let whole = Array(digits) + [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        var bytes = [UInt8](repeating: 0, count: whole.count)
        guard unsafe EVP_DecodeBlock(&bytes, whole, Int32(clamping: whole.count)) >= count else { return nil }
        return Array(bytes[..<count])
    }
}
