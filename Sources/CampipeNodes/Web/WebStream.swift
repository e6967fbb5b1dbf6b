import CampipeHTTP
import CampipeKit

/// What one `http` sink shows, between the turns of the sink and the thread of the server.
///
/// Any thread may call it. Decisions are made under its lock, and done after it.
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
        /// The source that feeds the sink.
        var source = ""
        /// How the source gives pictures, whoever looks.
        var news: @Sendable () -> SourceNews? = { nil }
        /// The pipeline's nodes as JSON, for `/state`.
        var nodes: @Sendable () -> String? = { nil }
    }

    let path: String
    let access: StreamAccess
    let limits: StreamLimits
    let server: HTTPServer
    let surroundings: Surroundings
    let state: Lock<WebStreamState>
    /// What is not made of pictures.
    let video: LiveVideo

    var clock: any PipelineClock { surroundings.clock }
    /// Set under the lock, so that the last word is the newest.
    var demand: Demand { surroundings.demand }

    init(
        path: String, access: StreamAccess, limits: StreamLimits, server: HTTPServer, _ surroundings: Surroundings
    ) {
        self.path = path
        self.access = access
        self.limits = limits
        self.server = server
        self.surroundings = surroundings
        state = Lock(WebStreamState(limits: limits, isWaiting: surroundings.isGated))
        video = LiveVideo(limits: limits, server: server, surroundings)
        // The plain one is always there: it keeps the last picture.
        _ = variant(.plain)
    }

    /// The feed of a request, made when it is asked for the first time.
    ///
    /// - Parameter isExpected: Whether a viewer sits down next, so that it is not forgotten meanwhile.
    func variant(_ request: ViewerRequest, isExpected: Bool = false) -> BroadcastFeed {
        let now = clock.now
        let until = isExpected ? now + Self.seating : nil
        let known = state.withLock { $0.variants[request]?.feed }
        // Only the server's thread makes them, so nobody else makes it meanwhile.
        let feed = known ?? server.makeFeed { [weak self] isWatched in self?.watched(request, isWatched) }
        let needsTimer = state.withLock { state -> Bool in
            let rate = request.want(within: limits).rounded.maxRate
            var variant =
                state.variants[request]
                ?? WebVariant(request, feed: feed, health: StreamHealth(rate: rate, last: state.newest?.taken))
            if known == nil, let lostSince = state.health.lostSince { variant.health.lost(since: lostSince) }
            var needsTimer = false
            if let until, !variant.isWatched {
                variant.expectedUntil = until
                needsTimer = !variant.hasSeatingTimer
                variant.hasSeatingTimer = true
            }
            state.variants[request] = variant
            return needsTimer
        }
        if needsTimer, let until { lookForSeated(request, at: until) }
        return feed
    }

    /// How long a viewer that was told to come may take to sit down.
    private static let seating = Duration.seconds(10)

    /// Who has not sat down by then does not come.
    private func lookForSeated(_ request: ViewerRequest, at instant: Instant) {
        clock.schedule(at: instant) { [weak self] in
            guard let self else { return }
            let now = clock.now
            let again = state.withLock { state -> Instant? in
                guard var variant = state.variants[request] else { return nil }
                if let until = variant.expectedUntil, now < until { return until }
                variant.expectedUntil = nil
                variant.hasSeatingTimer = false
                var deeds = StreamDeeds()
                state.settle(variant, at: now, demand, &deeds)
                return nil
            }
            if let again { lookForSeated(request, at: again) }
        }
    }

    /// Asks how the source gives pictures: what was made for nobody is not seen here.
    func hear() {
        guard let news = surroundings.news() else { return }
        let now = clock.now
        state.withLock { $0.heard(news, at: now) }
    }

    // MARK: From the sink

    /// Shows a picture to the viewers, and to who waits for a snapshot, of the subscription that it was made for.
    ///
    /// A damaged one only where no whole one is younger than a second: a viewer hardly misses it, and does not see it
    /// flicker. One without a subscription was made for nobody, as all of what is not live is: it stands in where the plain
    /// request has nothing of its own.
    func show(_ picture: ShownPicture, subscription: Demand.ID) {
        let now = clock.now
        var deeds = StreamDeeds()
        let shown = state.withLock { state -> (feed: BroadcastFeed, headers: HTTPHeaders)? in
            guard !state.isClosed else { return nil }
            state.isWaiting = false
            let request =
                subscription == 0
                ? .plain : state.variants.first { $0.value.subscription == subscription }?.key
            state.came(picture, request)
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
            let age = max(.zero, now - picture.taken)
            // What came last before somebody began to look may be too old to pass for live.
            let isLive = !variant.health.isLost && age < variant.health.patience
            let headers = Self.headers(of: picture, for: request)
            // One from before somebody asked, with which a decoder begins, is not it: others follow at once.
            if isLive, age <= variant.health.freshness {
                for waiter in variant.waiting.values {
                    deeds.answers.append((waiter.responder, Self.snapshot(picture, age: age, headers)))
                }
                variant.waiting = [:]
            }
            if !isLive { deeds.wakes = true }
            state.settle(variant, at: now, demand, &deeds)
            // Of what was taken before the camera was lost nothing goes out after it.
            return isLive ? (variant.feed, headers) : nil
        }
        shown?.feed.publish(picture.jpeg, time: picture.time, headers: shown?.headers ?? [:])
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
        hear()
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
        var deeds = StreamDeeds()
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
            state.settle(variant, at: now, demand, &deeds)
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
        var deeds = StreamDeeds()
        let feeds = state.withLock { state -> [BroadcastFeed] in
            state.isClosed = true
            for variant in state.variants.values {
                for waiter in variant.waiting.values {
                    deeds.answers.append((waiter.responder, .complete(.text(503, "this stream is over"))))
                }
                if let subscription = variant.subscription { demand.set(subscription, nil) }
            }
            for variant in state.variants.values { state.past.retire(variant.feed.counters) }
            defer { state.variants = [:] }
            return state.variants.values.map(\.feed)
        }
        for feed in feeds { feed.close() }
        perform(deeds)
    }

    /// What it did for all viewers that it ever had.
    var counters: BroadcastFeed.Counters {
        state.withLock { state in
            var counters = state.past
            for variant in state.variants.values { counters.add(variant.feed.counters) }
            counters.add(video.counters)
            return counters
        }
    }

    func perform(_ deeds: StreamDeeds) {
        for (responder, answer) in deeds.answers { responder.answer(answer) }
        if deeds.wakes { surroundings.waker.wake() }
    }
}
