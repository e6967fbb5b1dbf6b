import CampipeKit
import Dispatch
import Foundation
import Glibc

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
        let thread = Thread { [state, signal] in
            Self.nameThread(name)
            Self.loop(state, signal)
        }
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

    /// Gives the calling thread a name for debuggers and `top -H`, 15 bytes at most.
    ///
    /// `Thread.name` is lost when the thread runs before Foundation knows its handle, and glibc's call is not imported.
    private static func nameThread(_ name: String) {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        _ = unsafe write(file, bytes, bytes.count)
        close(file)
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
