import CampipeKit

/// One reader of a camera: a bounded mailbox between the session's thread and a node. Any thread may call it.
final class RTSPReader: Sendable {
    private let wake: @Sendable () -> Void
    private let mailbox = Lock(RTSPMailbox())
    private let leave: Lock<(@Sendable (RTSPReader) -> Void)?>
    private let hears = Lock(false)

    init(wake: @escaping @Sendable () -> Void, leave: @escaping @Sendable (RTSPReader) -> Void) {
        self.wake = wake
        self.leave = Lock(leave)
    }

    deinit { cancel() }

    func add(_ event: RTSPEvent) {
        mailbox.withLock { $0.add(event) }
        wake()
    }

    /// Whether it takes the sound of the stream; what nobody takes is not even read.
    var isListening: Bool { hears.withLock(\.self) }
    func hear(_ isWanted: Bool) { hears.withLock { $0 = isWanted } }

    /// What came since the last call, in order.
    func take() -> [RTSPEvent] { mailbox.withLock { $0.takeAll() } }

    /// Leaves; the last one to leave ends the session.
    func cancel() {
        let leave = leave.withLock { leave in
            defer { leave = nil }
            return leave
        }
        leave?(self)
    }
}
