import CampipeKit
import Dispatch
import Foundation

/// A named thread of its own for one runner that may block; it parks between turns. What it pushes never runs a
/// consumer on this thread.
package final class ThreadExecutor: RunnerExecutor {
    private let state = Lock<(ready: [Runner], isStopped: Bool)>(([], false))
    private let signal = DispatchSemaphore(value: 0)

    package init(name: String) {
        let thread = Thread { [state, signal] in Self.loop(state, signal) }
        thread.name = String(name.prefix(15))
        thread.stackSize = 1 << 20
        thread.start()
    }

    package func schedule(_ runner: Runner) {
        state.withLock { $0.ready.append(runner) }
        signal.signal()
    }

    package func reschedule(_ runner: Runner) { schedule(runner) }

    /// Lets the thread end, once what is scheduled has run.
    package func stop() {
        state.withLock { $0.isStopped = true }
        signal.signal()
    }

    private static func loop(_ state: Lock<(ready: [Runner], isStopped: Bool)>, _ signal: DispatchSemaphore) {
        while true {
            signal.wait()
            let (runner, isOver) = state.withLock { state -> (Runner?, Bool) in
                state.ready.isEmpty ? (nil, state.isStopped) : (state.ready.removeFirst(), false)
            }
            if let runner { runner.run() }
            if isOver { return }
        }
    }
}
