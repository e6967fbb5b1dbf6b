package import CampipeKit

/// A file's path with the time and the node's fields left open: `recordings/{source}/%Y-%m-%d/%H%M%S.mp4`.
///
/// It takes the conversions of strftime in the C locale, `%f` for six digits of microseconds, `%%` for a percent sign,
/// and `{name}` for the fields that its node hands in.
package struct FileNamePattern: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case literal([UInt8])
        case conversion(NameConversion)
        case microseconds
        case field(String)

        /// The most bytes that it becomes at any time; a field, whose text is not known here, counts as one.
        var length: Int {
            switch self {
            case .literal(let bytes): bytes.count
            case .conversion(let conversion): conversion.shape.greatestLength
            case .microseconds: 6
            case .field: 1
            }
        }
    }

    /// As it was written.
    package let text: String
    let pieces: [Piece]

    /// Reads a pattern; reports every conversion and field that is not known, with its place in the text.
    ///
    /// - Parameters:
    ///   - fields: The names that may stand in braces.
    ///   - path: Where the pattern stands in the pipeline's description.
    package init?(_ text: String, fields: [String] = [], at path: FaultPath, into faults: inout [Fault]) {
        var reader = PatternReader(text, fields: fields, at: path)
        reader.read()
        faults += reader.faults
        guard reader.faults.isEmpty else { return nil }
        self.text = text
        pieces = reader.pieces
    }

    /// Whether `%f` is in it, so that a name in use gives way to the next microsecond.
    package var hasMicroseconds: Bool { pieces.contains(.microseconds) }

    /// The folder that every file of this pattern is below: what stands before the first part that varies. `.` at
    /// least.
    package var rootFolder: String {
        var literal: [UInt8] = []
        if case .literal(let bytes)? = pieces.first { literal = bytes }
        guard let slash = literal.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == 0 ? "/" : String(decoding: literal[..<slash], as: UTF8.self)
    }

    /// What every path of this pattern begins with, up to the last slash before the first part that varies; empty for
    /// names without a folder.
    var rootPrefix: String {
        guard case .literal(let bytes)? = pieces.first, let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
            return ""
        }
        return String(decoding: bytes[...slash], as: UTF8.self)
    }

    /// The pattern as written, without the folder in front of the first part that varies.
    var textBelowRoot: String {
        // No escape and no conversion holds a slash.
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropFirst(rootPrefix.utf8.count { $0 == UInt8(ascii: "/") }).joined(separator: "/")
    }

    /// A number that tells this pattern with these fields from others in its folder, wherever that is (FNV-1a).
    func fingerprint(fields: [String: String]) -> UInt64 {
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .literal(let literal): bytes += literal
            case .conversion(let conversion): bytes += [0, conversion.letter]
            case .microseconds: bytes += [0, UInt8(ascii: "f")]
            case .field(let name): bytes += Self.fieldBytes(fields[name] ?? "")
            }
        }
        return bytes.dropFirst(rootPrefix.utf8.count).reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
    }

    /// The path for a time, local to the zone.
    ///
    /// Attempts above 0 are for names in use: with `%f` each is a microsecond later, without it `_2`, `_3` and so on
    /// stand before the extension, so that names sort as they were written.
    ///
    /// - Parameter fields: Values of the fields; a slash, a NUL or a leading dot in one becomes `_`.
    package func path(
        at time: WallTime, fields: [String: String] = [:], attempt: Int = 0, zone: LocalZone = .system
    ) -> String {
        let time = hasMicroseconds ? time + .microseconds(attempt) : time
        let parts = LocalTime(time, in: zone)
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .literal(let literal): bytes += literal
            case .conversion(let conversion): bytes += parts.text(of: conversion)
            case .microseconds: bytes += Self.microsecondDigits(of: time)
            case .field(let name): bytes += Self.fieldBytes(fields[name] ?? "")
            }
        }
        if attempt > 0, !hasMicroseconds {
            bytes.insert(contentsOf: Array("_\(attempt + 1)".utf8), at: Self.extensionIndex(of: bytes))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where the extension begins, with its dot; the end when there is none. A leading dot begins none.
    static func extensionIndex(of bytes: [UInt8]) -> Int {
        let name = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        guard let dot = bytes[name...].lastIndex(of: UInt8(ascii: ".")), dot > name else { return bytes.count }
        return dot
    }

    private static func microsecondDigits(of time: WallTime) -> [UInt8] {
        let remainder = time.microseconds % 1_000_000
        var rest = remainder < 0 ? remainder + 1_000_000 : remainder
        var digits = [UInt8](repeating: UInt8(ascii: "0"), count: 6)
        for index in digits.indices.reversed() {
            digits[index] += UInt8(rest % 10)
            rest /= 10
        }
        return digits
    }

    static func fieldBytes(_ value: String) -> [UInt8] {
        var bytes = value.utf8.map { $0 == UInt8(ascii: "/") || $0 == 0 ? UInt8(ascii: "_") : $0 }
        if bytes.first == UInt8(ascii: ".") { bytes[0] = UInt8(ascii: "_") }
        return bytes
    }
}
