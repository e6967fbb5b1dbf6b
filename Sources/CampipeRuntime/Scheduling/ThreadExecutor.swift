import CampipeKit
import Dispatch
import Foundation

/// A named thread of its own for one runner that may block; it parks between turns. What it pushes never runs a
/// consumer on this thread.
package final class ThreadExecutor: RunnerExecutor {
    private struct State {
        var ready: [Runner] = []
        var isStopped = false
        var isOver = false
    }
    private let state = Lock(State())
    private let signal = DispatchSemaphore(value: 0)

    package init(name: String) {
        let thread = Thread { [state, signal] in Self.loop(state, signal) }
        thread.name = String(name.prefix(15))
        thread.stackSize = 1 << 20
        thread.start()
    }

    package func schedule(_ runner: Runner) {
        // Who comes after the end is let go, or it would hold itself in a circle.
        state.withLock { if !$0.isOver { $0.ready.append(runner) } }
        signal.signal()
    }

    package func reschedule(_ runner: Runner) { schedule(runner) }

    /// Lets the thread end, once what is scheduled has run.
    package func stop() {
        state.withLock { $0.isStopped = true }
        signal.signal()
    }

    private static func loop(_ state: Lock<State>, _ signal: DispatchSemaphore) {
        while true {
            signal.wait()
            let (runner, isOver) = state.withLock { state -> (Runner?, Bool) in
                guard state.ready.isEmpty else { return (state.ready.removeFirst(), false) }
                state.isOver = state.isStopped
                return (nil, state.isOver)
            }
            if let runner { runner.run() }
            if isOver { return }
        }
    }
}
