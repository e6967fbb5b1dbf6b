import Dispatch
import Glibc
import Synchronization

/// Calls back on SIGINT and SIGTERM, with how many came so far.
final class SignalStopper: @unchecked Sendable {
    // Dispatch sources may be cancelled from any thread; nothing else is done with them after init.
    private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable (Int) -> Void) {
        let queue = DispatchQueue(label: "campipe.signals")
        let count = SignalCount()
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in stop(count.next()) }
            source.resume()
            return source
        }
    }

    func cancel() { for source in sources { source.cancel() } }
}

private final class SignalCount: Sendable {
    private let value = Atomic<Int>(0)
    func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
