import Synchronization

/// Ends calls that wait, from any thread; for good.
package final class StopFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    package init() {}

    package func raise() { raised.store(true, ordering: .relaxed) }
    package var isRaised: Bool { raised.load(ordering: .relaxed) }
}
