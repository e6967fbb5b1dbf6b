import CampipeKit

/// While nothing can be recorded: when it is looked again whether it can, and what was missed. A value.
struct RecordingPause: Sendable {
    enum Cause: String, Sendable {
        /// The disk takes no more.
        case full = "disk_full"
        /// The disk is not there.
        case missing = "disk_missing"
    }

    private static let first = Duration.seconds(1)
    private static let longest = Duration.seconds(30)

    /// Why it pauses; nil while it does not.
    private(set) var cause: Cause?
    /// Whether it is tried to go on; it is over once that has gone well.
    private(set) var isTrying = false
    /// Pictures that came since, and those of them that were recorded in the end.
    private var missed = 0
    private var recovered = 0
    private var wait = first
    private var next = Instant.distantPast
    private var ended: Instant?

    /// Whether what comes now is kept rather than recorded.
    var isWaiting: Bool { cause != nil && !isTrying }

    /// Nothing can be recorded from now on. One that follows soon after another goes on with its patience.
    ///
    /// - Returns: Whether that is new, rather than that it waits already or could not go on yet.
    mutating func begin(_ cause: Cause, at now: Instant) -> Bool {
        if isWaiting { return false }
        if isTrying {
            isTrying = false
            return false
        }
        if let ended, now - ended < .seconds(60) { wait = min(wait * 2, Self.longest) } else { wait = Self.first }
        self.cause = cause
        (missed, recovered) = (0, 0)
        next = now + wait
        return true
    }

    /// Whether it is time to look again.
    mutating func isDue(at now: Instant) -> Bool {
        guard isWaiting, now >= next else { return false }
        wait = min(wait * 2, Self.longest)
        next = now + wait
        return true
    }

    /// Pictures came, or were lost, that are in no file.
    mutating func miss(_ count: Int) { missed += count }

    /// It is tried to go on with so many pictures of those that came meanwhile.
    mutating func attempt(with count: Int) {
        isTrying = true
        recovered += count
    }

    /// It goes on.
    ///
    /// - Returns: How many pictures are in no file, of those that came meanwhile.
    mutating func end(at now: Instant) -> Int {
        (cause, isTrying) = (nil, false)
        ended = now
        return max(0, missed - recovered)
    }
}
