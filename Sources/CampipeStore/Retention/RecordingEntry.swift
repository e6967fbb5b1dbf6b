package import CampipeKit

/// What a `RecordingManifest` says of one file that campipe wrote, and by what it is known again. A value.
///
/// As text it is a line `BYTES MODIFIED,START,LENGTH,WRITTEN PATH`: its size; when it was last changed and when its first
/// picture was, in microseconds since 1970; how many microseconds it is long; when it was ended by the clock of who wrote
/// it, where the disk has another. It is `- START PATH` while it is being written, and
/// `x x PATH` when it was removed. What is not known is `-`, or left out from the end. An event in it is a line of its own
/// (`ClipEvent`). Control characters and percent signs of a path are written `%0A`.
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
    /// When its first picture was.
    package var start: WallTime?
    /// From its first picture to the end of its last, about.
    package var length: Duration?
    /// When it was ended by the clock of who wrote it, where that is not what the disk says: one of another machine may be
    /// off.
    package var written: WallTime?
    /// What happened in it, in the order in which it was told.
    package var events: [ClipEvent] = []

    package init(path: String, state: State, start: WallTime? = nil, length: Duration? = nil) {
        self.path = path
        self.state = state
        self.start = start
        self.length = length
    }

    /// Whether a file that is there is this one: a file system may round times to two seconds, as FAT does, and a
    /// copy to another disk with them.
    func matches(bytes: Int, modified: WallTime) -> Bool {
        guard case .sealed(let own, let written) = state else { return false }
        return own == bytes && abs(written.microseconds - modified.microseconds) <= 2_000_000
    }

    /// How many lines say it.
    var lineCount: Int { 1 + events.count }

    /// Its lines, with the line ends.
    var text: [UInt8] { line + events.flatMap { $0.line(of: path) } }

    /// The line of the file itself, with the line end.
    var line: [UInt8] {
        let start = self.start.map { "\($0.microseconds)" } ?? "-"
        let head =
            switch state {
            case .open: "- \(start) "
            case .removed: "x x "
            case .sealed(let bytes, let modified): "\(bytes) \(numbers(modified)) "
            }
        return Array(head.utf8) + EscapedText.bytes(path) + [UInt8(ascii: "\n")]
    }

    /// What is known of its times, up to the last that is.
    private func numbers(_ modified: WallTime) -> String {
        var numbers: [Int64?] = [
            modified.microseconds, start?.microseconds, length.map { $0.nanoseconds / 1000 }, written?.microseconds,
        ]
        while numbers.last == .some(nil) { numbers.removeLast() }
        return numbers.map { $0.map { "\($0)" } ?? "-" }.joined(separator: ",")
    }

    /// When it was ended, by whatever clock.
    var ended: WallTime? {
        guard case .sealed(_, let modified) = state else { return nil }
        return written ?? modified
    }

    /// Reads the line of a file without its end; nil for what is none.
    init?(line: ArraySlice<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let path = EscapedText.text(parts[2]), !path.isEmpty else { return nil }
        self.path = path
        switch (parts[0].first, parts[0].count) {
        case (UInt8(ascii: "-"), 1):
            guard let start = Self.number(parts[1]) else { return nil }
            state = .open
            self.start = start.map(WallTime.init(microseconds:))
        case (UInt8(ascii: "x"), 1):
            guard parts[1].elementsEqual([UInt8(ascii: "x")]) else { return nil }
            state = .removed
        default:
            let numbers = parts[1].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map(Self.number)
            guard let bytes = Self.number(parts[0]) ?? nil, (1...4).contains(numbers.count),
                numbers.allSatisfy({ $0 != nil }), let modified = numbers[0] ?? nil
            else { return nil }
            state = .sealed(bytes: Int(bytes), modified: WallTime(microseconds: modified))
            if numbers.count > 1 { start = (numbers[1] ?? nil).map(WallTime.init(microseconds:)) }
            if numbers.count > 2 { length = (numbers[2] ?? nil).map { .microseconds($0) } }
            if numbers.count > 3 { written = (numbers[3] ?? nil).map(WallTime.init(microseconds:)) }
        }
    }

    /// A number, or nothing for `-`; nil for what is neither.
    private static func number(_ text: ArraySlice<UInt8>) -> Int64?? {
        if text.elementsEqual([UInt8(ascii: "-")]) { return .some(nil) }
        guard let number = Int64(String(decoding: text, as: UTF8.self)) else { return nil }
        return .some(number)
    }
}
