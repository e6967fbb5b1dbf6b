/// The value of a `Content-Type` header: its type, and the boundary however it is spelled.
package struct MediaType: Sendable, Equatable {
    /// In lower case, without parameters: `multipart/x-mixed-replace`.
    package let name: String
    /// The `boundary` parameter as written, quotes removed; nil when there is none.
    package let boundary: String?

    package init(_ value: String) {
        let bytes = Array(value.utf8)
        let end = bytes.firstIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") } ?? bytes.count
        name = lowercased(trimmed(bytes[..<end]))
        boundary = MediaType.parameter("boundary", in: bytes[end...])
    }

    /// Parameters are separated by semicolons, outside of quotes; an unquoted value may hold `=` (seen in the field).
    private static func parameter(_ wanted: String, in bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = rest[(start + 1)...]
            let head = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            guard head.endIndex < rest.endIndex, rest[head.endIndex] == UInt8(ascii: "=") else { continue }
            rest = rest[(head.endIndex + 1)...]
            let value = takeValue(&rest)
            if lowercased(trimmed(head)) == wanted {
                return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
            }
        }
        return nil
    }

    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        while rest.first == 0x20 || rest.first == 0x09 { rest = rest.dropFirst() }
        guard rest.first == UInt8(ascii: "\"") else {
            let value = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest[value.endIndex...]
            return Array(trimmed(value))
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.first {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), let escaped = rest.first {
                value.append(escaped)
                rest = rest.dropFirst()
            } else {
                value.append(byte)
            }
        }
        return value
    }
}
