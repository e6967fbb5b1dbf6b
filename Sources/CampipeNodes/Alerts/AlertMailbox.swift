import CampipeKit
import Dispatch

/// What other threads tell an alert's node: that a program ended, that a server answered. The node is woken, or a turn of
/// its that waits.
final class AlertMailbox<Content: Sendable>: Sendable {
    private let contents = Lock<[Content]>([])
    private let signal = DispatchSemaphore(value: 0)
    private let waker: Waker

    init(_ waker: Waker) { self.waker = waker }

    func put(_ content: Content) {
        contents.withLock { $0.append(content) }
        nudge()
    }

    /// Ends a wait though there is nothing new.
    func nudge() {
        signal.signal()
        waker.wake()
    }

    func take() -> [Content] {
        contents.withLock { contents in
            defer { contents = [] }
            return contents
        }
    }

    /// Blocks until there may be something new; for the node's own thread, at its end.
    func wait() { signal.wait() }
}
