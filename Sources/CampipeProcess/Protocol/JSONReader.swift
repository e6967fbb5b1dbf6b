package import CampipeKit

/// Reads JSON (RFC 8259) of a message into an event's values.
///
/// A value over bytes of which nothing is believed: depth and numbers are bounded, and what is no JSON is refused.
package struct JSONReader {
    /// So deep may lists and maps be in one another.
    package static let depthLimit = 32

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The one value that the text is.
    ///
    /// - Throws: `.badData` when it is none.
    package static func value(_ bytes: ArraySlice<UInt8>) throws(CampipeError) -> EventValue? {
        var reader = JSONReader(bytes)
        let value = try reader.value(0)
        reader.skipBlanks()
        guard reader.position == bytes.endIndex else { throw reader.refusal }
        return value
    }

    /// The map that the text is; of no text an empty one.
    package static func map(_ bytes: ArraySlice<UInt8>) throws(CampipeError) -> [String: EventValue] {
        guard !bytes.isEmpty else { return [:] }
        guard case .map(let map)? = try value(bytes) else {
            throw CampipeError(.badData, "its text is JSON, but no object")
        }
        return map
    }

    private var refusal: CampipeError {
        CampipeError(.badData, "its text is no JSON at byte \(position - bytes.startIndex)")
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private var peek: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString) throws(CampipeError) {
        let text = "\(word)".utf8
        guard bytes[position...].starts(with: text) else { throw refusal }
        position += text.count
    }

    /// - Returns: nil for `null`.
    private mutating func value(_ depth: Int) throws(CampipeError) -> EventValue? {
        skipBlanks()
        guard depth < Self.depthLimit, let byte = peek else { throw refusal }
        switch byte {
        case UInt8(ascii: "{"): return .map(try members(depth))
        case UInt8(ascii: "["): return .list(try elements(depth))
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"):
            try take(word: "true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try take(word: "false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try take(word: "null")
            return nil
        default: return try number()
        }
    }

    private mutating func members(_ depth: Int) throws(CampipeError) -> [String: EventValue] {
        position += 1
        var map: [String: EventValue] = [:]
        skipBlanks()
        if take(UInt8(ascii: "}")) { return map }
        while true {
            skipBlanks()
            guard peek == UInt8(ascii: "\"") else { throw refusal }
            let key = try text()
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw refusal }
            map[key] = try value(depth + 1)
            skipBlanks()
            if take(UInt8(ascii: "}")) { return map }
            guard take(UInt8(ascii: ",")) else { throw refusal }
        }
    }

    private mutating func elements(_ depth: Int) throws(CampipeError) -> [EventValue] {
        position += 1
        var list: [EventValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return list }
        while true {
            // A `null` in a list says nothing.
            if let value = try value(depth + 1) { list.append(value) }
            skipBlanks()
            if take(UInt8(ascii: "]")) { return list }
            guard take(UInt8(ascii: ",")) else { throw refusal }
        }
    }

    private mutating func number() throws(CampipeError) -> EventValue {
        let start = position
        while let byte = peek, (48...57).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte) {
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let integer = Int(text) { return .integer(integer) }
        guard text.utf8.count <= 64, let number = Double(text), number.isFinite else { throw refusal }
        return .number(number)
    }

    private mutating func text() throws(CampipeError) -> String {
        position += 1
        var found: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: found, as: UTF8.self) else { throw refusal }
                return text
            case UInt8(ascii: "\\"): try escape(into: &found)
            case 0..<0x20: throw refusal
            default: found.append(byte)
            }
        }
        throw refusal
    }

    private mutating func escape(into found: inout [UInt8]) throws(CampipeError) {
        guard let byte = peek else { throw refusal }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): found.append(byte)
        case UInt8(ascii: "b"): found.append(0x08)
        case UInt8(ascii: "f"): found.append(0x0C)
        case UInt8(ascii: "n"): found.append(0x0A)
        case UInt8(ascii: "r"): found.append(0x0D)
        case UInt8(ascii: "t"): found.append(0x09)
        case UInt8(ascii: "u"):
            var unit = try hexadecimal()
            if (0xD800..<0xDC00).contains(unit) {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw refusal }
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw refusal }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = UnicodeScalar(unit) else { throw refusal }
            found += Array(String(Character(scalar)).utf8)
        default: throw refusal
        }
    }

    private mutating func hexadecimal() throws(CampipeError) -> UInt32 {
        guard bytes.endIndex - position >= 4,
            let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw refusal }
        position += 4
        return unit
    }
}

extension [String: EventValue] {
    /// A whole number under a key, also where it was written with a point.
    package func integer(_ key: String) -> Int? {
        switch self[key] {
        case .integer(let value)?: value
        case .number(let value)?: Int(exactly: value)
        default: nil
        }
    }
    package func number(_ key: String) -> Double? {
        switch self[key] {
        case .integer(let value)?: Double(value)
        case .number(let value)?: value
        default: nil
        }
    }
    package func text(_ key: String) -> String? { if case .text(let text)? = self[key] { text } else { nil } }
    package func flag(_ key: String) -> Bool? { if case .bool(let flag)? = self[key] { flag } else { nil } }
    package func list(_ key: String) -> [EventValue]? { if case .list(let list)? = self[key] { list } else { nil } }

    /// As JSON.
    package var json: [UInt8] {
        var text = ""
        EventValue.map(self).appendJSON(to: &text)
        return Array(text.utf8)
    }
}
