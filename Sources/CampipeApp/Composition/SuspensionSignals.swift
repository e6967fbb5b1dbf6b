import CampipeKit
import Foundation
import Glibc

/// Control-Z and its end, for who has to put a terminal back before the process stops (SIGTSTP) and to take it again
/// when it goes on (SIGCONT).
///
/// The signals are blocked in the thread that makes it, and so in all that are made after it; a thread of its own waits
/// for them. So it is made before a `SignalStopper`, whose thread would take them else. Where the process was started with SIGTSTP ignored it stays so.
final class SuspensionSignals: Sendable {
    private typealias Listener = (pause: @Sendable () -> Void, resume: @Sendable () -> Void)
    private let listener = Lock<Listener?>(nil)

    init() {
        guard !SignalStopper.isIgnored(SIGTSTP) else { return }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTSTP, SIGCONT] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Those of `SignalStopper` are not for this thread either.
        var (ends, before) = (sigset_t(), sigset_t())
        sigemptyset(&ends)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ends, number) }
        pthread_sigmask(SIG_BLOCK, &ends, &before)
        let thread = Thread { [listener, signals] in
            var signals = signals
            while true {
                var number: Int32 = 0
                guard sigwait(&signals, &number) == 0 else { continue }
                let heard = listener.withLock { $0 }
                if number == SIGTSTP {
                    heard?.pause()
                    Self.stop()
                }
                // Also where the kernel lets nobody stop since nobody could wake it.
                heard?.resume()
            }
        }
        thread.name = "suspension"
        thread.stackSize = 1 << 18
        thread.start()
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Has `pause` called before the process stops, and `resume` when it goes on, whoever stopped it; both may block.
    func listen(pause: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = (pause, resume) }
    }

    /// Stops the process as SIGTSTP does where nobody listens: returns when it goes on.
    private static func stop() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        // To this thread: what is pending for it is acted on before the call that lets it in returns.
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
