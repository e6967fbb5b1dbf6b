package import CampipeKit

/// One line of a `RecordingManifest`: a file that campipe wrote, and by what it is known again. A value.
///
/// As text it is `BYTES MICROSECONDS PATH`: its size and when it was last changed, since 1970; `- - PATH` while it is
/// being written, `x x PATH` when it was removed. Control characters and percent signs of a path are written `%0A`.
package struct RecordingEntry: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// It is being written, or its process was killed.
        case open
        /// It is whole.
        case sealed(bytes: Int, modified: WallTime)
        case removed
    }

    /// Below the recordings' folder.
    package var path: String
    package var state: State

    package init(path: String, state: State) {
        self.path = path
        self.state = state
    }

    /// Whether a file that is there is this one: a file system may round times to two seconds, as FAT does, and a
    /// copy to another disk with them.
    func matches(bytes: Int, modified: WallTime) -> Bool {
        guard case .sealed(let own, let written) = state else { return false }
        return own == bytes && abs(written.microseconds - modified.microseconds) <= 2_000_000
    }

    /// Its line, with the line end.
    var line: [UInt8] {
        let head =
            switch state {
            case .open: "- - "
            case .sealed(let bytes, let modified): "\(bytes) \(modified.microseconds) "
            case .removed: "x x "
            }
        return Array(head.utf8) + Self.escaped(path) + [UInt8(ascii: "\n")]
    }

    /// Reads a line without its end; nil for what is none.
    init?(line: ArraySlice<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let path = Self.unescaped(parts[2]), !path.isEmpty else { return nil }
        let (first, second) = (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
        switch (first, second) {
        case ("-", "-"): state = .open
        case ("x", "x"): state = .removed
        default:
            guard let bytes = Int(first), let time = Int64(second) else { return nil }
            state = .sealed(bytes: bytes, modified: WallTime(microseconds: time))
        }
        self.path = path
    }

    /// The newest state of each file, in the order in which they first came, and how many lines say it.
    static func read(_ text: [UInt8]) -> (entries: [RecordingEntry], lines: Int) {
        var entries: [RecordingEntry] = []
        var places: [String: Int] = [:]
        var lines = 0
        // A line without its end was cut when the power went.
        let whole = text.lastIndex(of: UInt8(ascii: "\n")).map { text[..<$0] } ?? []
        for line in whole.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            lines += 1
            guard let entry = RecordingEntry(line: line) else { continue }
            if let place = places[entry.path] {
                entries[place] = entry
            } else {
                places[entry.path] = entries.count
                entries.append(entry)
            }
        }
        return (entries, lines)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func escaped(_ path: String) -> [UInt8] {
        path.utf8.flatMap { byte -> [UInt8] in
            guard byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") else { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
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
