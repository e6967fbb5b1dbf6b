import CampipeKit
import Dispatch
import Glibc

/// Counts SIGINT and SIGTERM from the moment it is made, and tells who listens, from the first one on.
final class SignalStopper: Sendable {
    private struct State {
        var count = 0
        var last = Instant.distantPast
        var listener: (@Sendable (Int) -> Void)?
    }

    /// Signals nearer to each other are one: `timeout` sends its own to the child and to its group.
    private static let oneSignal = Duration.milliseconds(5)

    // Dispatch sources may be cancelled from any thread; nothing else is done with them after init.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
    private let queue = DispatchQueue(label: "campipe.signals", qos: .userInteractive)
    private let state: Lock<State>

    init() {
        let state = Lock(State())
        self.state = state
        let queue = queue
        unsafe sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in
                let now = SystemClock().now
                let (count, listener) = state.withLock { state -> (Int, (@Sendable (Int) -> Void)?) in
                    guard now - state.last > Self.oneSignal else { return (0, nil) }
                    state.last = now
                    state.count += 1
                    return (state.count, state.listener)
                }
                listener?(count)
            }
            source.resume()
            return source
        }
    }

    /// Has `listener` called with the number of signals so far, on each one, and at once if there were any already.
    func listen(_ listener: @escaping @Sendable (Int) -> Void) {
        queue.async { [state] in
            let count = state.withLock { state in
                state.listener = listener
                return state.count
            }
            if count > 0 { listener(count) }
        }
    }

    func cancel() { for source in unsafe sources { source.cancel() } }
}
