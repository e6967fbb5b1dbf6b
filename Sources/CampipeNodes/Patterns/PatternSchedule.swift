import CampipeKit

/// When the pictures of a generated stream are due: on an exact grid from its start. A value without clock.
struct PatternSchedule: Sendable {
    /// What is to be done now.
    enum Step: Hashable, Sendable {
        /// Make the picture of this number; as many before it were left out since it was too late for them.
        case make(Int, skipped: Int)
        case wait(Instant)
        case ended
    }

    /// What is left to the source of a step.
    enum Turn: Hashable, Sendable {
        /// Make the picture of this number.
        case picture(Int)
        /// Nothing is to be made; what `next` is to answer.
        case rest(Next)
    }

    private let start: Instant
    private let fps: Double
    /// How many there are in all; nil goes on for ever.
    private let count: Int?
    private(set) var next = 0

    init(start: Instant, fps: Double, count: Int? = nil) {
        self.start = start
        self.fps = fps
        self.count = count
    }

    /// How long after the start a picture is due.
    func offset(_ number: Int) -> Duration { .nanoseconds(nanoseconds(number)) }

    /// As `offset`, in nanoseconds; for who makes millions a second.
    func nanoseconds(_ number: Int) -> Int64 { Int64((Double(number) * 1e9 / fps).rounded()) }

    /// When a picture is due, which is when it counts as captured.
    func due(_ number: Int) -> Instant { Instant(nanoseconds: start.nanoseconds &+ nanoseconds(number)) }

    /// The next picture, if it is due; one that is late by an interval or more gives way to the newest that is due.
    mutating func step(now: Instant) -> Step {
        if let count, next >= count { return .ended }
        guard due(next) <= now else { return .wait(due(next)) }
        let first = next
        if due(next + 1) <= now {
            next = max(next, Int((now - start).seconds * fps) - 1)
            while due(next + 1) <= now { next += 1 }
            if let count { next = min(next, count - 1) }
        }
        defer { next += 1 }
        return .make(next, skipped: next - first)
    }

    /// The next picture if it is due, or what to do instead; of those left out since it was too late, a gap goes out.
    /// While nothing is due the source rests, so that slow streams are not taken for lost ones.
    ///
    /// - Parameter now: nil does not keep time: the next picture at once.
    mutating func take(now: Instant?, to output: inout Output) -> Turn {
        switch now.map({ step(now: $0) }) ?? step() {
        case .wait(let instant):
            output.rest(until: instant)
            return .rest(.waitUntil(instant))
        case .ended: return .rest(.ended)
        case .make(let number, let skipped):
            if skipped > 0 {
                output.gap(
                    Gap(
                        count: skipped, reasons: DropReasons(.superseded), from: due(number - skipped),
                        through: due(number - 1)))
            }
            return .picture(number)
        }
    }

    /// The next picture at once, for who does not keep time.
    mutating func step() -> Step {
        if let count, next >= count { return .ended }
        defer { next += 1 }
        return .make(next, skipped: 0)
    }
}
