import CampipeKit

/// Decides whether a packet is recorded: always, or around the times when `when` is true. A value without clock.
struct ClipWindow: Sendable {
    enum Decision: Hashable, Sendable {
        /// It belongs to a clip.
        case record
        /// It may be the beginning of the next clip.
        case keep
        /// The clip ended before it; then as `keep`.
        case close
    }

    private let postRoll: Duration
    private var isOpen: Bool
    /// When the clip at hand ends; nil while `when` is true.
    private var until: Instant?
    private var isRecording: Bool

    /// - Parameter isGated: Whether there is a `when`; without one all is recorded.
    init(isGated: Bool, postRoll: Duration) {
        self.postRoll = postRoll
        isOpen = !isGated
        isRecording = !isGated
    }

    /// `when` became true or false.
    ///
    /// - Returns: Whether a clip begins now.
    mutating func gate(isOpen: Bool, at instant: Instant) -> Bool {
        self.isOpen = isOpen
        if isOpen {
            until = nil
            defer { isRecording = true }
            return !isRecording
        }
        if isRecording { until = instant + postRoll }
        return false
    }

    mutating func decide(_ captured: Instant) -> Decision {
        guard isRecording else { return .keep }
        guard let until, captured > until else { return .record }
        isRecording = false
        self.until = nil
        return .close
    }
}
