/// A request's target taken apart and percent-decoded: `/front/stream?fps=5`, `http://host/path`, `*`.
struct RequestTarget: Sendable {
    private(set) var path: String
    private(set) var query: [(name: String, value: String)] = []

    /// Nil when it is malformed: a bad percent escape, a control character, bytes that are not UTF-8.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        if bytes.elementsEqual([UInt8(ascii: "*")]) {
            path = "*"
            return
        }
        var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
        if rest.first != UInt8(ascii: "/") {
            // The absolute form, as proxies send it (RFC 9112 section 3.2.2).
            let scheme = lowercased(rest.prefix(8))
            guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else { return nil }
            let authority = rest.dropFirst(scheme.hasPrefix("https") ? 8 : 7)
            rest = authority.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard let decoded = percentDecoded(rest[..<mark], plusIsBlank: false) else { return nil }
        path = decoded.isEmpty ? "/" : decoded
        if mark == rest.endIndex { return }
        for pair in rest[(mark + 1)...].split(separator: UInt8(ascii: "&")).prefix(64) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let value = equals == pair.endIndex ? pair[equals...] : pair[(equals + 1)...]
            guard let name = percentDecoded(pair[..<equals], plusIsBlank: true),
                let text = percentDecoded(value, plusIsBlank: true)
            else { return nil }
            query.append((name: name, value: text))
        }
    }
}

/// Undoes percent-encoding (RFC 3986 section 2.1); nil when an escape is malformed, or the bytes hold NUL or no UTF-8.
func percentDecoded(_ bytes: some Collection<UInt8>, plusIsBlank: Bool) -> String? {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
        if byte == UInt8(ascii: "%") {
            guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else {
                return nil
            }
            out.append(high << 4 | low)
        } else {
            out.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
        }
    }
    guard !out.contains(0) else { return nil }
    return String(validating: out, as: UTF8.self)
}

/// Bytes as small hexadecimal digits, two each.
func hexText(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The value of a hexadecimal digit in ASCII; nil of any other byte.
func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
}
