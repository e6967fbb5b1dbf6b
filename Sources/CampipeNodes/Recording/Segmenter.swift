import CampipeKit
import CampipeStore

/// Decides at each keyframe whether it begins a new file: by length, by size, or by the clock. A value.
struct Segmenter: Sendable {
    private let length: Duration?
    private let limit: Int?
    private let grid: ClockGrid?
    private var begun = Instant.zero
    private var part: ClockGrid.Part?
    /// How large the file was at the keyframe before, and how much came between two at most.
    private var size = 0
    private var largestGroup = 0

    /// - Parameters:
    ///   - length: How long a file is, to the next keyframe.
    ///   - limit: What a file holds at most, unless one group of pictures is more.
    ///   - isAligned: Whether a file ends where the clock begins the next part of that length, rather than so long after
    ///     it began.
    init(length: Duration?, limit: ByteCount?, isAligned: Bool = false, zone: LocalZone = .system) {
        self.length = length
        self.limit = limit?.bytes
        grid = isAligned ? length.map { ClockGrid($0, zone: zone) } : nil
    }

    /// A file begins.
    mutating func begin(at captured: Instant, _ time: WallTime) {
        begun = captured
        part = grid?.part(of: time)
        (size, largestGroup) = (0, 0)
    }

    /// Whether a keyframe belongs into a new file.
    ///
    /// - Parameters:
    ///   - time: When it was captured, in the world's time.
    ///   - size: Bytes in the file up to it.
    mutating func isDue(at captured: Instant, _ time: WallTime, size: Int) -> Bool {
        if let grid {
            if grid.part(of: time) != part { return true }
        } else if let length, captured - begun >= length {
            return true
        }
        guard let limit else { return false }
        largestGroup = max(largestGroup, size - self.size)
        self.size = size
        // The next group is likely as large as the largest, so it would not fit any more.
        return size > 0 && size + largestGroup > limit
    }
}
