import Synchronization

/// The way to end a call into FFmpeg that waits, from any thread; for good.
package final class Interrupt: Sendable {
    private let raised = Atomic<Bool>(false)

    /// An interrupt that nobody has raised.
    package init() {}

    /// Makes the call that waits, and each later one, throw `.timedOut`.
    package func raise() { raised.store(true, ordering: .relaxed) }

    /// Whether `raise` was called.
    package var isRaised: Bool { raised.load(ordering: .relaxed) }
}
