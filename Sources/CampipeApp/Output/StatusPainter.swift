import CampipeKit
import CampipeRuntime

/// Shows the pipeline's state on the last line of the terminal, once a second.
final class StatusPainter: Sendable {
    private let pipeline: Pipeline
    private let output: LineOutput
    private let columns: @Sendable () -> Int
    private let clock: any PipelineClock
    private let state: Lock<State>

    private struct State {
        var before = StatusText.Counts()
        var timer: Timer?
        var isStopped = false
    }

    init(
        _ pipeline: Pipeline, output: LineOutput, columns: @escaping @Sendable () -> Int, clock: any PipelineClock
    ) {
        self.pipeline = pipeline
        self.output = output
        self.columns = columns
        self.clock = clock
        state = Lock(State(before: StatusText.Counts(at: clock.now)))
        arrange()
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.timer?.cancel()
            output.show("")
        }
    }

    private func arrange() {
        let timer = clock.schedule(at: clock.now + .seconds(1)) { [weak self] in self?.paint() }
        let isStopped = state.withLock { state -> Bool in
            state.timer = timer
            return state.isStopped
        }
        if isStopped { timer.cancel() }
    }

    private func paint() {
        let snapshot = pipeline.snapshot
        let counts = StatusText.Counts(snapshot, at: clock.now)
        let width = columns()
        state.withLock { state in
            let text = StatusText.line(snapshot, counts, since: state.before)
            state.before = counts
            // The last columns stay free: a terminal would wrap, at the latest behind the ^C that it echoes.
            if !state.isStopped { output.show(String(text.prefix(max(0, width - 3)))) }
        }
        arrange()
    }
}
