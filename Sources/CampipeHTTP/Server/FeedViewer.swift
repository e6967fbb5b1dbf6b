import CNet
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// One viewer's place in a stream: what it is being sent, and which picture is next. Touched on the server's thread
/// only.
///
/// The newest picture is picked only when the socket has drained, so a slow viewer sees few pictures and fresh ones.
final class FeedViewer {
    /// How it stands with the socket.
    enum Pace {
        /// Nothing is owed.
        case idle
        /// It took something, and more waits.
        case moving
        /// It took nothing, and something waits.
        case stuck
        /// The socket is gone.
        case failed
    }

    private let socket: ClientSocket
    private let feed: BroadcastFeed
    private weak var connection: HTTPConnection?
    private var current: Outgoing?
    private var offset = 0
    private var isPicture = false
    /// Whether the kernel could not take the last message at once; then it is asked what it still holds.
    private var isSlow = false
    private var unsent = 0
    private var sendBuffer = 0

    /// Its index among the feed's viewers; the feed's.
    var place = -1
    /// The number of the last picture that was begun.
    var shown = 0

    /// - Parameter head: Sent first: the answer's head and the first delimiter.
    init(socket: ClientSocket, feed: BroadcastFeed, connection: HTTPConnection, head: Outgoing) {
        self.socket = socket
        self.feed = feed
        self.connection = connection
        current = head
    }

    /// A new picture is there.
    func offer() { connection?.pumpViewer() }

    func hangUp() { connection?.close() }

    /// Sends what the socket takes: the rest of what was begun, then the newest picture if it is another.
    func pump() -> Pace {
        var hasMoved = false
        while true {
            if current == nil {
                guard let newest = feed.newest, feed.sequence > shown else { return .idle }
                if isSlow {
                    let waiting = cnet_unsent(socket.descriptor)
                    defer { unsent = waiting }
                    if waiting > 0 { return hasMoved || waiting != unsent ? .moving : .stuck }
                    isSlow = false
                }
                begin(newest)
            }
            guard let message = current else { return .idle }
            let count = socket.send(message, from: offset)
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN || errno == EWOULDBLOCK else { return .failed }
                isSlow = true
                return hasMoved ? .moving : .stuck
            }
            hasMoved = true
            offset += count
            if offset < message.count {
                isSlow = true
                return .moving
            }
            if isPicture {
                feed.tally.delivered += 1
                feed.tally.deliveredBytes += message.count
            }
            current = nil
        }
    }

    private func begin(_ picture: Outgoing) {
        feed.tally.skipped += feed.sequence - shown - 1
        shown = feed.sequence
        current = picture
        offset = 0
        isPicture = true
        // The kernel doubles what it is told and counts its overhead: this keeps about one and a half pictures at most.
        let wanted = max(32 << 10, picture.count * 3 / 4)
        if wanted > sendBuffer || wanted < sendBuffer / 4 {
            sendBuffer = wanted + wanted / 4
            var bytes = Int32(clamping: sendBuffer)
            unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
