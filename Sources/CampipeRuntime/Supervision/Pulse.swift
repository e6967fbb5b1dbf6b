package import CampipeKit

/// Tells that the whole process stood still (stopped by SIGSTOP, a virtual machine that was paused), so that no camera is
/// blamed for what was not looked at meanwhile.
///
/// It beats each second while a pipeline with live sources runs; a beat that is late by `lateness` tells of a
/// standstill. Whoever is about to blame somebody asks `lastStandstill` first, which counts as a beat: after a
/// standstill nobody knows who comes first.
package final class Pulse: Sendable {
    /// A time in which nothing ran.
    package struct Standstill: Hashable, Sendable {
        package var from: Instant
        package var through: Instant
    }

    private struct State {
        /// When the last beat was; nil while nothing runs.
        var last: Instant?
        var standstill: Standstill?
        var timer: Timer?
    }

    package static let interval = Duration.seconds(1)
    /// How late a beat is after a standstill; a busy machine is no standstill.
    package static let lateness = Duration.seconds(2)

    private let state = Lock(State())

    package init() {}

    /// Begins to beat.
    func start(_ clock: any PipelineClock, _ log: Log) {
        state.withLock { $0.last = clock.now }
        beatLater(clock, log)
    }

    func stop() {
        let timer = state.withLock { state -> Timer? in
            state.last = nil
            return state.timer.take()
        }
        timer?.cancel()
    }

    /// The last time in which the process stood still; it is said once.
    func lastStandstill(_ clock: any PipelineClock, _ log: Log) -> Standstill? {
        let now = clock.now
        let (standstill, isNew) = state.withLock { state -> (Standstill?, Bool) in
            guard let last = state.last else { return (nil, false) }
            state.last = max(last, now)
            guard now - last >= Self.interval + Self.lateness else { return (state.standstill, false) }
            state.standstill = Standstill(from: last, through: now)
            return (state.standstill, true)
        }
        if isNew, let standstill {
            let seconds = (standstill.through - standstill.from).seconds.rounded(.down)
            log.warning("the process stood still for \(Int(seconds)) s; cameras are waited for anew")
        }
        return standstill
    }

    private func beatLater(_ clock: any PipelineClock, _ log: Log) {
        state.withLock { state in
            guard let last = state.last else { return }
            state.timer = clock.schedule(at: last + Self.interval) { [weak self] in
                _ = self?.lastStandstill(clock, log)
                self?.beatLater(clock, log)
            }
        }
    }
}
