extension FileNamePattern {
    /// Whether a path is one that this pattern could have made, at any time, on any attempt.
    ///
    /// Retention asks it, so that it deletes nothing that a person put beside the recordings.
    package func matches(_ path: String, fields: [String: String] = [:]) -> Bool {
        let bytes = Array(path.utf8)
        if Matcher(pieces: pieces, fields: fields, bytes: bytes).matches() { return true }
        guard !hasMicroseconds, let first = Self.withoutAttempt(bytes) else { return false }
        return Matcher(pieces: pieces, fields: fields, bytes: first).matches()
    }

    /// The path without `_N` before its extension; nil when there is none.
    private static func withoutAttempt(_ bytes: [UInt8]) -> [UInt8]? {
        let end = extensionIndex(of: bytes)
        let digits = bytes[..<end].reversed().prefix { isDigit($0) }.count
        let underscore = end - digits - 1
        guard (1...9).contains(digits), underscore >= 0, bytes[underscore] == UInt8(ascii: "_"),
            bytes[underscore + 1] != UInt8(ascii: "0")
        else { return nil }
        return Array(bytes[..<underscore] + bytes[end...])
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    fileprivate static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }
}

/// Fits pieces to bytes, trying the longest text of a piece that varies first.
private struct Matcher {
    let pieces: [FileNamePattern.Piece]
    let fields: [String: String]
    let bytes: [UInt8]

    func matches() -> Bool { fits(piece: 0, at: 0) }

    private func fits(piece: Int, at index: Int) -> Bool {
        guard piece < pieces.count else { return index == bytes.count }
        switch pieces[piece] {
        case .literal(let literal): return fits(literal, then: piece, at: index)
        case .field(let name): return fits(FileNamePattern.fieldBytes(fields[name] ?? ""), then: piece, at: index)
        case .microseconds:
            return lengths(of: .digits(6), at: index).contains { fits(piece: piece + 1, at: index + $0) }
        case .conversion(let conversion):
            return lengths(of: conversion.shape, at: index).contains { fits(piece: piece + 1, at: index + $0) }
        }
    }

    private func fits(_ literal: [UInt8], then piece: Int, at index: Int) -> Bool {
        bytes[index...].starts(with: literal) && fits(piece: piece + 1, at: index + literal.count)
    }

    /// How many bytes at the index may be of this shape, the most first.
    private func lengths(of shape: NameConversion.Shape, at index: Int) -> [Int] {
        let rest = bytes[index...]
        func whole(_ count: Int, _ fits: (UInt8) -> Bool) -> [Int] {
            rest.count >= count && rest.prefix(count).allSatisfy(fits) ? [count] : []
        }
        switch shape {
        case .digits(let count): return whole(count, FileNamePattern.isDigit)
        case .padded(let count): return whole(count) { FileNamePattern.isDigit($0) || $0 == UInt8(ascii: " ") }
        case .number: return Array((1...20).prefix(rest.prefix { FileNamePattern.isDigit($0) }.count).reversed())
        case .letters: return Array((1...20).prefix(rest.prefix { FileNamePattern.isLetter($0) }.count).reversed())
        case .offset:
            guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return [] }
            return rest.count >= 5 && rest.dropFirst().prefix(4).allSatisfy(FileNamePattern.isDigit) ? [5] : []
        case .parts(let shapes, let separator):
            var length = 0
            for (number, shape) in shapes.enumerated() {
                if number > 0 {
                    guard index + length < bytes.count, bytes[index + length] == separator else { return [] }
                    length += 1
                }
                guard let part = lengths(of: shape, at: index + length).first else { return [] }
                length += part
            }
            return [length]
        }
    }
}
