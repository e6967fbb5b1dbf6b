import CampipeKit
import Foundation
import Glibc

/// Counts SIGINT, SIGTERM and SIGHUP, and tells who listens; until somebody does, they end the process as they always do.
///
/// SIGUSR1 and SIGUSR2 are ignored. SIGHUP is what a terminal sends when its window or its line goes; where it is ignored, as under nohup, it stays so.
///
/// The signals are blocked in the thread that makes it, and so in all that are made after it; a thread of its own waits
/// for them until the process ends. (Dispatch's signal sources lose one that comes a few milliseconds after another.)
final class SignalStopper: Sendable {
    private let state: Lock<(count: Int, listener: (@Sendable (Int) -> Void)?)>

    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP]) { sigaddset(&signals, number) }
        // Nothing is meant by these here, and by default they would end the process with its files open.
        for number in [SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
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

    /// Whether who started the process had it ignore a signal; blocked, it would come all the same.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Has `listener` called with the number of signals so far, on each one.
    func listen(_ listener: @escaping @Sendable (Int) -> Void) { state.withLock { $0.listener = listener } }
}
