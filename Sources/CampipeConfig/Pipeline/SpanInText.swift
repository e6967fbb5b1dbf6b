/// A part of a value's text, and how it is found again in the file, where quotes, escapes and variables stand too.
struct SpanInText {
    private let piece: [Unicode.Scalar]
    /// Which of the places in the text where the piece stands it is, from 0.
    private let occurrence: Int

    /// Longer texts and lines, which nobody wrote by hand and no report shows, are meant as a whole.
    private static let longest = 4096

    /// - Parameter span: In Unicode scalars; nil when it does not lie in the text.
    init?(_ span: Range<Int>, of text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let scalars = Array(text.unicodeScalars)
        guard !span.isEmpty, span.lowerBound >= 0, span.upperBound <= scalars.count else { return nil }
        piece = Array(scalars[span])
        occurrence = Self.places(of: piece, in: scalars[..<span.upperBound]).count - 1
    }

    /// The mark of the part inside the mark of the whole value; nil where it is not to be found.
    func mark(in whole: Mark, _ sources: [SourceText]) -> Mark? {
        guard Int(whole.source) < sources.count else { return nil }
        let source = sources[Int(whole.source)]
        let line = source.lineIndex(of: Int(whole.start))
        guard source.lineBytes(line).count <= Self.longest else { return nil }
        let start = source.start(ofLine: line)
        let characters = source.line(line)
        let first = Int(whole.start) - start
        let end = min(characters.count, Int(whole.end) - start)
        guard first < end else { return nil }
        let places = Self.places(of: piece, in: characters[first..<end])
        guard occurrence >= 0, occurrence < places.count else { return nil }
        let place = start + places[occurrence]
        return Mark(source: Int(whole.source), place, place + piece.count)
    }

    /// The mark of the part, of which is known where it stands in the value as written, quotes not counted; nil where
    /// something else stands there, as behind an escape.
    func mark(at place: Range<Int>, in whole: Mark, _ sources: [SourceText]) -> Mark? {
        guard Int(whole.source) < sources.count else { return nil }
        let source = sources[Int(whole.source)]
        let line = source.lineIndex(of: Int(whole.start))
        guard source.lineBytes(line).count <= Self.longest else { return nil }
        let characters = source.line(line)
        let first = Int(whole.start) - source.start(ofLine: line)
        guard first < characters.count else { return nil }
        let quote = characters[first] == "\"" || characters[first] == "'" ? 1 : 0
        let (start, end) = (first + quote + place.lowerBound, first + quote + place.upperBound)
        guard end <= characters.count, characters[start..<end].elementsEqual(piece) else { return nil }
        return Mark(source: Int(whole.source), source.start(ofLine: line) + start, source.start(ofLine: line) + end)
    }

    /// Where a piece stands, each time behind the time before.
    private static func places(of piece: [Unicode.Scalar], in text: ArraySlice<Unicode.Scalar>) -> [Int] {
        var places: [Int] = []
        var index = text.startIndex
        while index + piece.count <= text.endIndex {
            if text[index] == piece[0], text[index..<(index + piece.count)].elementsEqual(piece) {
                places.append(index)
                index += piece.count
            } else {
                index += 1
            }
        }
        return places
    }
}
