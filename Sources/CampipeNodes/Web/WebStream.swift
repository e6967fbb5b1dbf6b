import CampipeHTTP
import CampipeKit

/// What one `http` sink shows, between the turns of the sink and the thread of the server.
///
/// Any thread may call it. Decisions are made under its lock, and done after it; what is wished is told under it, so
/// that the last word is the newest.
final class WebStream: Sendable {
    /// What the sink gives its stream to work with.
    struct Surroundings: Sendable {
        var clock: any PipelineClock
        var demand: Demand
        /// Has the sink look at `stillOrders`.
        var waker: Waker
        /// Whether the sink has a `when`.
        var isGated = false
        /// Whether sound may come.
        var hasSound = false
        /// The pipeline's nodes as JSON, for `/state`.
        var nodes: @Sendable () -> String? = { nil }
    }

    private struct State {
        var variants: [ViewerRequest: WebVariant] = [:]
        /// The newest picture of all variants.
        var newest: ShownPicture?
        /// When the newest whole one was taken.
        var lastWhole: Instant?
        /// Of all pictures that came, for `/state`.
        var health = StreamHealth()
        /// Of variants that are forgotten.
        var past = BroadcastFeed.Counters()
        var nextWaiter = 0
        var numbers = SubscriptionNumbers()
        /// The sink's `when` is not true: no picture is to come, however the camera is.
        var isWaiting: Bool
        var isClosed = false

        /// Whether that is all there is to say of a variant that shows nothing.
        func isWaiting(_ health: StreamHealth) -> Bool { isWaiting && !health.isLost }
        func isLive(_ health: StreamHealth, at now: Instant) -> Bool {
            !isWaiting && health.condition(at: now) == .live
        }
    }

    /// What is done outside of the lock.
    private struct Deeds: Sendable {
        var answers: [(Responder, HTTPAnswer)] = []
        var wakes = false
    }

    let path: String
    let access: StreamAccess
    private let limits: StreamLimits
    private let server: HTTPServer
    private let surroundings: Surroundings
    private let state: Lock<State>
    /// What is not made of pictures.
    let video: LiveVideo

    private var clock: any PipelineClock { surroundings.clock }

    /// A picture as old may pass for fresh.
    private static let freshness = Duration.seconds(1)
    /// How long somebody waits for a fresh one; with the painting of a still it stays below a second.
    private static let patience = Duration.milliseconds(800)
    /// As long where the source is known to be video, which is decoded from its next keyframe on.
    private static let longPatience = Duration.seconds(5)

    init(
        path: String, access: StreamAccess, limits: StreamLimits, server: HTTPServer, _ surroundings: Surroundings
    ) {
        self.path = path
        self.access = access
        self.limits = limits
        self.server = server
        self.surroundings = surroundings
        state = Lock(State(isWaiting: surroundings.isGated))
        video = LiveVideo(limits: limits, server: server, surroundings)
        // The plain one is always there: it keeps the last picture.
        _ = variant(.plain)
    }

    /// The feed of a request, made when it is asked for the first time.
    ///
    /// - Parameter isExpected: Whether a viewer sits down next, so that it is not forgotten meanwhile.
    private func variant(_ request: ViewerRequest, isExpected: Bool = false) -> BroadcastFeed {
        let known = state.withLock { state -> BroadcastFeed? in
            if isExpected, state.variants[request]?.isWatched == false { state.variants[request]?.isExpected = true }
            return state.variants[request]?.feed
        }
        if let known { return known }
        // Only the server's thread makes them, so nobody else has made it meanwhile.
        let feed = server.makeFeed { [weak self] isWatched in self?.watched(request, isWatched) }
        state.withLock { state in
            let rate = request.want(within: limits).rounded.maxRate
            var variant = WebVariant(
                request, feed: feed, health: StreamHealth(rate: rate, last: state.newest?.taken))
            if let lostSince = state.health.lostSince { variant.health.lost(since: lostSince) }
            variant.isExpected = isExpected
            state.variants[request] = variant
        }
        return feed
    }

    // MARK: From the sink

    /// Shows a picture to the viewers, and to who waits for a snapshot, of the subscription that it was made for.
    ///
    /// A damaged one only where no whole one is younger than a second: a viewer hardly misses it, and does not see it
    /// flicker. One without a subscription was made for nobody, as all of what is not live is: it stands in where the plain
    /// request has nothing of its own.
    func show(_ picture: ShownPicture, subscription: Demand.ID) {
        var deeds = Deeds()
        let feed = state.withLock { state -> BroadcastFeed? in
            guard !state.isClosed else { return nil }
            state.isWaiting = false
            let request =
                subscription == 0
                ? .plain : state.variants.first { $0.value.subscription == subscription }?.key
            // A preview may be of another size.
            if request?.isPreview != true || state.newest == nil, picture.isWorthShowing(after: state.lastWhole) {
                state.newest = picture
            }
            if !picture.isDamaged { state.lastWhole = picture.taken }
            state.health.came(picture.taken)
            guard let request, var variant = state.variants[request] else { return nil }
            if subscription == 0, variant.isFed { return nil }
            variant.isFed = subscription != 0
            variant.health.came(picture.taken)
            guard picture.isWorthShowing(after: variant.lastWhole) else {
                state.variants[request] = variant
                return nil
            }
            if !picture.isDamaged { variant.lastWhole = picture.taken }
            variant.latest = picture
            let age = max(.zero, clock.now - picture.taken)
            // One from before somebody asked, with which a decoder begins, is not it: others follow at once.
            if age <= Self.freshness {
                for waiter in variant.waiting.values {
                    deeds.answers.append((waiter.responder, Self.snapshot(picture, age: age)))
                }
                variant.waiting = [:]
            }
            let isLive = !variant.health.isLost
            settle(variant, &state, &deeds)
            // Of what was taken before the camera was lost nothing goes out after it.
            return isLive ? variant.feed : nil
        }
        feed?.publish(picture.jpeg, time: picture.time)
        perform(deeds)
    }

    /// Says that the sink's `when` became true or false.
    func gate(isOpen: Bool) {
        let now = clock.now
        state.withLock { state in
            state.isWaiting = !isOpen
            guard isOpen else { return }
            // What did not come before was not to come.
            for request in state.variants.keys where state.variants[request]?.hasUsers == true {
                state.variants[request]?.health.opened(at: now)
            }
        }
        surroundings.waker.wake()
    }

    /// Says that the camera was lost: no picture taken up to then is shown any more.
    func lose(since: Instant) {
        video.lose()
        let feeds = state.withLock { state -> [BroadcastFeed] in
            state.health.lost(since: since)
            guard state.health.isLost else { return [] }
            return state.variants.keys.compactMap { request in
                state.variants[request]?.health.lost(since: since)
                return state.variants[request].flatMap { $0.health.isLost ? $0.feed : nil }
            }
        }
        for feed in feeds { feed.clear() }
        surroundings.waker.wake()
    }

    /// What is to be painted now for those who look, and when to ask again; nil while nobody looks.
    func stillOrders() -> (orders: [StillOrder], next: Instant?) {
        let now = clock.now
        return state.withLock { state in
            var orders: [StillOrder] = []
            var next: Instant?
            for variant in state.variants.values where variant.hasUsers {
                let isLive = state.isLive(variant.health, at: now)
                let look = isLive ? variant.health.nextLook(after: now) : now + .seconds(1)
                if let look { next = min(next ?? look, look) }
                let isDue = variant.waiting.values.contains { $0.isDue }
                guard !isLive && variant.isWatched || isDue else { continue }
                let last = variant.latest ?? state.newest
                if let last, !state.isWaiting, variant.health.condition(at: now) != .lost {
                    orders.append(StillOrder(request: variant.request, subject: .aged(last, now - last.taken)))
                } else {
                    let size = Self.size(last?.size, request: variant.request, limits)
                    let isWaiting = state.isWaiting(variant.health)
                    orders.append(
                        StillOrder(request: variant.request, subject: isWaiting ? .waiting(size) : .noSignal(size)))
                }
            }
            return (orders, next)
        }
    }

    /// Shows what was painted, unless a picture came meanwhile.
    func show(still jpeg: Bytes, for order: StillOrder) {
        let now = clock.now
        var deeds = Deeds()
        var headers: HTTPHeaders
        var time = clock.wallTime
        let answer: HTTPAnswer
        switch order.subject {
        case .aged(let picture, let age):
            headers = ["X-Age-Seconds": Self.seconds(age), "X-Campipe-State": "stale"]
            time = picture.time
            var still = picture
            still.jpeg = jpeg
            answer = Self.snapshot(still, age: age, state: "stale")
        case .noSignal: (headers, answer) = Self.absence(jpeg, "lost")
        case .waiting: (headers, answer) = Self.absence(jpeg, "waiting")
        }
        let feed = state.withLock { state -> BroadcastFeed? in
            guard !state.isClosed, var variant = state.variants[order.request] else { return nil }
            for (number, waiter) in variant.waiting where waiter.isDue {
                deeds.answers.append((waiter.responder, answer))
                variant.waiting[number] = nil
            }
            let isWanted = variant.isWatched && !state.isLive(variant.health, at: now)
            settle(variant, &state, &deeds)
            return isWanted ? variant.feed : nil
        }
        feed?.publish(jpeg, time: time, headers: headers)
        perform(deeds)
    }

    /// What stands for a picture that there is not. Programs see that there is none, and who shows the body sees it too.
    private static func absence(_ jpeg: Bytes, _ state: String) -> (HTTPHeaders, HTTPAnswer) {
        var response = HTTPResponse.jpeg(jpeg, headers: ["Retry-After": "1", "X-Campipe-State": state])
        response.status = 503
        return (["X-Campipe-State": state], .complete(response))
    }

    func close() {
        video.close()
        var deeds = Deeds()
        let feeds = state.withLock { state -> [BroadcastFeed] in
            state.isClosed = true
            for variant in state.variants.values {
                for waiter in variant.waiting.values {
                    deeds.answers.append((waiter.responder, .complete(.text(503, "this stream is over"))))
                }
                if let subscription = variant.subscription { surroundings.demand.set(subscription, nil) }
            }
            for variant in state.variants.values { state.past.retire(variant.feed.counters) }
            defer { state.variants = [:] }
            return state.variants.values.map(\.feed)
        }
        for feed in feeds { feed.close() }
        perform(deeds)
    }

    // MARK: From the server

    /// Answers what is asked below the path (`StreamCall`); nil is 404.
    func answer(_ request: HTTPRequest, _ responder: Responder) -> HTTPAnswer? {
        if let piece = HLSWindow.Piece(request.subpath, request.query) {
            return video.piece(piece, request, responder, key: Self.key(of: request), hasRoom: hasRoom)
        }
        guard let call = StreamCall(request), call.number == 0 else { return nil }
        switch call.kind {
        case .video:
            guard hasRoom || request.method == "HEAD" else { return Self.isFull }
            return video.stream(
                request, responder, mark: ViewerMark(key: Self.key(of: request), request: call.kind.rawValue))
        case .stream:
            return answer(request) { wish in
                // The head alone is the same for all, and makes no stream.
                guard request.method != "HEAD" else { return .stream(variant(.plain)) }
                guard hasRoom else { return Self.isFull }
                let mark = ViewerMark(key: Self.key(of: request), request: wish.description)
                return .stream(
                    variant(wish, isExpected: true), headers: Self.cookie(of: mark), mark: mark)
            }
        case .snapshot: return answer(request) { wish in snapshot(wish, responder) }
        case .state: return .complete(.json(stateJSON))
        case .page: return .complete(.page(WebPages.stream(path: path, hasSound: video.hasSound)))
        }
    }

    /// Its feed for a viewer of several streams.
    ///
    /// - Returns: nil while it has as many viewers as it takes.
    /// - Throws: When the query cannot be understood.
    func feed(_ request: HTTPRequest) throws(ViewerRequest.Refusal) -> NamedFeed? {
        var wish = try ViewerRequest(request.query, within: limits)
        wish.isPreview = true
        let mark = ViewerMark(key: Self.key(of: request), request: wish.description)
        return hasRoom ? NamedFeed(path, variant(wish, isExpected: true), mark: mark) : nil
    }

    /// By which a page finds its own viewer in `/state`: the key that it made up, if it can stand in a cookie.
    private static func key(of request: HTTPRequest) -> String {
        guard let key = request.query("key"), key.utf8.count <= 64,
            key.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0 | 32) || $0 == 45 || $0 == 95 })
        else { return "" }
        return key
    }

    /// ustreamer's, which KVM pages read; only who asks by a key is given one.
    private static func cookie(of mark: ViewerMark) -> HTTPHeaders {
        mark.key.isEmpty
            ? [:] : ["Set-Cookie": "stream_client=\(mark.key)/\(mark.id); Path=/; Max-Age=30; SameSite=Lax"]
    }

    private func answer(_ request: HTTPRequest, _ body: (ViewerRequest) -> HTTPAnswer) -> HTTPAnswer {
        do throws(ViewerRequest.Refusal) {
            return body(try ViewerRequest(request.query, within: limits))
        } catch {
            return .complete(.text(400, error.sentence))
        }
    }

    static let isFull = HTTPAnswer.complete(
        .text(503, "this stream has as many viewers as it takes", headers: ["Retry-After": "5"]))

    private var hasRoom: Bool { counters.viewers < limits.viewers }

    /// What it did for all viewers that it ever had.
    var counters: BroadcastFeed.Counters {
        state.withLock { state in
            var counters = state.past
            for variant in state.variants.values { counters.add(variant.feed.counters) }
            counters.add(video.counters)
            return counters
        }
    }

    /// The first viewer of a variant came, or its last one went. On the server's thread.
    private func watched(_ request: ViewerRequest, _ isWatched: Bool) {
        var deeds = Deeds()
        state.withLock { state in
            guard !state.isClosed, var variant = state.variants[request] else { return }
            variant.isWatched = isWatched
            variant.isExpected = false
            settle(variant, &state, &deeds)
        }
        perform(deeds)
    }

    /// A picture that may pass for fresh, at once or when one comes; else, in under a second, the last one with its age.
    private func snapshot(_ request: ViewerRequest, _ responder: Responder) -> HTTPAnswer {
        _ = variant(request)
        let now = clock.now
        var deeds = Deeds()
        let waitsForKeyframe = video.isThere
        let (answer, number) = state.withLock { state -> (HTTPAnswer, Int?) in
            guard !state.isClosed, var variant = state.variants[request] else {
                return (.complete(.text(503, "this stream is over")), nil)
            }
            if let latest = variant.latest, !variant.health.isLost, now - latest.taken <= Self.freshness {
                return (Self.snapshot(latest, age: max(.zero, now - latest.taken)), nil)
            }
            state.nextWaiter += 1
            variant.waiting[state.nextWaiter] = WebVariant.Waiter(responder: responder)
            settle(variant, &state, &deeds)
            return (.later, state.nextWaiter)
        }
        if let number {
            let timer = clock.schedule(at: now + Self.patience) { [weak self] in
                self?.giveUp(request, number, waitsForKeyframe: waitsForKeyframe)
            }
            responder.whenGone { [weak self] in
                timer.cancel()
                self?.leave(request, number)
            }
        }
        perform(deeds)
        return answer
    }

    /// Somebody who waited for a snapshot has gone.
    private func leave(_ request: ViewerRequest, _ number: Int) {
        var deeds = Deeds()
        state.withLock { state in
            guard var variant = state.variants[request], variant.waiting.removeValue(forKey: number) != nil else {
                return
            }
            settle(variant, &state, &deeds)
        }
        perform(deeds)
    }

    /// A timer's: somebody waited long enough. What passes for live goes at once, anything else is painted first.
    ///
    /// - Parameter waitsForKeyframe: Whether a decoder may have nothing yet to begin with; where nothing at all is there
    ///   to be shown, that is waited for.
    private func giveUp(_ request: ViewerRequest, _ number: Int, waitsForKeyframe: Bool) {
        let now = clock.now
        var deeds = Deeds()
        var waitsOn = false
        state.withLock { state in
            guard var variant = state.variants[request], let waiter = variant.waiting[number] else { return }
            if waitsForKeyframe, variant.latest ?? state.newest == nil, !variant.health.isLost {
                waitsOn = true
                return
            }
            if let latest = variant.latest, !variant.health.isLost, now - latest.taken < variant.health.patience {
                variant.waiting[number] = nil
                deeds.answers.append((waiter.responder, Self.snapshot(latest, age: now - latest.taken)))
                settle(variant, &state, &deeds)
            } else {
                state.variants[request]?.waiting[number]?.isDue = true
                deeds.wakes = true
            }
        }
        perform(deeds)
        guard waitsOn else { return }
        clock.schedule(at: now + Self.longPatience - Self.patience) { [weak self] in
            self?.giveUp(request, number, waitsForKeyframe: false)
        }
    }

    /// Puts a variant back, with the demand that follows from its users. Under the lock.
    private func settle(_ variant: WebVariant, _ state: inout State, _ deeds: inout Deeds) {
        var variant = variant
        if variant.hasUsers, variant.subscription == nil {
            let number = state.numbers.begin(variant.request, at: clock.now)
            variant.subscription = number
            variant.health.opened(at: clock.now)
            surroundings.demand.set(number, variant.request.want(within: limits))
            deeds.wakes = true
        } else if !variant.hasUsers, let subscription = variant.subscription {
            variant.subscription = nil
            variant.isFed = false
            state.numbers.end(subscription, of: variant.request, at: clock.now)
            surroundings.demand.set(subscription, nil)
        }
        // What nobody uses is forgotten, but for the plain one.
        if variant.hasUsers || variant.request == .plain {
            state.variants[variant.request] = variant
        } else if state.variants.removeValue(forKey: variant.request) != nil {
            state.past.retire(variant.feed.counters)
        }
    }

    private func perform(_ deeds: Deeds) {
        for (responder, answer) in deeds.answers { responder.answer(answer) }
        if deeds.wakes { surroundings.waker.wake() }
    }

    /// As ustreamer's `/state`. On the server's thread.
    ///
    /// `clients_stat` has an entry for each viewer, by its id: its `fps` is what KVM pages show, which know the id by
    /// the cookie `stream_client`. What of ustreamer's wishes is not known here is false; a size that is not known yet is
    /// null. Campipe's own are `state` (`live`; `lost`; `waiting` while the sink's `when` is not true; `idle`: nobody looks,
    /// so that nothing is made; `off`) and `nodes`: how each node of the pipeline is. `online` is what follows: false of
    /// `lost` and `off`.
    private var stateJSON: String {
        let now = clock.now
        let (shown, health, variants, isWaiting) = state.withLock { state in
            (state.newest?.size, state.health, Array(state.variants.values), state.isWaiting(state.health))
        }
        let users = variants.filter(\.hasUsers)
        let video = video.condition
        let condition: String
        if isWaiting {
            condition = "waiting"
        } else if let video {
            condition = video.isLive ? "live" : "lost"
        } else if health.isLost {
            condition = "lost"
        } else if users.isEmpty {
            // Of what is not live pictures come also while nobody looks.
            condition = health.hasSeenAny && health.condition(at: now) == .live ? "live" : "idle"
        } else {
            condition = users.contains { $0.health.condition(at: now) == .live } ? "live" : "lost"
        }
        let viewers = variants.reduce(self.video.counters.viewers) { $0 + $1.feed.counters.viewers }
        let clients = (variants.flatMap(\.feed.clients) + self.video.clients).map { client in
            "\"\(client.mark.id)\":{\"fps\":\(client.fps),\"extra_headers\":false,\"advance_headers\":false,"
                + "\"dual_final_frames\":false,\"zero_data\":false,\"key\":\"\(client.mark.key)\","
                + "\"request\":\"\(client.mark.request)\"}"
        }
        let fps = Int((video?.rate ?? health.rate(at: now)).rounded())
        let queued =
            variants.filter { $0.feed.counters.viewers > 0 }.map { Int($0.health.rate(at: now).rounded()) }.max() ?? 0
        return Self.stateJSON(
            quality: limits.quality, size: shown ?? self.video.size, isOnline: condition != "lost", state: condition,
            fps: fps, queued: queued, viewers: viewers, clients: clients.sorted(), nodes: surroundings.nodes())
    }
}
