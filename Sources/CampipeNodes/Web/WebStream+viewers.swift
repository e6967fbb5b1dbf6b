import CampipeHTTP
import CampipeKit

/// What the server asks of a stream, on its thread.
extension WebStream {
    /// A picture as old may pass for fresh.
    private static let freshness = Duration.seconds(1)
    /// How long somebody waits for a fresh one; with the painting of a still it stays below a second.
    private static let patience = Duration.milliseconds(800)
    /// As long where the source is known to be video, which is decoded from its next keyframe on.
    private static let longPatience = Duration.seconds(5)

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
        // The head alone is the same for all, and makes no stream.
        guard request.method != "HEAD" else {
            return NamedFeed(path, variant(.plain), mark: ViewerMark(key: "", request: ""))
        }
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

    var hasRoom: Bool { counters.viewers < limits.viewers }

    // MARK: Who looks

    /// The first viewer of a variant came, or its last one went. On the server's thread.
    func watched(_ request: ViewerRequest, _ isWatched: Bool) {
        hear()
        let now = clock.now
        var deeds = StreamDeeds()
        state.withLock { state in
            guard !state.isClosed, var variant = state.variants[request] else { return }
            variant.isWatched = isWatched
            variant.expectedUntil = nil
            state.settle(variant, at: now, demand, &deeds)
        }
        perform(deeds)
    }

    /// A picture that may pass for fresh, at once or when one comes; else, in under a second, the last one with its age.
    private func snapshot(_ request: ViewerRequest, _ responder: Responder) -> HTTPAnswer {
        _ = variant(request)
        hear()
        let now = clock.now
        var deeds = StreamDeeds()
        let waitsForKeyframe = video.isThere
        let (answer, number) = state.withLock { state -> (HTTPAnswer, Int?) in
            guard !state.isClosed, var variant = state.variants[request] else {
                return (.complete(.text(503, "this stream is over")), nil)
            }
            if let latest = variant.latest, !variant.health.isLost, now - latest.taken <= Self.freshness {
                return (
                    Self.snapshot(
                        latest, age: max(.zero, now - latest.taken), Self.headers(of: latest, for: request)), nil
                )
            }
            state.nextWaiter += 1
            variant.waiting[state.nextWaiter] = WebVariant.Waiter(responder: responder)
            state.settle(variant, at: now, demand, &deeds)
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
        let now = clock.now
        var deeds = StreamDeeds()
        state.withLock { state in
            guard var variant = state.variants[request], variant.waiting.removeValue(forKey: number) != nil else {
                return
            }
            state.settle(variant, at: now, demand, &deeds)
        }
        perform(deeds)
    }

    /// A timer's: somebody waited long enough. What passes for live goes at once, anything else is painted first.
    ///
    /// - Parameter waitsForKeyframe: Whether a decoder may have nothing yet to begin with; where nothing at all is there
    ///   to be shown, that is waited for.
    private func giveUp(_ request: ViewerRequest, _ number: Int, waitsForKeyframe: Bool) {
        let now = clock.now
        var deeds = StreamDeeds()
        var waitsOn = false
        state.withLock { state in
            guard var variant = state.variants[request], let waiter = variant.waiting[number] else { return }
            if waitsForKeyframe, variant.latest ?? state.newest == nil, !variant.health.isLost {
                waitsOn = true
                return
            }
            if let latest = variant.latest, !variant.health.isLost, now - latest.taken < variant.health.patience {
                variant.waiting[number] = nil
                deeds.answers.append(
                    (
                        waiter.responder,
                        Self.snapshot(latest, age: now - latest.taken, Self.headers(of: latest, for: request))
                    ))
                state.settle(variant, at: now, demand, &deeds)
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
}
