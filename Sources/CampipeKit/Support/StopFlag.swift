import Synchronization

/// Ends calls that wait, of FFmpeg or on a socket, from any thread; for good.
package final class StopFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    /// A flag that nobody has raised.
    package init() {}

    /// Makes the call that waits, and each later one, give up.
    package func raise() { raised.store(true, ordering: .relaxed) }

    /// Whether `raise` was called.
    package var isRaised: Bool { raised.load(ordering: .relaxed) }
}
