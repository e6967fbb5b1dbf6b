import CampipeHTTP
import CampipeKit
import CampipeMedia

/// The H.264 or H.265 of one `http` sink as it comes: fragmented MP4 on one connection (`PATH/live.mp4`), and HLS
/// (`PATH/index.m3u8`). Nothing is decoded, and one mux serves all.
///
/// It asks the graph for packets as they are while somebody looks, and for sound while somebody listens: whoever does not
/// say `?audio=none`. Pictures never wait for sound: who comes before it is known waits a moment, and then has none.
/// Any thread may call it; decisions are made under its lock, and done after it.
final class LiveVideo: Sendable {
    /// Its subscriptions' numbers begin here, apart from those of pictures.
    static let firstSubscription: Demand.ID = 1 << 31
    /// Those of its sound begin here.
    static let firstSoundSubscription: Demand.ID = 1 << 30

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

    /// Whether there may be sound at all.
    let hasSound: Bool

    init(limits: StreamLimits, server: HTTPServer, _ surroundings: WebStream.Surroundings) {
        hasSound = surroundings.hasSound
        // What has to be encoded, is so as for the plain request: the same chain serves both.
        want = Want(maxWidth: limits.width, quality: limits.quality, asItComes: true)
        clock = surroundings.clock
        demand = surroundings.demand
        let later = WeakVideo()
        feed = server.makeFragmentFeed { audience in later.video.withLock { $0.value }?.watched(audience) }
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
                state.sound.begin(initialization, at: clock.now)
                fragment = first
            case .fragment(let next): fragment = next
            }
            guard state.initialization != nil else { return }
            state.sound.look(at: packet)
            publish([fragment], &state, &deeds)
            publish(state.sound.cover(fragment, &state.muxer), &state, &deeds)
            state.pace.came(packet.captured)
            state.newest = clock.now
            state.isLost = false
            serve(&state, &deeds)
        }
        perform(deeds)
    }

    /// Takes frames of plain AAC, for the subscription of sound that is in force.
    func take(_ sound: WebSound.Frames, subscription: Demand.ID) {
        var deeds = Deeds()
        state.withLock { state in
            guard !state.isClosed, let initialization = state.initialization, subscription == state.sound.subscription
            else { return }
            for packet in sound.packets {
                let fragments = state.sound.take(packet, silence: sound.silence, initialization, &state.muxer)
                publish(fragments, &state, &deeds)
            }
        }
        perform(deeds)
    }

    /// The camera was lost; viewers stay.
    func lose() {
        state.withLock { state in
            state.window?.interrupt()
            state.sound.interrupt()
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
            state.players.leave()
            for subscription in [state.subscription, state.sound.subscription].compactMap(\.self) {
                deeds.demands.append((subscription, nil))
            }
            state.subscription = nil
            state.sound.stop()
        }
        feed.close()
        perform(deeds)
    }

    // MARK: From the server

    /// What it did for all viewers that it ever had, players of HLS among them.
    var counters: BroadcastFeed.Counters {
        var counters = feed.counters
        let now = clock.now
        state.withLock { state in
            counters.viewers += state.players.count(at: now)
            counters.viewersTotal += state.players.total
            counters.delivered += state.given.pictures
            counters.deliveredBytes += state.given.bytes
        }
        return counters
    }

    /// On the server's thread.
    var clients: [ViewerRate] {
        let now = clock.now
        let players = state.withLock { state in
            let fps = Int(state.pace.perSecond(now: now).rounded())
            return state.players.marks(at: now).map { ViewerRate(mark: $0, fps: fps) }
        }
        return feed.clients + players
    }

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
            let hears = hasSound && request.query("audio") != "none"
            if request.method == "HEAD" {
                return (.fragments(feed, headers: Self.type(state.sound.heard ?? state.initialization)), nil)
            }
            if state.initialization != nil, !hears || isSettled(state) {
                return (seat(mark, hears: hears, &state, &deeds), nil)
            }
            let wish = Waiter.Wish.stream(mark, hears: hears, isPage: request.query("page") != nil)
            return (.later, wait(Waiter(responder: responder, wish: wish), &state, &deeds))
        }
        perform(deeds)
        if let number { giveUp(number, responder) }
        return answer
    }

    /// What players of HLS ask for.
    ///
    /// - Parameter hasRoom: Whether there may be one more viewer.
    /// - Returns: nil when there is no such piece.
    func piece(
        _ piece: HLSWindow.Piece, _ request: HTTPRequest, _ responder: Responder, key: String, hasRoom: Bool
    ) -> HTTPAnswer? {
        var deeds = Deeds()
        let place = "\(request.peer) \(request.headers["User-Agent"] ?? "")"
        let isList = if case .playlist = piece { request.method != "HEAD" } else { false }
        let (answer, number) = state.withLock { state -> (HTTPAnswer?, Int?) in
            guard !state.isClosed else { return (.complete(.text(503, "this stream is over")), nil) }
            let now = clock.now
            var headers: HTTPHeaders = [:]
            switch state.players.came(
                cookies: request.headers.all("Cookie"), from: place, key: key, hasRoom: hasRoom, isList: isList, at: now
            )
            {
            case .known: break
            case .new(let mark): headers = Self.cookie(of: mark)
            case .full: return (WebStream.isFull, nil)
            }
            if state.window == nil {
                // A piece that a player still knows of is gone; only the list begins anew.
                guard case .playlist = piece else { return (nil, nil) }
                let first = max(state.nextSegment, Int(clock.wallTime.microseconds / 1_000_000))
                state.window = HLSWindow(first: first)
                state.windowStart = nil
                watchIdle()
            }
            state.askedAt = now
            settle(&state, &deeds)
            switch state.window?.answer(piece) ?? .none {
            case .none: return (nil, nil)
            case .later:
                return (.later, wait(Waiter(responder: responder, wish: .piece(piece, headers)), &state, &deeds))
            case let found: return (give(piece, found, headers, &state), nil)
            }
        }
        perform(deeds)
        if let number { giveUp(number, responder) }
        return answer
    }

    private func watched(_ audience: FragmentFeed.Audience) {
        var deeds = Deeds()
        state.withLock { state in
            state.audience = audience
            settle(&state, &deeds)
        }
        perform(deeds)
    }

    // MARK: Decisions, under the lock

    /// Whether it is known what a listener gets: sound, or none, since it did not come in time.
    private func isSettled(_ state: State) -> Bool {
        !hasSound || state.sound.heard != nil || state.sound.isOverdue(at: clock.now)
    }

    /// Gives somebody a place among the viewers.
    private func seat(
        _ mark: ViewerMark, hears: Bool, _ state: inout State, _ deeds: inout Deeds
    ) -> HTTPAnswer {
        let heard = hears ? state.sound.heard : nil
        state.expected += 1
        deeds.expects += 1
        if heard != nil {
            state.expectedToHear += 1
            deeds.expectsToHear += 1
        }
        settle(&state, &deeds)
        return .fragments(
            feed, headers: Self.type(heard ?? state.initialization), mark: mark, hears: heard != nil)
    }

    /// Hands fragments on to all who take them.
    private func publish(_ fragments: [Fragment], _ state: inout State, _ deeds: inout Deeds) {
        guard !fragments.isEmpty, let initialization = state.initialization else { return }
        deeds.published += fragments
        deeds.start = initialization
        deeds.heard = state.sound.heard
        guard state.window != nil, isSettled(state) else { return }
        let start = (state.sound.heard ?? initialization).bytes
        if state.windowStart !== start {
            state.windowStart = start
            state.window?.begin(start)
        }
        for fragment in fragments where !fragment.isSound || state.sound.heard != nil {
            state.window?.append(fragment)
        }
    }

    private func wait(_ waiter: Waiter, _ state: inout State, _ deeds: inout Deeds) -> Int {
        state.nextWaiter += 1
        state.waiting[state.nextWaiter] = waiter
        settle(&state, &deeds)
        return state.nextWaiter
    }

    /// The source has neither H.264 nor H.265.
    private func refuse(_ state: inout State, _ deeds: inout Deeds) {
        for waiter in state.waiting.values {
            var answer = Self.notVideo
            // What a page asks to find out is no error that a browser should write down.
            if case .stream(_, _, isPage: true) = waiter.wish { answer = .complete(HTTPResponse(204)) }
            deeds.answers.append((waiter.responder, answer))
        }
        state.waiting = [:]
        state.window = nil
        state.initialization = nil
        state.muxer = FragmentMuxer()
        state.sound.begin(nil, at: clock.now)
        deeds.hangsUp = state.audience.isWatched
        settle(&state, &deeds)
    }

    /// Answers those who wait for what is there now.
    private func serve(_ state: inout State, _ deeds: inout Deeds) {
        for (number, waiter) in state.waiting {
            switch waiter.wish {
            case .stream(let mark, let hears, _):
                guard !hears || isSettled(state) else { continue }
                deeds.answers.append((waiter.responder, seat(mark, hears: hears, &state, &deeds)))
            case .piece(let piece, let headers):
                switch state.window?.answer(piece) ?? .none {
                case .later: continue
                case .none: deeds.answers.append((waiter.responder, Self.gone))
                case let found: deeds.answers.append((waiter.responder, give(piece, found, headers, &state)))
                }
            }
            state.waiting[number] = nil
        }
    }

    /// The answer with a piece, counted.
    private func give(
        _ piece: HLSWindow.Piece, _ found: HLSWindow.Answer, _ headers: HTTPHeaders, _ state: inout State
    ) -> HTTPAnswer {
        if case .ready(let parts) = found {
            state.given.bytes += parts.reduce(0) { $0 + $1.count }
            // A picture's head and body each.
            if case .initialization = piece {} else { state.given.pictures += parts.count / 2 }
        }
        return Self.answer(piece, found, headers)
    }

    /// The demand that follows from the users. It stays a moment longer than they do, so that a page that is loaded
    /// again need not wait for the next keyframe.
    private func settle(_ state: inout State, _ deeds: inout Deeds) {
        guard !state.isClosed else { return }
        settleSound(&state, &deeds)
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

    /// As `settle`, of sound.
    private func settleSound(_ state: inout State, _ deeds: inout Deeds) {
        let now = clock.now
        if state.hasListeners {
            state.sound.idleSince = nil
            guard hasSound, state.sound.subscription == nil else { return }
            deeds.demands.append((state.sound.ask(at: now), Want(input: HTTPSink.audio.name)))
        } else if let subscription = state.sound.subscription {
            if let since = state.sound.idleSince, now - since >= Self.settling {
                state.sound.stop()
                deeds.demands.append((subscription, nil))
            } else if state.sound.idleSince == nil {
                state.sound.idleSince = now
                deeds.looksAgain = true
            }
        }
    }

    private func perform(_ deeds: Deeds) {
        if deeds.hangsUp { feed.hangUp() }
        if deeds.clears { feed.clear() }
        for (id, want) in deeds.demands { demand.set(id, want) }
        if let start = deeds.start {
            for fragment in deeds.published {
                feed.publish(
                    fragment.head, fragment.body, isKey: fragment.isKey, initialization: start.bytes,
                    heard: deeds.heard?.bytes, isSound: fragment.isSound)
            }
        }
        for (responder, answer) in deeds.answers { responder.answer(answer) }
        guard deeds.expects > 0 || deeds.looksAgain else { return }
        // Who has not sat down by then has gone away.
        clock.schedule(at: clock.now + Self.settling) { [weak self] in
            self?.expectLess(deeds.expects, deeds.expectsToHear)
        }
    }

    private func expectLess(_ count: Int, _ listeners: Int) {
        var deeds = Deeds()
        state.withLock { state in
            state.expected -= count
            state.expectedToHear -= listeners
            settle(&state, &deeds)
        }
        perform(deeds)
    }

    /// Has somebody wait no longer than the patience lasts, nor when he has gone.
    private func giveUp(_ number: Int, _ responder: Responder) {
        let timer = clock.schedule(at: clock.now + Self.patience) { [weak self] in self?.forget(number) }
        responder.whenGone { [weak self] in
            timer.cancel()
            self?.forget(number)
        }
    }

    private func forget(_ number: Int) {
        var deeds = Deeds()
        state.withLock { state in
            guard let waiter = state.waiting.removeValue(forKey: number) else { return }
            deeds.answers.append((waiter.responder, Self.nothing))
            settle(&state, &deeds)
        }
        perform(deeds)
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
