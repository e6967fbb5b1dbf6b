import CNet
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// What one viewer is being sent, and which picture is next: of one stream, or of several in turn. Touched on the
/// server's thread only.
///
/// The newest picture is picked only when the socket has drained, so a slow viewer sees few pictures and fresh ones.
final class FeedViewer: StreamViewer {
    private let socket: ClientSocket
    private weak var connection: HTTPConnection?
    private var seats: [FeedSeat] = []
    /// The seat that is looked at first, so that each stream has its turn.
    private var turn = 0
    private var current: Outgoing?
    private var offset = 0
    /// Whose picture is being sent; nil while it is the head.
    private var sending: FeedSeat?
    /// Whether the kernel could not take the last message at once; then it is asked what it still holds.
    private var isSlow = false
    private var unsent = 0
    private var sendBuffer = 0

    /// Whether what is sent is changed on its way.
    var isEncrypted: Bool { socket.isEncrypted }

    /// - Parameter head: Sent first: the answer's head and the first delimiter.
    init(socket: ClientSocket, connection: HTTPConnection, head: Outgoing) {
        self.socket = socket
        self.connection = connection
        current = head
    }

    /// Takes a seat in each feed; of a name, its parts carry it.
    func join(_ feeds: [NamedFeed]) {
        seats = feeds.map { FeedSeat($0, viewer: self) }
        for seat in seats { seat.feed.add(seat) }
    }

    /// Leaves all its seats.
    func leave() {
        for seat in seats { seat.feed.remove(seat) }
        seats = []
        sending = nil
    }

    /// It took nothing for too long, and will be closed.
    func noteStall() { seats.first?.feed.tally.stalled += 1 }

    /// About once a second.
    func tick(_ now: Instant) { for seat in seats { seat.tick(now) } }

    /// A new picture is there.
    func offer() { connection?.pumpViewer() }

    func hangUp() {
        connection?.close()
        leave()
    }

    /// Sends what the socket takes: the rest of what was begun, then the newest picture if it is another.
    func pump() -> ViewerPace {
        var hasMoved = false
        while true {
            if current == nil {
                guard let seat = seatWithNews else { return .idle }
                // Of several streams the kernel may hold a picture each; of one it shall hold no old one.
                if isSlow, seats.count == 1 {
                    let waiting = cnet_unsent(socket.descriptor)
                    defer { unsent = waiting }
                    if waiting > 0 { return hasMoved || waiting != unsent ? .moving : .stuck }
                    isSlow = false
                }
                begin(seat)
            }
            guard let message = current else { return .idle }
            let count = socket.send(message, sending?.feed.file(of: message), from: offset)
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
            sending?.wasSent(message.count)
            current = nil
        }
    }

    /// The next seat, in turn, whose stream has a picture that this viewer was not sent.
    private var seatWithNews: FeedSeat? {
        for step in seats.indices {
            let place = (turn + step) % seats.count
            guard seats[place].hasNews else { continue }
            turn = (place + 1) % seats.count
            return seats[place]
        }
        return nil
    }

    private func begin(_ seat: FeedSeat) {
        guard let picture = seat.take() else { return }
        sending = seat
        current = picture
        offset = 0
        // The kernel doubles what it is told and counts its overhead: this keeps about one and a half pictures at most.
        let wanted = max(32 << 10, picture.count * 3 / 4) * min(seats.count, 8)
        if wanted > sendBuffer || wanted < sendBuffer / 4 {
            sendBuffer = wanted + wanted / 4
            var bytes = Int32(clamping: sendBuffer)
            unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
