package import CampipeKit

/// One connection to a camera: a bounded mailbox of pictures between the fetcher's thread and a node.
///
/// A full mailbox pauses the transfer, so nothing is lost here and nothing grows. All may be called from any thread.
package final class MJPEGConnection: Sendable {
    package enum Event: Sendable {
        /// The camera answered.
        case opened(ResponseHead)
        /// A picture, and when its last byte was there.
        case picture(JPEGPicture, captured: Instant)
        case dropped(PictureDropReason)
        /// The last event. Nil: the answer came to its end.
        case ended(CampipeError?)
    }

    fileprivate struct Box {
        var events: [Event] = []
        var pictures = 0
        var isPaused = false
        var isCancelled = false
    }

    private let box: Lock<Box>
    private let transfer: Transfer

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - capacity: Pictures that may wait; those of one read come on top.
    ///   - wake: Called when there is an event; on the fetcher's thread, must not block.
    package init(
        _ request: FetchRequest, fetcher: HTTPFetcher, clock: any PipelineClock, limits: JPEGStructure.Limits = .init(),
        capacity: Int = 4, wake: @escaping @Sendable () -> Void
    ) {
        let box = Lock(Box())
        self.box = box
        let receiver = Receiver(
            source: request.url.shown, limits: limits, clock: clock,
            deliver: { events in
                let flow = box.withLock { box -> TransferFlow in
                    if box.isCancelled { return .stop }
                    box.add(events)
                    box.isPaused = box.pictures >= capacity
                    return box.isPaused ? .pause : .more
                }
                if flow != .stop { wake() }
                return flow
            })
        transfer = fetcher.transfer(request, handler: receiver)
        transfer.start()
    }

    deinit { cancel() }

    /// The next event, if there is one.
    package func next() -> Event? {
        let (event, mustResume) = box.withLock { box -> (Event?, Bool) in
            let event = box.take()
            guard box.isPaused, box.pictures == 0 else { return (event, false) }
            box.isPaused = false
            return (event, true)
        }
        if mustResume { transfer.resume() }
        return event
    }

    /// How many pictures wait now.
    package var waiting: Int { box.withLock { $0.pictures } }

    /// Ends the connection. What waits is forgotten, and nothing more comes.
    package func cancel() {
        box.withLock { box in
            box.isCancelled = true
            box.events = []
            box.pictures = 0
        }
        transfer.cancel()
    }
}

extension MJPEGConnection.Event {
    fileprivate var isPicture: Bool { if case .picture = self { true } else { false } }
}

extension MJPEGConnection {
    /// Turns a transfer into events. Its state is touched on the fetcher's thread only.
    private final class Receiver: TransferHandler, @unchecked Sendable {
        // Unchecked: the fetcher calls it on one thread.
        private let source: String
        private let limits: JPEGStructure.Limits
        private let clock: any PipelineClock
        private let deliver: @Sendable ([Event]) -> TransferFlow
        private var stream: MJPEGStream?
        private var failure: CampipeError?

        init(
            source: String, limits: JPEGStructure.Limits, clock: any PipelineClock,
            deliver: @escaping @Sendable ([Event]) -> TransferFlow
        ) {
            self.source = source
            self.limits = limits
            self.clock = clock
            self.deliver = deliver
        }

        func transferBegan(_ head: ResponseHead) {
            stream = MJPEGStream(head: head, source: source, limits: limits)
            _ = deliver([.opened(head)])
        }

        func transferReceived(_ bytes: UnsafeRawBufferPointer) -> TransferFlow {
            var actions: [MultipartParser.Action] = []
            do throws(CampipeError) {
                try unsafe stream?.receive(bytes, into: &actions)
            } catch {
                failure = error
                _ = deliver(events(actions))
                return .stop
            }
            return actions.isEmpty ? .more : deliver(events(actions))
        }

        func transferEnded(_ end: TransferEnd) {
            var actions: [MultipartParser.Action] = []
            var cause = failure
            if cause == nil {
                switch end {
                case .finished(let isComplete): cause = finish(isComplete: isComplete, &actions)
                case .cancelled: break
                case .failed(let error):
                    cause = error
                    _ = finish(isComplete: false, &actions)  // counts what was cut
                }
            }
            _ = deliver(events(actions) + [.ended(cause)])
        }

        private func finish(isComplete: Bool, _ actions: inout [MultipartParser.Action]) -> CampipeError? {
            do throws(CampipeError) {
                try stream?.finish(isComplete: isComplete, into: &actions)
                return nil
            } catch {
                return error
            }
        }

        private func events(_ actions: [MultipartParser.Action]) -> [Event] {
            guard !actions.isEmpty else { return [] }
            let now = clock.now
            return actions.map { action in
                switch action {
                case .picture(let picture): .picture(picture, captured: now)
                case .dropped(let reason): .dropped(reason)
                }
            }
        }
    }
}

extension MJPEGConnection.Box {
    fileprivate mutating func add(_ more: [MJPEGConnection.Event]) {
        events += more
        pictures += more.count { $0.isPicture }
    }

    fileprivate mutating func take() -> MJPEGConnection.Event? {
        guard !events.isEmpty else { return nil }
        let event = events.removeFirst()
        if event.isPicture { pictures -= 1 }
        return event
    }
}
