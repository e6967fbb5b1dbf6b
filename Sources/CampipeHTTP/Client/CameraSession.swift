import CampipeKit

/// One camera's URL as the process reads it: a stream, or one picture that is asked for again and again. What comes
/// goes to all who joined, by reference.
///
/// Touched on the fetcher's thread only.
final class CameraSession: @unchecked Sendable {
    // Unchecked: touched on one thread.

    /// After how long without a picture a connection is made anew for who joins, if that is longer than three intervals:
    /// whoever joins may have left because of that silence.
    private static let silence = Duration.seconds(5)

    private struct Seat {
        let member: CameraMember
        /// When the picture of a URL that answers with one is due again.
        var due: Instant
        /// Whether it takes part in the request at hand.
        var isAsked = false
        /// Whether it has the picture that the validators name.
        var hasPicture = false
    }

    private let request: FetchRequest
    private unowned let fetcher: HTTPFetcher
    private let clock: any PipelineClock
    private let limits: JPEGStructure.Limits
    private let onEnd: (CampipeError?) -> Void

    private var seats: [Seat] = []
    private var transfer: Transfer?
    private var receiver: CameraReceiver?
    private var timer: Timer?
    private var head: ResponseHead?
    private var askedAt: Instant
    private var lastSign: Instant
    /// Between the last two pictures of one answer.
    private var interval = Duration.zero
    /// Pictures of the answer at hand.
    private var pictures = 0
    private var isPaused = false
    private var isOver = false
    /// `ETag` and `Last-Modified` of the last picture of a URL that answers with one.
    private var validators = HTTPHeaders()

    /// - Parameter onEnd: Called once, when the connection ended or failed; not when everybody left.
    init(
        _ request: FetchRequest, fetcher: HTTPFetcher, clock: any PipelineClock, limits: JPEGStructure.Limits,
        onEnd: @escaping (CampipeError?) -> Void
    ) {
        self.request = request
        self.fetcher = fetcher
        self.clock = clock
        self.limits = limits
        self.onEnd = onEnd
        askedAt = clock.now
        lastSign = clock.now
    }

    var isEmpty: Bool { seats.isEmpty }

    func join(_ member: CameraMember) {
        let now = clock.now
        // A full answer is for everybody; one that may be "unchanged" only for who has the picture.
        let joinsAnswer = receiver.map { !$0.isConditional || head.map { $0.status != 304 } == true } ?? false
        seats.append(Seat(member: member, due: now, isAsked: joinsAnswer))
        if receiver == nil {
            ask()
        } else if !isPaused, now - lastSign > max(Self.silence, interval * 3) {
            restart()
        } else {
            if joinsAnswer, let head { member.add([.opened(head)]) }
            resume()
        }
    }

    func leave(_ member: CameraMember) {
        seats.removeAll { $0.member === member }
        if seats.isEmpty { close() } else { resume() }
    }

    /// Reads on, if anybody has room.
    func resume() {
        guard isPaused, !holdsAll() else { return }
        isPaused = false
        transfer?.resume()
    }

    private func holdsAll() -> Bool {
        // All are asked, so that each tells when it has room again.
        seats.count { $0.member.holds() } == seats.count
    }

    private func close() {
        isOver = true
        timer?.cancel()
        receiver = nil
        transfer?.cancel()
        transfer = nil
    }

    private func restart() {
        receiver = nil
        transfer?.cancel()
        for index in seats.indices { seats[index].due = clock.now }
        ask()
    }

    // MARK: Requests

    private func ask() {
        timer?.cancel()
        let now = clock.now
        askedAt = now
        lastSign = now
        head = nil
        pictures = 0
        isPaused = false
        for index in seats.indices { seats[index].isAsked = seats[index].due <= now }
        let isConditional = !validators.fields.isEmpty && seats.allSatisfy { !$0.isAsked || $0.hasPicture }
        var request = request
        if isConditional {
            if let tag = validators["ETag"] { request.headers.add("If-None-Match", tag) }
            if let date = validators["Last-Modified"] { request.headers.add("If-Modified-Since", date) }
        }
        let receiver = CameraReceiver(self, source: request.url.shown, limits: limits, isConditional: isConditional)
        self.receiver = receiver
        let transfer = fetcher.transfer(request, handler: receiver)
        self.transfer = transfer
        transfer.start()
    }

    /// Waits until somebody's picture is due again.
    private func rest() {
        guard let due = seats.map(\.due).min() else { return }
        guard due > clock.now else { return ask() }
        timer = clock.schedule(at: due) { [weak self] in
            guard let self else { return }
            fetcher.onLoop { self.wakeUp() }
        }
    }

    private func wakeUp() {
        if !isOver, receiver == nil { ask() }
    }

    // MARK: What the receiver tells

    func opened(_ head: ResponseHead, by receiver: CameraReceiver) {
        guard receiver === self.receiver else { return }
        self.head = head
        if MediaType(head.headers["Content-Type"] ?? "").name.hasPrefix("multipart/") { askAll() }
        give([.opened(head)])
    }

    /// - Returns: How the transfer goes on.
    func received(_ actions: [MultipartParser.Action], by receiver: CameraReceiver) -> TransferFlow {
        guard receiver === self.receiver else { return .stop }
        guard !actions.isEmpty else { return .more }
        give(events(actions))
        // Once paused it stays so until `resume`, which whoever has room again asks for.
        let holdsAll = holdsAll()
        isPaused = isPaused || holdsAll
        return isPaused ? .pause : .more
    }

    /// The transfer is over, with the last of what it brought.
    func ended(
        _ actions: [MultipartParser.Action], _ error: CampipeError?, isStill: Bool, by receiver: CameraReceiver
    ) {
        guard receiver === self.receiver else { return }
        self.receiver = nil
        transfer = nil
        give(events(actions))
        guard error == nil, isStill else {
            isOver = true
            for seat in seats { seat.member.add([.ended(error)]) }
            return onEnd(error)
        }
        if let head, head.status != 304 {
            validators = HTTPHeaders()
            for name in ["ETag", "Last-Modified"] { if let value = head.headers[name] { validators.add(name, value) } }
        }
        for index in seats.indices where seats[index].isAsked {
            let due = askedAt + seats[index].member.every
            seats[index].due = due
            seats[index].hasPicture = true
            seats[index].member.add([.resting(until: due)])
        }
        rest()
    }

    /// The answer is a stream: it is for everybody.
    private func askAll() { for index in seats.indices { seats[index].isAsked = true } }

    private func give(_ events: [MJPEGConnection.Event]) {
        // After a pause curl still hands out what it has read, in pieces.
        for seat in seats where seat.isAsked { seat.member.add(events, evicts: !isPaused) }
    }

    private func events(_ actions: [MultipartParser.Action]) -> [MJPEGConnection.Event] {
        guard !actions.isEmpty else { return [] }
        let now = clock.now
        return actions.map { action in
            switch action {
            case .picture(let picture):
                if pictures > 0 { interval = now - lastSign }
                lastSign = now
                pictures += 1
                if pictures == 2 { askAll() }
                return .picture(picture, captured: now)
            case .dropped(let reason): return .dropped(reason, count: 1)
            }
        }
    }
}
