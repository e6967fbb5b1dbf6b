import CampipeHTTP
import CampipeKit
import CampipeMedia

/// The H.264 or H.265 of one `http` sink as it comes: fragmented MP4 on one connection (`PATH/live.mp4`), and HLS
/// (`PATH/index.m3u8`). Nothing is decoded, and one mux serves all.
///
/// It asks the graph for packets as they are while somebody looks. Any thread may call it; decisions are made under its
/// lock, and done after it.
final class LiveVideo: Sendable {
    /// Its subscriptions' numbers begin here, apart from those of pictures.
    static let firstSubscription: Demand.ID = 1 << 31

    private struct Waiter {
        enum Wish {
            case stream(ViewerMark)
            case piece(HLSWindow.Piece)
        }
        var responder: Responder
        var wish: Wish
    }

    private struct State {
        var muxer = FragmentMuxer()
        /// Of the newest fragments; nil until there are some.
        var initialization: Initialization?
        var window: HLSWindow?
        var nextSegment = 0
        var askedAt = Instant.distantPast
        var isWatched = false
        /// How many viewers were told to come, and may not have sat down yet.
        var expected = 0
        var waiting: [Int: Waiter] = [:]
        var nextWaiter = 0
        /// What the graph brings; a new number each time, so that the end of an old one cannot end a new one.
        var subscription: Demand.ID?
        var nextSubscription = LiveVideo.firstSubscription
        /// Since when nobody has asked.
        var idleSince: Instant?
        var pace = StreamRate()
        var newest: Instant?
        var isLost = false
        var isClosed = false

        var hasUsers: Bool { isWatched || expected > 0 || !waiting.isEmpty || window != nil }
    }

    /// What is done outside of the lock.
    private struct Deeds {
        var answers: [(Responder, HTTPAnswer)] = []
        var demands: [(Demand.ID, Want?)] = []
        var expects = 0
        var looksAgain = false
        var hangsUp = false
        var clears = false
        var published: (fragment: Fragment, initialization: Bytes)?
    }

    private let feed: FragmentFeed
    private let want: Want
    private let clock: any PipelineClock
    private let demand: Demand
    private let state = Lock(State())

    /// How long somebody waits for what is not there yet; the server waits a little longer.
    private static let patience = Duration.seconds(9)
    /// Players ask once a segment at least.
    private static let idle = Duration.seconds(30)
    private static let settling = Duration.seconds(2)

    init(limits: StreamLimits, server: HTTPServer, _ surroundings: WebStream.Surroundings) {
        // What has to be encoded, is so as for the plain request: the same chain serves both.
        want = Want(maxWidth: limits.width, quality: limits.quality, asItComes: true)
        clock = surroundings.clock
        demand = surroundings.demand
        let later = WeakVideo()
        feed = server.makeFragmentFeed { isWatched in later.video.withLock { $0.value }?.watched(isWatched) }
        later.video.withLock { $0.value = self }
    }

    // MARK: From the sink

    /// Takes a packet as it came from the source, for the subscription that is in force: of one that has ended some may
    /// still come beside it.
    func take(_ packet: Packet) {
        var deeds = Deeds()
        state.withLock { state in
            guard !state.isClosed, packet.subscription == state.subscription else { return }
            guard packet.format.coding == .h264 || packet.format.coding == .h265 else {
                refuse(&state, &deeds)
                return
            }
            let fragment: Fragment
            switch state.muxer.take(packet) {
            case .none: return
            case .begin(let initialization, let first):
                // A player was told which coding it gets.
                if let old = state.initialization, old.configuration.coding != initialization.configuration.coding {
                    deeds.hangsUp = true
                    deeds.clears = true
                }
                state.initialization = initialization
                state.window?.begin(initialization.bytes)
                fragment = first
            case .fragment(let next): fragment = next
            }
            guard let initialization = state.initialization else { return }
            state.window?.append(fragment)
            state.pace.came(packet.captured)
            state.newest = clock.now
            state.isLost = false
            deeds.published = (fragment, initialization.bytes)
            serve(&state, &deeds)
        }
        perform(deeds)
    }

    /// The camera was lost; viewers stay.
    func lose() {
        state.withLock { state in
            state.window?.interrupt()
            state.isLost = true
        }
    }

    func close() {
        var deeds = Deeds()
        state.withLock { state in
            state.isClosed = true
            for waiter in state.waiting.values {
                deeds.answers.append((waiter.responder, .complete(.text(503, "this stream is over"))))
            }
            state.waiting = [:]
            state.window = nil
            if let subscription = state.subscription { deeds.demands.append((subscription, nil)) }
            state.subscription = nil
        }
        feed.close()
        perform(deeds)
    }

    // MARK: From the server

    /// What it did for all viewers that it ever had; players of HLS come and go, and are none.
    var counters: BroadcastFeed.Counters { feed.counters }

    /// On the server's thread.
    var clients: [ViewerRate] { feed.clients }

    /// Whether the source is known to have H.264 or H.265, and not known to be lost.
    var isThere: Bool { state.withLock { $0.initialization != nil && !$0.isLost } }

    /// Of the newest pictures; nil before there were some.
    var size: Size? { state.withLock { $0.initialization?.configuration.size } }

    /// Whether pictures come, and how many a second; nil while nobody asks for them.
    var condition: (isLive: Bool, rate: Double)? {
        let now = clock.now
        return state.withLock { state in
            guard state.subscription != nil, state.initialization != nil else { return nil }
            let rate = state.pace.perSecond(now: now)
            return (rate > 0 || state.newest.map { now - $0 < .seconds(2) } ?? false, rate)
        }
    }

    /// `live.mp4`.
    func stream(_ request: HTTPRequest, _ responder: Responder, mark: ViewerMark) -> HTTPAnswer {
        var deeds = Deeds()
        let (answer, number) = state.withLock { state -> (HTTPAnswer, Int?) in
            if request.method == "HEAD" { return (.fragments(feed, headers: Self.type(state.initialization)), nil) }
            if let initialization = state.initialization {
                state.expected += 1
                deeds.expects += 1
                settle(&state, &deeds)
                return (.fragments(feed, headers: Self.type(initialization), mark: mark), nil)
            }
            return (.later, wait(Waiter(responder: responder, wish: .stream(mark)), &state, &deeds))
        }
        perform(deeds)
        if let number { giveUp(number) }
        return answer
    }

    /// What players of HLS ask for.
    func piece(_ piece: HLSWindow.Piece, _ request: HTTPRequest, _ responder: Responder) -> HTTPAnswer? {
        var deeds = Deeds()
        let (answer, number) = state.withLock { state -> (HTTPAnswer?, Int?) in
            guard !state.isClosed else { return (.complete(.text(503, "this stream is over")), nil) }
            if state.window == nil {
                // A piece that a player still knows of is gone; only the list begins anew.
                guard case .playlist = piece else { return (nil, nil) }
                let first = max(state.nextSegment, Int(clock.wallTime.microseconds / 1_000_000))
                var window = HLSWindow(first: first)
                if let initialization = state.initialization { window.begin(initialization.bytes) }
                state.window = window
                watchIdle()
            }
            state.askedAt = clock.now
            settle(&state, &deeds)
            switch state.window?.answer(piece) ?? .none {
            case .none: return (nil, nil)
            case .later: return (.later, wait(Waiter(responder: responder, wish: .piece(piece)), &state, &deeds))
            case let found: return (Self.answer(piece, found), nil)
            }
        }
        perform(deeds)
        if let number { giveUp(number) }
        return answer
    }

    private func watched(_ isWatched: Bool) {
        var deeds = Deeds()
        state.withLock { state in
            state.isWatched = isWatched
            settle(&state, &deeds)
        }
        perform(deeds)
    }

    // MARK: Decisions, under the lock

    private func wait(_ waiter: Waiter, _ state: inout State, _ deeds: inout Deeds) -> Int {
        state.nextWaiter += 1
        state.waiting[state.nextWaiter] = waiter
        settle(&state, &deeds)
        return state.nextWaiter
    }

    /// The source has neither H.264 nor H.265.
    private func refuse(_ state: inout State, _ deeds: inout Deeds) {
        for waiter in state.waiting.values { deeds.answers.append((waiter.responder, Self.notVideo)) }
        state.waiting = [:]
        state.window = nil
        state.initialization = nil
        state.muxer = FragmentMuxer()
        deeds.hangsUp = state.isWatched
        settle(&state, &deeds)
    }

    /// Answers those who wait for what is there now.
    private func serve(_ state: inout State, _ deeds: inout Deeds) {
        for (number, waiter) in state.waiting {
            switch waiter.wish {
            case .stream(let mark):
                state.expected += 1
                deeds.expects += 1
                let type = Self.type(state.initialization)
                deeds.answers.append((waiter.responder, .fragments(feed, headers: type, mark: mark)))
            case .piece(let piece):
                switch state.window?.answer(piece) ?? .none {
                case .later: continue
                case .none: deeds.answers.append((waiter.responder, Self.gone))
                case let found: deeds.answers.append((waiter.responder, Self.answer(piece, found)))
                }
            }
            state.waiting[number] = nil
        }
    }

    /// The demand that follows from the users. It stays a moment longer than they do, so that a page that is loaded
    /// again need not wait for the next keyframe.
    private func settle(_ state: inout State, _ deeds: inout Deeds) {
        guard !state.isClosed else { return }
        if state.hasUsers {
            state.idleSince = nil
            guard state.subscription == nil else { return }
            state.subscription = state.nextSubscription
            deeds.demands.append((state.nextSubscription, want))
            state.nextSubscription += 1
            state.pace.reset()
        } else if let subscription = state.subscription {
            let now = clock.now
            if let since = state.idleSince, now - since >= Self.settling {
                state.idleSince = nil
                state.subscription = nil
                deeds.demands.append((subscription, nil))
                deeds.clears = true
            } else if state.idleSince == nil {
                state.idleSince = now
                deeds.looksAgain = true
            }
        }
    }

    private func perform(_ deeds: Deeds) {
        if deeds.hangsUp { feed.hangUp() }
        if deeds.clears { feed.clear() }
        for (id, want) in deeds.demands { demand.set(id, want) }
        if let (fragment, initialization) = deeds.published {
            feed.publish(fragment.head, fragment.body, isKey: fragment.isKey, initialization: initialization)
        }
        for (responder, answer) in deeds.answers { responder.answer(answer) }
        guard deeds.expects > 0 || deeds.looksAgain else { return }
        // Who has not sat down by then has gone away.
        clock.schedule(at: clock.now + Self.settling) { [weak self] in self?.expect(-deeds.expects) }
    }

    private func expect(_ change: Int) {
        var deeds = Deeds()
        state.withLock { state in
            state.expected += change
            settle(&state, &deeds)
        }
        perform(deeds)
    }

    private func giveUp(_ number: Int) {
        clock.schedule(at: clock.now + Self.patience) { [weak self] in
            guard let self else { return }
            var deeds = Deeds()
            state.withLock { state in
                guard let waiter = state.waiting.removeValue(forKey: number) else { return }
                deeds.answers.append((waiter.responder, Self.nothing))
                self.settle(&state, &deeds)
            }
            perform(deeds)
        }
    }

    /// Lets the window go when no player has asked for a while.
    private func watchIdle() {
        clock.schedule(at: clock.now + Self.idle) { [weak self] in
            guard let self else { return }
            var deeds = Deeds()
            let isIdle = state.withLock { state -> Bool in
                guard let window = state.window else { return true }
                guard clock.now - state.askedAt >= Self.idle else { return false }
                state.nextSegment = window.nextNumber
                state.window = nil
                self.settle(&state, &deeds)
                return true
            }
            perform(deeds)
            if !isIdle { watchIdle() }
        }
    }
}

/// So that the feed, which is made before the video is, does not keep it.
private final class WeakVideo: Sendable {
    struct Reference { weak var value: LiveVideo? }
    let video = Lock(Reference())
}
