import CampipeKit

/// Where a node's wishes wait for the controller: any thread may set them, as often as it likes, and one call at most
/// is under way to have them fetched.
final class WishBox: Sendable {
    private struct State {
        var wishes = Wishes()
        var isRung = false
        var isTimed = false

        /// What is to be done outside of the lock.
        mutating func deeds() -> (rings: Bool, timer: Instant?) {
            let rings = wishes.hasNews && !isRung
            let timer = isTimed ? nil : wishes.nextEnd
            isRung = isRung || rings
            isTimed = isTimed || timer != nil
            return (rings, timer)
        }
    }
    private let state = Lock(State())
    private let clock: any PipelineClock
    private let ring: @Sendable () -> Void

    /// - Parameter ring: Has somebody call `take`; called from any thread, and must not wait.
    init(clock: any PipelineClock, ring: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.ring = ring
    }

    /// Begins, changes or (with nil) ends a wish.
    func set(_ id: Demand.ID, _ want: Want?) {
        let now = clock.now
        perform(
            state.withLock { state in
                state.wishes.set(id, want, at: now)
                return state.deeds()
            })
    }

    /// What changed since the last call.
    func take() -> [(id: Demand.ID, want: Want?)] {
        state.withLock { state in
            state.isRung = false
            return state.wishes.take()
        }
    }

    private func end() {
        let now = clock.now
        perform(
            state.withLock { state in
                state.isTimed = false
                state.wishes.end(at: now)
                return state.deeds()
            })
    }

    private func perform(_ deeds: (rings: Bool, timer: Instant?)) {
        if deeds.rings { ring() }
        if let instant = deeds.timer { clock.schedule(at: instant) { [weak self] in self?.end() } }
    }
}
