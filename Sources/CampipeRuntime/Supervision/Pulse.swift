import CampipeKit

/// Beats each second while a pipeline with live sources runs, so that a time is known in which the whole process stood
/// still, and no camera is blamed for what was not looked at meanwhile.
///
/// Whoever is about to blame somebody asks `lastStandstill` first, which counts as a beat: after a standstill nobody
/// knows who comes first.
package final class Pulse: Sendable {
    private struct State {
        /// nil while nothing runs.
        var watch: StandstillWatch?
        var timer: Timer?
    }

    private let state = Lock(State())

    package init() {}

    /// Begins to beat.
    func start(_ clock: any PipelineClock, _ log: Log) {
        let now = clock.now
        state.withLock { $0.watch = StandstillWatch(at: now) }
        beatLater(clock, log)
    }

    func stop() {
        let timer = state.withLock { state -> Timer? in
            state.watch = nil
            return state.timer.take()
        }
        timer?.cancel()
    }

    /// The last time in which the process stood still; it is said once.
    func lastStandstill(_ clock: any PipelineClock, _ log: Log) -> StandstillWatch.Standstill? {
        let now = clock.now
        let (last, new) = state.withLock { state -> (StandstillWatch.Standstill?, StandstillWatch.Standstill?) in
            let new = state.watch?.beat(at: now)
            return (state.watch?.last, new)
        }
        if let new {
            let seconds = Int((new.through - new.from).seconds.rounded(.down))
            log.warning("the process stood still for \(seconds) s; cameras are waited for anew")
        }
        return last
    }

    private func beatLater(_ clock: any PipelineClock, _ log: Log) {
        state.withLock { state in
            guard let next = state.watch?.nextBeat else { return }
            state.timer = clock.schedule(at: next) { [weak self] in
                _ = self?.lastStandstill(clock, log)
                self?.beatLater(clock, log)
            }
        }
    }
}
