import CampipeKit

/// When a mixer is called: for each instant of its grid, or of what is live for the last that is due. A value without
/// clock.
struct MixerTicks {
    enum Due: Hashable {
        case now(Instant)
        case notBefore(Instant)
    }

    private var grid: TickGrid
    private let isLive: Bool

    /// - Parameter rate: Calls a second.
    init(rate: Double, isLive: Bool) {
        grid = TickGrid(rate: rate)
        self.isLive = isLive
    }

    /// The instant that it is to be called for.
    ///
    /// - Parameter now: Asked of what is live alone.
    func due(at now: @autoclosure () -> Instant) -> Due {
        guard isLive else { return .now(grid.next) }
        let now = now()
        return grid.due(at: now).map { .now($0) } ?? .notBefore(grid.next(after: now))
    }

    /// It was called for it.
    mutating func had(_ instant: Instant) { grid.had(instant) }
}
