import CampipeHTTP
import CampipeKit

/// What one `http` sink shows, between the turns of the sink and the thread of the server.
///
/// Any thread may call it.
final class WebStream: Sendable {
    /// Subscriptions of the sink: the viewers of the stream, and who waits for a snapshot.
    enum Subscription {
        static let viewers: Demand.ID = 1
        static let snapshot: Demand.ID = 2
    }

    private struct Picture {
        var jpeg: Bytes
        var captured: Instant
        var time: WallTime
    }
    private struct State {
        var latest: Picture?
        /// Whether the camera was lost, and nothing came since.
        var isLost = false
        var size: Size?
        var rate = StreamRate()
        /// Who waits for a fresh picture, by a number that the timeout knows.
        var waiting: [Int: Responder] = [:]
        var nextWaiting = 0
        var isClosed = false
    }

    let path: String
    let access: StreamAccess
    private let feed: BroadcastFeed
    private let clock: any PipelineClock
    private let demand: Demand
    private let want: Want
    private let state = Lock(State())

    /// A picture as old may pass for live.
    private static let freshness = Duration.seconds(1)
    /// How long somebody waits for a snapshot at most.
    private static let patience = Duration.seconds(1)

    init(
        path: String, access: StreamAccess, want: Want, server: HTTPServer, clock: any PipelineClock, demand: Demand
    ) {
        self.path = path
        self.access = access
        self.clock = clock
        self.demand = demand
        self.want = want
        feed = server.makeFeed { isWatched in demand.set(Subscription.viewers, isWatched ? want : nil) }
    }

    // MARK: From the sink

    /// Shows a picture to all viewers and to who waits for a snapshot.
    func show(_ jpeg: Bytes, size: Size?, captured: Instant) {
        let time = clock.wallTime(at: captured)
        let (waiting, isClosed) = state.withLock { state -> ([Responder], Bool) in
            state.latest = Picture(jpeg: jpeg, captured: captured, time: time)
            state.isLost = false
            state.size = size ?? state.size
            state.rate.came(captured)
            return (Self.takeWaiting(&state), state.isClosed)
        }
        guard !isClosed else { return }
        feed.publish(jpeg, time: time)
        guard !waiting.isEmpty else { return }
        demand.set(Subscription.snapshot, nil)
        for responder in waiting { responder.answer(.complete(Self.snapshot(jpeg, time: time, age: .zero))) }
    }

    /// Says that the camera was lost: the last picture is no longer shown.
    func lose() {
        feed.clear()
        state.withLock { state in
            state.isLost = true
            state.rate.reset()
        }
    }

    /// Shows the viewers a picture that says there is none; snapshots stay without.
    func showAbsence(_ jpeg: Bytes) { feed.publish(jpeg, time: clock.wallTime) }

    /// The size of the last picture.
    var size: Size? { state.withLock { $0.size } }

    /// Whether the camera was lost and nothing came since.
    var isLost: Bool { state.withLock { $0.isLost } }

    func close() {
        let waiting = state.withLock { state -> [Responder] in
            state.isClosed = true
            return Self.takeWaiting(&state)
        }
        for responder in waiting { responder.answer(.complete(.text(503, "this stream is over"))) }
        feed.close()
        demand.set(Subscription.viewers, nil)
        demand.set(Subscription.snapshot, nil)
    }

    // MARK: From the server

    /// Answers what is asked below the path: `stream`, `snapshot`, `state`, and the page itself; nil is 404.
    ///
    /// `?action=stream` and `?action=snapshot` are mjpg-streamer's names of the same.
    func answer(_ request: HTTPRequest, _ responder: Responder) -> HTTPAnswer? {
        switch request.query("action") ?? request.subpath {
        case "stream": .stream(feed)
        case "snapshot": snapshot(responder)
        case "state": .complete(.json(stateJSON))
        case "": .complete(.page(WebPages.stream(path: path)))
        default: nil
        }
    }

    /// A picture that may pass for live, at once or when one comes; else, after a second, the last one with its age.
    private func snapshot(_ responder: Responder) -> HTTPAnswer {
        let now = clock.now
        enum Outcome: Sendable {
            case fresh(Bytes, WallTime, Duration)
            case wait(Int)
            case over
        }
        let outcome = state.withLock { state -> Outcome in
            if state.isClosed { return .over }
            if let latest = state.latest, !state.isLost, now - latest.captured <= Self.freshness {
                return .fresh(latest.jpeg, latest.time, now - latest.captured)
            }
            state.nextWaiting += 1
            state.waiting[state.nextWaiting] = responder
            return .wait(state.nextWaiting)
        }
        switch outcome {
        case .over: return .complete(.text(503, "this stream is over"))
        case .fresh(let jpeg, let time, let age): return .complete(Self.snapshot(jpeg, time: time, age: age))
        case .wait(let number):
            demand.set(Subscription.snapshot, want)
            clock.schedule(at: now + Self.patience) { [weak self] in self?.giveUp(number) }
            return .later
        }
    }

    private func giveUp(_ number: Int) {
        let now = clock.now
        let (responder, latest, isLast) = state.withLock { state -> (Responder?, Picture?, Bool) in
            let responder = state.waiting.removeValue(forKey: number)
            return (responder, state.isLost ? nil : state.latest, state.waiting.isEmpty)
        }
        guard let responder else { return }
        if isLast { demand.set(Subscription.snapshot, nil) }
        guard let latest else {
            responder.answer(.complete(.text(503, "there is no picture", headers: ["Retry-After": "1"])))
            return
        }
        responder.answer(.complete(Self.snapshot(latest.jpeg, time: latest.time, age: now - latest.captured)))
    }

    private static func snapshot(_ jpeg: Bytes, time: WallTime, age: Duration) -> HTTPResponse {
        .jpeg(jpeg, headers: ["X-Timestamp": unix(time), "X-Age-Seconds": milliseconds(age)])
    }

    private static func takeWaiting(_ state: inout State) -> [Responder] {
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
    }

    private static func unix(_ time: WallTime) -> String {
        let micros = String(time.microseconds % 1_000_000)
        return
            "\(time.microseconds / 1_000_000).\(String(repeating: "0", count: max(0, 6 - micros.utf8.count)))\(micros)"
    }

    private static func milliseconds(_ age: Duration) -> String {
        let number = max(0, age.nanoseconds / 1_000_000)
        let rest = String(number % 1000)
        return "\(number / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }

    /// As ustreamer's `/state`.
    var stateJSON: String {
        let now = clock.now
        let counters = feed.counters
        let (size, rate, isOnline) = state.withLock { state in
            (
                state.size ?? Size(0, 0), state.rate.perSecond(now: now),
                !state.isLost && state.latest.map { now - $0.captured <= .seconds(5) } ?? false
            )
        }
        let fps = Int(rate.rounded())
        return
            "{\"ok\":true,\"result\":{\"source\":{\"resolution\":{\"width\":\(size.width),\"height\":\(size.height)},"
            + "\"online\":\(isOnline),\"captured_fps\":\(fps)},"
            + "\"stream\":{\"queued_fps\":\(fps),\"clients\":\(counters.viewers),\"clients_stat\":{}}}}"
    }
}
