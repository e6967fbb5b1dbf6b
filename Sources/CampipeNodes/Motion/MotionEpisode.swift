import CampipeKit

/// Makes events of what the detector saw: each begins once, is said again each second and whenever its boxes moved, and
/// ends once, when nothing moved for the gap. A value without clock.
struct MotionEpisode: Sendable {
    /// What is to be said now.
    enum Step: Hashable, Sendable {
        case began(Facts)
        case goesOn(Facts)
        case ended(Facts, last: Instant)
    }

    /// What an episode is known by.
    struct Facts: Hashable, Sendable {
        /// When it was first seen; before the event that says so.
        var start: Instant
        var score: Double
        var area: Double
        var boxes: [Region]
    }

    private let gap: Duration
    private let minimum: Duration
    private var beginning: Facts?
    private var lastMotion = Instant.zero
    private var lastSaid = Instant.zero
    /// Where it was when it was last said.
    private var boxes: [Region] = []

    /// - Parameters:
    ///   - gap: An event ends when nothing moved for so long.
    ///   - minimum: It begins when something has moved for so long, and says then since when.
    init(gap: Duration, minimum: Duration = .zero) {
        self.gap = gap
        self.minimum = minimum
    }

    var isActive: Bool { beginning != nil }

    /// When what goes on ends if nothing moves any more; nil while nothing goes on.
    var endsAt: Instant? { isActive ? lastMotion + gap : nil }

    /// Takes what was seen at `captured`.
    mutating func saw(_ observation: MotionDetector.Observation, at captured: Instant) -> Step? {
        guard let beginning else {
            guard observation.isMotion, captured - observation.since >= minimum else { return nil }
            let facts = Facts(
                start: observation.since, score: observation.score, area: observation.area, boxes: observation.regions)
            self.beginning = facts
            lastMotion = captured
            lastSaid = captured
            boxes = observation.regions
            return .began(facts)
        }
        if observation.isMotion { lastMotion = captured }
        if captured - lastMotion >= gap { return end() }
        guard captured - lastSaid >= .seconds(1) || observation.regions != boxes else { return nil }
        boxes = observation.regions
        lastSaid = captured
        return .goesOn(
            Facts(
                start: beginning.start, score: observation.score, area: observation.area, boxes: observation.regions))
    }

    /// Ends what goes on: the stream ends, or the camera is lost.
    mutating func end() -> Step? {
        guard let facts = beginning else { return nil }
        beginning = nil
        return .ended(facts, last: lastMotion)
    }
}
