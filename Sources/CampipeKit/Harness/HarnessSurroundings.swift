import Dispatch

/// What a node under test sees around it, and what it does there.
final class HarnessSurroundings: Sendable {
    private struct State {
        var isWoken = false
        var logged: [Log.Entry] = []
        var wants: [Demand.ID: Want] = [:]
        var told: [Event] = []
        var removed: [DropReason: Int] = [:]
    }
    private let state = Lock(State())
    private let called = DispatchSemaphore(value: 0)

    func context(
        id: String, isLive: Bool, isGated: Bool, feeds: [Feed], connected: Set<String>, clock: ManualClock,
        pool: FramePool,
        services: Services
    ) -> Context {
        var context = Context(
            id: id, pipeline: "test", isLive: isLive, isGated: isGated, feeds: feeds, connected: connected,
            clock: clock,
            log: Log(level: .trace) { entry in self.state.withLock { $0.logged.append(entry) } },
            waker: Waker { self.wake() },
            demand: Demand { id, want in self.state.withLock { $0.wants[id] = want } }, pool: pool, services: services)
        context.events = EventTeller { event in self.state.withLock { $0.told.append(event) } }
        context.removals = RemovalTeller { reason, count in
            self.state.withLock { $0.removed[reason, default: 0] += count }
        }
        return context
    }

    private func wake() {
        state.withLock { $0.isWoken = true }
        called.signal()
    }

    /// Waits for the waker; at once if it was called since the last turn.
    func waitForWake(within limit: Duration) -> Bool {
        let deadline: DispatchTime = .now() + .nanoseconds(Int(limit.nanoseconds))
        // Earlier calls left their signals.
        while !isWoken { if called.wait(timeout: deadline) == .timedOut { return isWoken } }
        return true
    }

    var isWoken: Bool { state.withLock { $0.isWoken } }
    func takeWake() { state.withLock { $0.isWoken = false } }
    var logged: [Log.Entry] { state.withLock { $0.logged } }
    var wants: [Demand.ID: Want] { state.withLock { $0.wants } }
    var told: [Event] { state.withLock { $0.told } }
    var removed: [DropReason: Int] { state.withLock { $0.removed } }
}
