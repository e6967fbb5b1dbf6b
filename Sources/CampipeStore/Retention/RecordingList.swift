/// What the text of a `RecordingManifest` says. A value: lines only add to it.
package struct RecordingList: Sendable {
    /// One line, read.
    package enum Line: Hashable, Sendable {
        case file(RecordingEntry)
        case event(ClipEvent, path: String)
        /// `= KEY VALUE`: of the recording itself.
        case note(key: String, value: String)

        /// nil for comments and what was cut.
        package init?(_ line: ArraySlice<UInt8>) {
            switch line.first {
            case nil, UInt8(ascii: "#"): return nil
            case UInt8(ascii: "="):
                let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
                guard parts.count == 3, parts[0].count == 1, let value = EscapedText.text(parts[2]) else { return nil }
                self = .note(key: String(decoding: parts[1], as: UTF8.self), value: value)
            case UInt8(ascii: "e"):
                guard let (event, path) = ClipEvent.read(line: line) else { return nil }
                self = .event(event, path: path)
            default:
                guard let entry = RecordingEntry(line: line) else { return nil }
                self = .file(entry)
            }
        }
    }

    private var slots: [RecordingEntry?] = []
    private var places: [String: Int] = [:]
    /// How many lines say it.
    package private(set) var lines = 0
    /// What is known of the recording itself: `pattern`, its fields, `seen`, `clock`.
    package private(set) var notes: [String: String] = [:]

    package init() {}

    init(_ text: [UInt8]) { add(text) }

    /// The newest state of each file, in the order in which they were begun.
    package var entries: [RecordingEntry] { slots.compactMap { $0 } }

    /// Reads more lines.
    mutating func add(_ text: [UInt8]) {
        // A line without its end was cut when the power went.
        let whole = text.lastIndex(of: UInt8(ascii: "\n")).map { text[..<$0] } ?? []
        for bytes in whole.split(separator: UInt8(ascii: "\n")) where bytes.first != UInt8(ascii: "#") {
            lines += 1
            if let line = Line(bytes) { add(line) }
        }
    }

    private mutating func add(_ line: Line) {
        switch line {
        case .note(let key, let value): notes[key] = value
        case .event(let event, let path):
            guard let place = places[path] else { return }
            if let same = slots[place]?.events.firstIndex(where: { $0.isSame(as: event) }) {
                slots[place]?.events[same] = event
            } else {
                slots[place]?.events.append(event)
            }
        case .file(var entry):
            if let place = places[entry.path], let known = slots[place] {
                guard known.isBegun(by: entry) else {
                    // The name was free again: it is another file, and the newest.
                    slots[place] = nil
                    append(entry)
                    return
                }
                entry.start = entry.start ?? known.start
                entry.length = entry.length ?? known.length
                entry.events = known.events
                slots[place] = entry
            } else {
                append(entry)
            }
        }
    }

    private mutating func append(_ entry: RecordingEntry) {
        places[entry.path] = slots.count
        slots.append(entry)
    }
}

extension RecordingEntry {
    /// Whether a later line with its name is of the same file: of one that began at the same time it is, since it was made
    /// plain, or another process took it as it was.
    package func isBegun(by later: RecordingEntry) -> Bool {
        switch (state, later.state) {
        case (.removed, _): false
        case (_, .open), (.sealed, .sealed): start != nil && start == later.start
        default: true
        }
    }
}
