package import CampipeKit

/// Something that happened in a recording. A value.
///
/// As text it is a line `e BEGUN,ENDED,KIND,NODE PATH`, with times in microseconds since 1970 and `-` for an end that is
/// not known.
package struct ClipEvent: Hashable, Sendable {
    /// Its name, such as `motion_started`.
    package var kind: String
    /// Who said so.
    package var node: String
    package var begun: WallTime
    /// nil while it goes on, or when nobody said its end.
    package var ended: WallTime?

    package init(kind: String, node: String, begun: WallTime, ended: WallTime? = nil) {
        self.kind = kind
        self.node = node
        self.begun = begun
        self.ended = ended
    }

    /// Whether it is the same happening, of which another line may know the end.
    func isSame(as other: ClipEvent) -> Bool {
        kind == other.kind && node == other.node && begun == other.begun
    }

    /// Its line, with the line end.
    func line(of path: String) -> [UInt8] {
        let comma = [UInt8(ascii: ",")]
        return Array("e \(begun.microseconds),\(ended.map { "\($0.microseconds)" } ?? "-"),".utf8)
            + EscapedText.bytes(kind, isWord: true) + comma + EscapedText.bytes(node, isWord: true)
            + [UInt8(ascii: " ")] + EscapedText.bytes(path) + [UInt8(ascii: "\n")]
    }

    /// Reads a line without its end; nil for what is no event's.
    static func read(line: ArraySlice<UInt8>) -> (event: ClipEvent, path: String)? {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual([UInt8(ascii: "e")]), let path = EscapedText.text(parts[2]),
            !path.isEmpty
        else { return nil }
        let words = parts[1].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard words.count == 4, let begun = Int64(String(decoding: words[0], as: UTF8.self)),
            let kind = EscapedText.text(words[2]), let node = EscapedText.text(words[3])
        else { return nil }
        let ended = Int64(String(decoding: words[1], as: UTF8.self)).map(WallTime.init(microseconds:))
        return (ClipEvent(kind: kind, node: node, begun: WallTime(microseconds: begun), ended: ended), path)
    }
}
