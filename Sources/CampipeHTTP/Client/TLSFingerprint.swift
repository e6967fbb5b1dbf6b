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
            // 32 bytes are 43 digits and a sign of padding.
            guard hash.count == 44, TLSFingerprint.base64(hash[...])?.count == 32 else { return nil }
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
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in hash {
            if !text.isEmpty { text.append(UInt8(ascii: ":")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes between a PEM text's lines of dashes (RFC 7468); nil when it is none.
    static func der(ofPEM text: String) -> [UInt8]? {
        let lines = Array(text.utf8).split(separator: UInt8(ascii: "\n"))
        guard let begin = lines.firstIndex(where: { hasDashes($0) }),
            let end = lines[(begin + 1)...].firstIndex(where: { hasDashes($0) })
        else { return nil }
        return base64(Array(lines[(begin + 1)..<end].joined())[...])
    }

    /// curl puts `Cert:` before the first line.
    private static func hasDashes(_ line: ArraySlice<UInt8>) -> Bool {
        let dashes = Array("-----".utf8)
        return line.starts(with: dashes) || line.starts(with: Array("Cert:-----".utf8))
    }

    static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits = 0
        var value: UInt32 = 0
        for byte in text where byte != 13 {
            if byte == UInt8(ascii: "=") { break }
            guard let digit = base64Digit(byte) else { return nil }
            value = value << 6 | UInt32(digit)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
            }
        }
        return bytes
    }

    private static func base64Digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
