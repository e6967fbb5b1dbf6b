internal import CampipeKit

/// One text that a pipeline's description came from, with its lines.
///
/// Lines end with LF, CRLF or CR, as editors count them. libyaml also counts NEL, LS and PS, which is why positions are
/// kept as character offsets and turned into lines here.
package struct SourceText: Sendable {
    /// What stands before `:line:column` in a diagnostic: the file's path as it was given, or `--set`.
    package let name: String
    /// The text, UTF-8, without a byte order mark. May be broken UTF-8 when it is only kept to show a fault in it.
    package let bytes: [UInt8]
    private let lines: [LineStart]

    private struct LineStart {
        var byte: UInt32
        var character: UInt32
    }

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        var lines = [LineStart(byte: 0, character: 0)]
        var character: UInt32 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            // Continuation bytes of UTF-8 belong to the character before.
            if byte & 0xC0 != 0x80 { character += 1 }
            let isReturn = byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A)
            if byte == 0x0A || isReturn { lines.append(LineStart(byte: UInt32(index + 1), character: character)) }
        }
        self.lines = lines
    }

    /// The name as it may be shown: somebody may have given a camera's URL for a file.
    var shownName: String { SecretText.hidden(name) }

    var lineCount: Int { lines.count }

    /// The line of a character, from 0.
    func lineIndex(of character: Int) -> Int {
        var low = 0
        var high = lines.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(lines[middle].character) <= character { low = middle } else { high = middle }
        }
        return low
    }

    /// The offset of a line's first character.
    func start(ofLine line: Int) -> Int { Int(lines[line].character) }

    /// The place of a character as people count: both from 1, columns in characters.
    package func position(of character: Int) -> (line: Int, column: Int) {
        let line = lineIndex(of: character)
        return (line + 1, character - start(ofLine: line) + 1)
    }

    /// The bytes of a line without its end.
    func lineBytes(_ line: Int) -> ArraySlice<UInt8> {
        let start = Int(lines[line].byte)
        var end = line + 1 < lines.count ? Int(lines[line + 1].byte) : bytes.count
        while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        return bytes[start..<end]
    }

    /// The characters of a line without its end; what is not UTF-8 shows as U+FFFD.
    func line(_ line: Int) -> [Unicode.Scalar] {
        Array(String(decoding: lineBytes(line), as: UTF8.self).unicodeScalars)
    }
}
