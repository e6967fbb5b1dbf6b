package import CampipeKit

/// What a recording's list remembers of the clock, for who has the list alone (`ClockGuard`).
package struct ListedClock: Sendable {
    private let manifest: RecordingManifest

    /// - Parameter list: Where the list is.
    package init(_ list: String) { manifest = RecordingManifest(path: list) }

    /// Since when the clock is not believed, by itself; nil where all is well.
    ///
    /// - Throws: What keeps the list from being read.
    package var jumped: WallTime? {
        get throws(CampipeError) {
            let memory = RecordingFolder.clockMemory(try manifest.read())
            guard let jumped = memory.jumped, memory.trusted.map({ $0 < jumped }) ?? true else { return nil }
            return jumped
        }
    }

    /// Says that the clock is right: whoever records deletes by it again.
    ///
    /// - Throws: What keeps the list from being written.
    package func trust(at time: WallTime) throws(CampipeError) {
        try manifest.append(note: RecordingFolder.ClockNote.trusted.rawValue, "\(time.microseconds)")
    }
}
