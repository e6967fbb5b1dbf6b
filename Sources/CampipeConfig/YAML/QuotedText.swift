/// A text with quotes put around what YAML misreads, and blanks and colons where they are missing, so that reading can go on behind it.
///
/// Whoever reads it gets places of the text as it was written, never of this one.
struct QuotedText {
    /// More values than these are not quoted; each is one more reading of the text.
    static let mostQuotes = 32
    /// Nor is more read again than this, all readings together.
    static let mostBytes = 4 << 20

    let text: SourceText
    /// The text with the quotes.
    private(set) var bytes: [UInt8]
    /// Where the quoted values stand in the text as written, in characters.
    private(set) var ranges: [Range<Int>] = []
    /// Where quotes were put in, in characters of the text with the quotes; in order.
    private var insertions: [Int] = []

    init(_ text: SourceText) {
        self.text = text
        bytes = text.bytes
    }

    /// Puts quotes around a value; false when it cannot be done, or was done there before.
    mutating func quote(_ range: Range<Int>) -> Bool {
        guard ranges.count < Self.mostQuotes, (ranges.count + 1) * text.bytes.count <= Self.mostBytes, !range.isEmpty,
            !ranges.contains(where: range.overlaps)
        else {
            return false
        }
        let line = text.lineIndex(of: range.lowerBound)
        let start = text.start(ofLine: line)
        let characters = text.line(line)
        guard range.upperBound - start <= characters.count else { return false }
        let value = characters[(range.lowerBound - start)..<(range.upperBound - start)]
        let quote: UInt8
        if !value.contains("\""), !value.contains("\\") {
            quote = UInt8(ascii: "\"")
        } else if !value.contains("'") {
            quote = UInt8(ascii: "'")
        } else {
            return false
        }
        ranges.append(range)
        quotes.append(quote)
        rewrite()
        return true
    }

    /// Puts a few characters in, such as a blank; false when it cannot be done, or was done there before.
    mutating func insert(_ piece: StaticString, at place: Int) -> Bool {
        guard ranges.count + pieces.count < Self.mostQuotes, !pieces.contains(where: { $0.place == place }),
            (ranges.count + pieces.count + 1) * text.bytes.count <= Self.mostBytes
        else { return false }
        pieces.append((place, Array(piece.description.utf8)))
        rewrite()
        return true
    }

    private var quotes: [UInt8] = []
    /// What was put in, ASCII, and where, in characters of the text as written.
    private var pieces: [(place: Int, bytes: [UInt8])] = []

    /// Makes the text anew from what was written.
    private mutating func rewrite() {
        var marks: [(place: Int, quote: UInt8)] = []
        for piece in pieces { marks += piece.bytes.map { (piece.place, $0) } }
        for (range, quote) in zip(ranges, quotes) { marks += [(range.lowerBound, quote), (range.upperBound, quote)] }
        let order = marks.indices.sorted { (marks[$0].place, $0) < (marks[$1].place, $1) }
        marks = order.map { marks[$0] }
        insertions = marks.enumerated().map { $1.place + $0 }
        bytes = []
        bytes.reserveCapacity(text.bytes.count + marks.count)
        var character = 0
        var next = 0
        for byte in text.bytes {
            if byte & 0xC0 != 0x80 {
                while next < marks.count, marks[next].place == character {
                    bytes.append(marks[next].quote)
                    next += 1
                }
                character += 1
            }
            bytes.append(byte)
        }
        while next < marks.count {
            bytes.append(marks[next].quote)
            next += 1
        }
    }

    /// The place in the text as written of a place in the text with the quotes.
    func written(_ place: Int) -> Int { place - (insertions.firstIndex { $0 >= place } ?? insertions.count) }
}
