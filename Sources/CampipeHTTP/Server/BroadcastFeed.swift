package import CampipeKit

/// One MJPEG stream to any number of viewers.
///
/// All viewers share one reference-counted picture; each gets it by one gathering write, and nothing is kept for it in
/// user space. A viewer that has not taken the last picture yet gets the newest one when it has: fewer, fresh pictures,
/// none cut in the middle. Viewers never slow one another, nor who publishes.
///
/// What is not marked otherwise may be called from any thread.
package final class BroadcastFeed: @unchecked Sendable {
    // Unchecked: what stands under "On the server's thread" is touched only there; the rest is constant or in `inbox`.

    /// What has happened since the feed was made.
    package struct Counters: Sendable, Equatable {
        /// Viewers now.
        package var viewers = 0
        /// Viewers ever.
        package var viewersTotal = 0
        package var published = 0
        /// Pictures that went out whole, summed over the viewers.
        package var delivered = 0
        package var deliveredBytes = 0
        /// Pictures that a viewer missed because it was slow, summed over the viewers.
        package var skipped = 0
        /// Viewers closed because they took nothing for the server's write timeout.
        package var stalled = 0

        package init() {}

        /// Both together.
        package mutating func add(_ other: Counters) {
            viewers += other.viewers
            viewersTotal += other.viewersTotal
            published += other.published
            delivered += other.delivered
            deliveredBytes += other.deliveredBytes
            skipped += other.skipped
            stalled += other.stalled
        }

        /// Adds what a feed did that is over; its viewers are gone.
        package mutating func retire(_ other: Counters) {
            var other = other
            other.viewers = 0
            add(other)
        }
    }

    private struct Inbox {
        var newest: Outgoing?
        var sequence = 0
        var publishedAt = Instant.distantPast
        var isRung = false
        var isWatched = false
        var isClosed = false
        var counters = Counters()
    }

    /// The delimiter's name, as in the head's `Content-Type`.
    package static let boundary = "campipe-frame"

    private let loop: EventLoop
    private let clock: any PipelineClock
    private let retention: Duration
    private let onDemandChange: @Sendable (Bool) -> Void
    private let inbox = Lock(Inbox())

    init(
        loop: EventLoop, clock: any PipelineClock, retention: Duration,
        onDemandChange: @escaping @Sendable (Bool) -> Void
    ) {
        self.loop = loop
        self.clock = clock
        self.retention = retention
        self.onDemandChange = onDemandChange
    }

    /// Shows a picture to all viewers, each as soon as it has room for it.
    ///
    /// - Parameters:
    ///   - jpeg: Handed on byte for byte.
    ///   - time: Shown as `X-Timestamp`, in seconds since 1970 with microseconds.
    ///   - headers: More fields of the part's head, such as one that says that the picture is an old one.
    package func publish(_ jpeg: Bytes, time: WallTime, headers: HTTPHeaders = [:]) {
        let head = BroadcastFeed.partHead(length: jpeg.count, time: time, headers)
        let part = Outgoing(Bytes(head.utf8), jpeg, BroadcastFeed.nextDelimiter)
        let now = clock.now
        let mustRing = inbox.withLock { inbox -> Bool in
            inbox.newest = part
            inbox.sequence += 1
            inbox.publishedAt = now
            inbox.counters.published += 1
            guard inbox.isWatched, !inbox.isRung else { return false }
            inbox.isRung = true
            return true
        }
        if mustRing { loop.execute { self.distribute() } }
    }

    /// Forgets the newest picture, so that no new viewer is shown it.
    package func clear() { inbox.withLock { $0.newest = nil } }

    /// Closes all viewers; whoever comes later is told that the stream is over (503).
    package func close() {
        inbox.withLock { $0.isClosed = true }
        loop.execute {
            // A viewer that hangs up leaves its seats.
            while let seat = self.seats.last { seat.viewer.hangUp() }
        }
    }

    /// Of the pictures as of the last one; of the viewers as of now.
    package var counters: Counters { inbox.withLock { $0.counters } }

    /// What the head of a stream's answer holds, without the fields that the server writes itself.
    static var headers: HTTPHeaders {
        var headers: HTTPHeaders = ["Content-Type": "multipart/x-mixed-replace;boundary=\(boundary)"]
        headers.add(contentsOf: HTTPResponse.neverCached)
        headers.add("X-Accel-Buffering", "no")
        return headers
    }

    /// It comes before the first part; the next one goes right behind each picture, or browsers paint one picture late.
    static let firstDelimiter = "--\(boundary)\r\n"
    private static let nextDelimiter = Bytes("\r\n--\(boundary)\r\n".utf8)

    /// From so many viewers and bytes on, a file costs less than a copy for each (docs/benchmarks.md).
    private static let manySeats = 16
    private static let largePicture = 16 << 10

    private static func partHead(length: Int, time: WallTime, _ headers: HTTPHeaders) -> String {
        let micros = String(time.microseconds % 1_000_000)
        let zeros = String(repeating: "0", count: max(0, 6 - micros.utf8.count))
        var head = "Content-Type: image/jpeg\r\nContent-Length: \(length)\r\n"
        head += "X-Timestamp: \(time.microseconds / 1_000_000).\(zeros)\(micros)\r\n"
        for field in headers.fields { head += "\(field.name): \(field.value)\r\n" }
        return head + "\r\n"
    }

    // MARK: On the server's thread

    private var roster = Roster<FeedSeat>()
    private var seats: [FeedSeat] { roster.members }
    /// Added to by viewers; copied to `inbox` once a picture.
    var tally = Counters()
    /// The newest picture that this thread knows of.
    private var newest: Outgoing?
    private(set) var sequence = 0
    /// The newest picture as the kernel takes it without a copy; nil where that does not pay.
    private var file: MessageFile?
    /// The newest picture with its stream's name, for viewers of several streams; made for the first of them.
    private var named: (sequence: Int, name: String, part: Outgoing)?

    /// How its viewers are served that can be found. A handler may ask, since it is called on the server's thread.
    package var clients: [ViewerRate] { seats.compactMap(\.rate) }

    /// Whether no new viewer is taken.
    var isClosed: Bool { inbox.withLock { $0.isClosed } }

    /// Takes a viewer; it is shown the newest picture at once, unless that is too old to pass for live.
    func add(_ seat: FeedSeat) {
        roster.add(seat)
        tally.viewersTotal += 1
        let isFresh = fetch(isWatched: true)
        seat.shown = isFresh ? sequence - 1 : sequence
        report()
        if seats.count == 1 { onDemandChange(true) }
    }

    func remove(_ seat: FeedSeat) {
        guard roster.remove(seat) else { return }
        report()
        if seats.isEmpty {
            newest = nil
            file = nil
            named = nil
            inbox.withLock { $0.isWatched = false }
            onDemandChange(false)
        }
    }

    /// The newest picture as one message; with a name, the one that viewers of several streams share.
    func newest(named name: String?) -> Outgoing? {
        guard let newest, let name else { return newest }
        if let named, named.sequence == sequence, named.name == name { return named.part }
        let part = newest.preceded(by: "X-Stream: \(name)\r\n")
        named = (sequence, name, part)
        return part
    }

    /// A picture as the kernel takes it without a copy: the newest one only, so that slow viewers keep no descriptors.
    func file(of message: Outgoing) -> MessageFile? { message === newest ? file : nil }

    private func distribute() {
        _ = fetch(isWatched: !seats.isEmpty)
        if let newest, file == nil, newest.count >= Self.largePicture, seats.count >= Self.manySeats,
            seats.count(where: \.takesFile) >= Self.manySeats
        {
            file = MessageFile(newest)
        }
        // Backwards, since the place of a viewer that fails is taken by the last one, which has been served.
        var place = seats.count - 1
        while place >= 0 {
            if place < seats.count {
                seats[place].countMissed()
                seats[place].viewer.offer()
            }
            place -= 1
        }
        report()
    }

    /// Brings what was published over to this thread.
    ///
    /// - Returns: Whether it is young enough for a new viewer.
    private func fetch(isWatched: Bool) -> Bool {
        let now = clock.now
        let (newest, sequence, publishedAt) = inbox.withLock { inbox in
            inbox.isRung = false
            inbox.isWatched = isWatched
            return (inbox.newest, inbox.sequence, inbox.publishedAt)
        }
        if newest !== self.newest { file = nil }
        self.newest = newest
        self.sequence = sequence
        return newest != nil && now - publishedAt <= retention
    }

    private func report() {
        tally.viewers = seats.count
        let tally = tally
        inbox.withLock { inbox in
            let published = inbox.counters.published
            inbox.counters = tally
            inbox.counters.published = published
        }
    }
}
