import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// What one viewer of a stream of video is being sent. Touched on the server's thread only.
///
/// The kernel is let hold about half a second of the stream: what it holds is old by the time it is sent, and a viewer
/// that lost its line must be seen to be behind.
final class FragmentViewer: StreamViewer, RosterMember {
    private static let sendBuffers = 64 << 10...1 << 20

    private let feed: FragmentFeed
    private let socket: ClientSocket
    private weak var connection: HTTPConnection?
    private let mark: ViewerMark?
    /// Whether it is sent the sound too.
    let hears: Bool
    /// Among the feed's viewers.
    var place = -1
    /// Where it is in the stream (`FragmentRing.next`).
    private var position: FragmentRing.Place?
    /// How many pictures that it has missed there are counted.
    private var counted = 0
    /// What is to be sent before the feed is asked again, the first one from `offset` on.
    private var waiting: [Outgoing]
    private var offset = 0
    /// The fragment among them; none while it is the answer's head.
    private var fragment: Outgoing?
    private var isPicture = true
    private var start: Outgoing?
    private var sendBuffer = 0
    private var delivery = DeliveryRate()

    /// - Parameter head: The answer's head, sent first.
    init(
        _ feed: FragmentFeed, socket: ClientSocket, connection: HTTPConnection, mark: ViewerMark?, hears: Bool,
        head: Outgoing
    ) {
        self.feed = feed
        self.socket = socket
        self.connection = connection
        self.mark = mark
        self.hears = hears
        waiting = [head]
    }

    /// How it is served; nil of somebody who is not to be found.
    var rate: ViewerRate? { mark.map { ViewerRate(mark: $0, fps: delivery.fps) } }

    func leave() { feed.remove(self) }
    func noteStall() { feed.noteStall() }
    /// A new fragment is there.
    func offer() {
        counted = feed.countMissed(before: position, counted: counted)
        connection?.pumpViewer()
    }

    func hangUp() {
        connection?.close()
        leave()
    }

    func tick(_ now: Instant) { delivery.tick(now) }

    func pump() -> ViewerPace {
        var hasMoved = false
        while true {
            if waiting.isEmpty { begin() }
            guard let message = waiting.first else { return .idle }
            let count = socket.send(message, from: offset)
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN || errno == EWOULDBLOCK else { return .failed }
                return hasMoved ? .moving : .stuck
            }
            hasMoved = true
            offset += count
            guard offset == message.count else { return .moving }
            waiting.removeFirst()
            offset = 0
            if message === fragment {
                if isPicture { delivery.wasSent() }
                feed.wasSent(message.count, isPicture: isPicture)
            }
        }
    }

    private func begin() {
        guard let next = feed.next(&position, hears: hears, counted: counted) else { return }
        counted = 0
        let needed = hears ? next.heardStart ?? next.start : next.start
        if needed !== start {
            start = needed
            waiting.append(needed)
        }
        fragment = next.message
        isPicture = !next.isSound
        waiting.append(next.message)
        if next.isKey { limitBuffer() }
    }

    private func limitBuffer() {
        let perSecond = feed.bytesPerSecond ?? Self.sendBuffers.lowerBound * 4
        let wanted = min(max(perSecond / 2, Self.sendBuffers.lowerBound), Self.sendBuffers.upperBound)
        guard wanted > sendBuffer || wanted < sendBuffer / 4 else { return }
        sendBuffer = wanted
        // The kernel doubles what it is told, for its own needs.
        var bytes = Int32(clamping: wanted)
        unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
}
