package import CampipeKit

/// One reader of a camera: a bounded mailbox between the fetcher's thread and a node.
///
/// All readers of one URL, with the same credentials, share one connection: its session. A full mailbox pauses the
/// transfer when no other reader has room; else its oldest pictures go, counted, and nobody else is held up. So nothing
/// grows. All may be called from any thread.
package final class MJPEGConnection: Sendable {
    /// What a reader is given.
    package enum Event: Sendable {
        /// The camera answered.
        case opened(ResponseHead)
        /// A picture, and when its last byte was there.
        case picture(JPEGPicture, captured: Instant)
        /// Pictures or parts that were refused.
        case dropped(PictureDropReason, count: Int)
        /// Pictures that made room for newer ones, the last of them captured then.
        case overrun(count: Int, through: Instant)
        /// The camera answered with one picture, or that it is still the same one; it is asked again then.
        case resting(until: Instant)
        /// The last event. Nil: the stream came to its end in good order.
        case ended(CampipeError?)
    }

    private let member: CameraMember
    private let fetcher: HTTPFetcher

    /// Joins the URL's session, or begins to connect.
    ///
    /// - Parameters:
    ///   - capacity: Pictures that may wait; those of one read come on top.
    ///   - every: How often a URL that answers with one JPEG is asked.
    ///   - wake: Called when there is an event; on the fetcher's thread, must not block.
    package init(
        _ request: FetchRequest, fetcher: HTTPFetcher, clock: any PipelineClock, limits: JPEGStructure.Limits = .init(),
        capacity: Int = 4, every: Duration = .seconds(1), wake: @escaping @Sendable () -> Void
    ) {
        let member = CameraMember(capacity: capacity, every: every, wake: wake)
        self.member = member
        self.fetcher = fetcher
        fetcher.onLoop {
            fetcher.sessions.join(member, request, fetcher: fetcher, clock: clock, limits: limits)
        }
    }

    deinit { cancel() }

    /// The next event, if there is one.
    package func next() -> Event? {
        let (event, mustResume) = member.take()
        if mustResume { fetcher.onLoop { [member, fetcher] in fetcher.sessions.resume(member) } }
        return event
    }

    /// How many pictures wait now.
    package var waiting: Int { member.waiting }

    /// Leaves. What waits is forgotten, and nothing more comes; the last one to leave ends the connection.
    package func cancel() {
        if member.cancel() { fetcher.onLoop { [member, fetcher] in fetcher.sessions.leave(member) } }
    }
}

/// A reader as its session knows it.
final class CameraMember: Sendable {
    let every: Duration
    private let wake: @Sendable () -> Void
    private let box: Lock<Box>

    private struct Box {
        var mailbox: CameraMailbox
        /// Whether the session learnt that it was full.
        var isHeld = false
        var isCancelled = false
    }

    init(capacity: Int, every: Duration, wake: @escaping @Sendable () -> Void) {
        self.every = every
        self.wake = wake
        box = Lock(Box(mailbox: CameraMailbox(capacity: capacity)))
    }

    /// Adds events and wakes the reader.
    ///
    /// - Parameter evicts: Whether the oldest pictures make room when it is full, since the session goes on.
    func add(_ events: [MJPEGConnection.Event], evicts: Bool = false) {
        guard !events.isEmpty else { return }
        let isCancelled = box.withLock { box -> Bool in
            if !box.isCancelled { box.mailbox.add(events, evicts: evicts && box.mailbox.isFull) }
            return box.isCancelled
        }
        if !isCancelled { wake() }
    }

    /// Whether it has no room; the session is told when it has again.
    func holds() -> Bool {
        box.withLock { box in
            // Only `take` clears it: the session may be paused still when there is room again.
            if box.mailbox.isFull { box.isHeld = true }
            return box.mailbox.isFull
        }
    }

    /// - Returns: The next event, and whether there is room again after it was full.
    func take() -> (MJPEGConnection.Event?, Bool) {
        box.withLock { box in
            let event = box.mailbox.take()
            guard box.isHeld, box.mailbox.pictures == 0, !box.mailbox.isFull else { return (event, false) }
            box.isHeld = false
            return (event, true)
        }
    }

    var waiting: Int { box.withLock { $0.mailbox.pictures } }

    /// - Returns: Whether it was not cancelled before.
    func cancel() -> Bool {
        box.withLock { box in
            defer { box.isCancelled = true }
            box.mailbox.removeAll()
            return !box.isCancelled
        }
    }
}
