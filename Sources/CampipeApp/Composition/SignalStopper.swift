import CampipeKit
import Foundation
import Glibc

/// Counts SIGINT and SIGTERM, and tells who listens; until somebody does, they end the process as they always do.
///
/// The signals are blocked in the thread that makes it, and so in all that are made after it; a thread of its own waits
/// for them until the process ends. (Dispatch's signal sources lose one that comes a few milliseconds after another.)
final class SignalStopper: Sendable {
    private let state: Lock<(count: Int, listener: (@Sendable (Int) -> Void)?)>

    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let state = Lock<(count: Int, listener: (@Sendable (Int) -> Void)?)>((0, nil))
        self.state = state
        let thread = Thread { [signals] in
            var signals = signals
            while true {
                var number: Int32 = 0
                guard sigwait(&signals, &number) == 0 else { continue }
                let (count, listener) = state.withLock { state in
                    state.count += 1
                    return (state.count, state.listener)
                }
                guard let listener else { _exit(128 + number) }
                listener(count)
            }
        }
        thread.name = "signals"
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// Has `listener` called with the number of signals so far, on each one.
    func listen(_ listener: @escaping @Sendable (Int) -> Void) { state.withLock { $0.listener = listener } }
}
