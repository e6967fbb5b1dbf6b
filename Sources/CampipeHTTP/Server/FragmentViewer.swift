import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// What one viewer of a stream of video is being sent. Touched on the server's thread only.
///
/// The kernel is let hold about half a second of the stream: what it holds is old by the time it is sent, and a viewer
/// that lost its line must be seen to be behind.
final class FragmentViewer: StreamViewer {
    private static let sendBuffers = 64 << 10...1 << 20

    private let feed: FragmentFeed
    private let socket: ClientSocket
    private weak var connection: HTTPConnection?
    private let mark: ViewerMark?
    /// Its index among the feed's viewers; the feed's.
    var index = -1
    private var place: Int?
    /// What is to be sent before the feed is asked again, the first one from `offset` on.
    private var waiting: [Outgoing]
    private var offset = 0
    /// The fragment among them; none while it is the answer's head.
    private var fragment: Outgoing?
    private var start: Outgoing?
    private var sendBuffer = 0
    private var delivered = 0
    private var counted: (delivered: Int, at: Instant)?
    private var fps = 0

    /// - Parameter head: The answer's head, sent first.
    init(_ feed: FragmentFeed, socket: ClientSocket, connection: HTTPConnection, mark: ViewerMark?, head: Outgoing) {
        self.feed = feed
        self.socket = socket
        self.connection = connection
        self.mark = mark
        waiting = [head]
    }

    /// How it is served; nil of somebody who is not to be found.
    var rate: ViewerRate? { mark.map { ViewerRate(mark: $0, fps: fps) } }

    func leave() { feed.remove(self) }
    func noteStall() { feed.noteStall() }
    /// A new fragment is there.
    func offer() { connection?.pumpViewer() }

    func hangUp() {
        connection?.close()
        leave()
    }

    func tick(_ now: Instant) {
        if let counted, now > counted.at {
            fps = Int((Double(delivered - counted.delivered) / (now - counted.at).seconds).rounded())
        }
        counted = (delivered, now)
    }

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
                delivered += 1
                feed.wasSent(message.count)
            }
        }
    }

    private func begin() {
        guard let next = feed.next(&place) else { return }
        if next.start !== start {
            start = next.start
            waiting.append(next.start)
        }
        fragment = next.message
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
