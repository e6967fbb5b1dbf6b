/// Text on a line of a list of recordings: control characters and percent signs are written `%0A`.
enum EscapedText {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// - Parameter isWord: Whether blanks and commas would end it.
    static func bytes(_ text: String, isWord: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            let ends = isWord && (byte == UInt8(ascii: " ") || byte == UInt8(ascii: ","))
            if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") || ends {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// nil for what is not written so.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "%")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "%") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.endIndex, let high = digits.firstIndex(of: bytes[index + 1]),
                let low = digits.firstIndex(of: bytes[index + 2])
            else { return nil }
            result.append(UInt8(high << 4 | low))
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }
}
