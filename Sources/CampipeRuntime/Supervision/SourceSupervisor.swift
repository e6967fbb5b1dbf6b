package import CampipeKit

/// Decides when a source is opened, closed and tried again (design 4.5).
///
/// A value: what happens comes in with its time, what is to be done comes out, and `nextTick` says when to ask again
/// though nothing happened. Each `open` is of a new instance; `close` finishes the one before, and comes first.
package struct SourceSupervisor: Sendable {
    /// How one source is supervised.
    package struct Settings: Hashable, Sendable {
        package var isLive: Bool
        /// Whether it is opened again when its connection ends or fails.
        package var reconnects: Bool
        /// Whether it is closed while nobody wants it.
        package var onDemand: Bool
        /// After how long without an item it is stalled; nil is the larger of 5 s and 3 intervals.
        package var stallAfter: Duration?
        /// Between items, as far as the stream says.
        package var expectedInterval: Duration?

        package init(
            isLive: Bool = true, reconnects: Bool = true, onDemand: Bool = false, stallAfter: Duration? = nil,
            expectedInterval: Duration? = nil
        ) {
            self.isLive = isLive
            self.reconnects = reconnects
            self.onDemand = onDemand
            self.stallAfter = stallAfter
            self.expectedInterval = expectedInterval
        }
    }

    /// What the runner is to do now.
    package enum Action: Hashable, Sendable {
        /// Make an instance and open it.
        case open
        /// Finish the instance, if its `open` returned, and forget it.
        case close
        /// Tell all outputs that the camera is lost since then, and why.
        case lost(since: Instant, reason: String)
        /// There will be nothing more; with the reason when it failed.
        case end(reason: String?)
        /// The status changed.
        case report(SourceStatus)
    }

    /// After how long of good items the next failure counts as the first.
    package static let goodAfter = Duration.seconds(30)
    /// How long a source on demand stays open when nobody wants it any more.
    package static let linger = Duration.seconds(10)
    /// The least time for the first item, since connecting and the first keyframe take theirs.
    package static let firstItemAfter = Duration.seconds(10)
    /// The waits from the third refusal of the password in a row on: cameras lock accounts.
    package static let refusalWaits: [Duration] = [.seconds(300), .seconds(900), .seconds(3600)]
    /// What counts as a stall of a source with short intervals.
    private static let leastStall = Duration.seconds(5)
    /// What another side may ask us to wait at most.
    package static let longestRetryAfter = Duration.seconds(3600)

    package private(set) var status = SourceStatus(.idle)
    package var settings: Settings
    private var backoff: Backoff
    private var isOpen = false
    private var isWanted: Bool
    private var unwantedSince: Instant?
    private var isLost = false
    /// Whether an item came, of any of its connections.
    private var hasGiven = false
    /// The cause of the last loss.
    private var lossReason: String?
    private var refusals = 0
    /// Since when items come without a fault.
    private var goodSince: Instant?
    private var lastItem: Instant?
    /// Until when it said that nothing is due.
    private var restsUntil: Instant?
    private var openedAt: Instant?
    /// When the process went on that had stood still.
    private var resumedAt: Instant?
    /// Why what came since the last item was no item.
    private var refused: Set<String> = []
    /// The usual time between items, in nanoseconds, as all that is told for each item: `Duration` counts in 128 bits.
    private var interval: Int64?

    /// - Parameters:
    ///   - settings: How it is supervised.
    ///   - isWanted: Whether anybody wants it now; looked at only with `onDemand`.
    ///   - seed: Of the jitter.
    package init(_ settings: Settings, isWanted: Bool = true, seed: UInt64) {
        self.settings = settings
        self.isWanted = isWanted || !settings.onDemand
        backoff = Backoff(seed: seed)
    }

    // MARK: What happens

    /// The pipeline starts.
    package mutating func start(at now: Instant) -> [Action] {
        isWanted ? open(at: now) : [report(SourceStatus(.idle))]
    }

    /// `open` of the instance returned.
    package mutating func opened(at now: Instant) -> [Action] {
        guard isOpen else { return [] }
        openedAt = now
        return []
    }

    /// It emitted an item.
    package mutating func item(at now: Instant) -> [Action] {
        guard isOpen else { return [] }
        if let last = lastItem, goodSince != nil {
            let step = now.nanoseconds &- last.nanoseconds
            interval = interval.map { $0 + (step - $0) / 8 } ?? step
        }
        lastItem = now
        hasGiven = true
        isLost = false
        refusals = 0
        restsUntil = nil
        if !refused.isEmpty { refused = [] }
        return good(at: now)
    }

    /// The process stood still until then: what did not come meanwhile is nobody's fault.
    package mutating func resumed(at instant: Instant) { resumedAt = instant }

    /// It refused what came.
    package mutating func refused(_ reason: DropReason) { refused.insert(reason.name) }

    /// It said that the other side is well, and that nothing is due before `instant`: a sign of life without an item.
    package mutating func rests(until instant: Instant, at now: Instant) -> [Action] {
        guard isOpen else { return [] }
        restsUntil = instant
        // Before the first item it does not run yet.
        return goodSince == nil ? [] : good(at: now)
    }

    private mutating func good(at now: Instant) -> [Action] {
        let since = goodSince ?? now
        goodSince = since
        if backoff.count > 0, now - since >= Self.goodAfter { backoff.reset() }
        let reason = backoff.count > 0 ? status.reason : nil
        return change(to: SourceStatus(.running, reason: reason, retries: backoff.count))
    }

    /// `open` or a turn threw.
    package mutating func failed(
        _ kind: CampipeError.Kind, reason: String, retryAfter: Duration? = nil, at now: Instant
    ) -> [Action] {
        guard isOpen else { return [] }
        guard settings.isLive, settings.reconnects else {
            return kind == .ended ? end(.stopped, reason: nil) : end(.failed, reason: reason)
        }
        // Trying soon is no use, and of a password it does harm.
        var wait = backoff.next(atCap: [.notFound, .unsupported, .configuration, .unauthorized].contains(kind))
        if kind == .unauthorized {
            refusals += 1
            if refusals >= 3 { wait = Self.refusalWaits[min(refusals - 3, Self.refusalWaits.count - 1)] }
        }
        if let retryAfter { wait = max(wait, min(retryAfter, Self.longestRetryAfter)) }
        return lose(.waiting, reason: reason, wait: wait, at: now)
    }

    /// It said that there will be nothing more: that is its end, live or not. A connection that was lost is a failure.
    package mutating func ended(at now: Instant) -> [Action] {
        guard isOpen else { return [] }
        return end(.stopped, reason: nil)
    }

    /// Somebody wants it, or nobody does any more; changes nothing but of a source on demand.
    package mutating func demand(_ isWanted: Bool, at now: Instant) -> [Action] {
        guard settings.onDemand, isWanted != self.isWanted else { return [] }
        self.isWanted = isWanted
        unwantedSince = isWanted ? nil : now
        guard isWanted, status.state == .idle else { return [] }
        return open(at: now)
    }

    /// What stood in the way may be mended (the file or a secret changed): a try that waits is made at once.
    package mutating func retryNow(at now: Instant) -> [Action] {
        guard status.retryAt != nil else { return [] }
        refusals = 0
        return open(at: now)
    }

    /// The pipeline stops, or the user switches it off.
    package mutating func stop(_ state: SourceStatus.State = .stopped) -> [Action] {
        if state == .stopped, status.state == .failed { return [] }
        let closing: [Action] = isOpen ? [.close] : []
        isOpen = false
        return closing + change(to: SourceStatus(state, reason: status.reason))
    }

    /// Time went by; at `nextTick`, or whenever.
    package mutating func tick(at now: Instant) -> [Action] {
        if let since = unwantedSince, now >= since + Self.linger, isOpen || status.retryAt != nil {
            let closing: [Action] = isOpen ? [.close] : []
            isOpen = false
            unwantedSince = nil
            return closing + change(to: SourceStatus(.idle))
        }
        if let retryAt = status.retryAt, now >= retryAt { return open(at: now) }
        if let stall = stallAt, now >= stall {
            let since = max(restsUntil ?? lastSign ?? now, resumedAt ?? .distantPast)
            let seconds = ((now - since).seconds * 10).rounded() / 10
            let what = refused.isEmpty ? "" : ", what came was refused (\(refused.sorted().joined(separator: ", ")))"
            let reason = "no picture came for \(seconds) s\(what)"
            guard settings.reconnects else { return end(.failed, reason: reason) }
            return lose(.stalled, reason: reason, wait: backoff.next(), at: now)
        }
        return []
    }

    /// When to call `tick` if nothing happens before; nil is never.
    package var nextTick: Instant? {
        let retryAt = status.retryAt
        var next = retryAt ?? .distantFuture
        if let stallAt { next = min(next, stallAt) }
        if let unwantedSince, isOpen || retryAt != nil { next = min(next, unwantedSince + Self.linger) }
        return next == .distantFuture ? nil : next
    }

    /// Why a live source that was wanted never gave anything, in all the time until now.
    ///
    /// - Returns: nil where something came, and where nobody wants it.
    package func missing(at now: Instant) -> String? {
        guard settings.isLive, !hasGiven, status.state != .idle else { return nil }
        if let lossReason { return lossReason }
        return openedAt.map { "no picture came in \((((now - $0).seconds) * 10).rounded() / 10) s" }
    }

    // MARK: What follows

    private var lastSign: Instant? { goodSince == nil ? openedAt : lastItem }

    /// When the last item came, of any of its connections.
    package var newest: Instant? { lastItem }

    /// In nanoseconds, between items as seen, as the stream says, and as long as it says that none is due; 0 where nothing
    /// is known.
    package var usualInterval: Int64 {
        var resting: Int64 = 0
        if let restsUntil, let lastItem { resting = (restsUntil - lastItem).nanoseconds }
        return max(settings.expectedInterval?.nanoseconds ?? 0, interval ?? 0, resting)
    }

    /// After how long without an item it is stalled.
    package var stallAfter: Duration {
        if let said = settings.stallAfter { return said }
        let usual = max(settings.expectedInterval?.nanoseconds ?? 0, interval ?? 0)
        return usual <= Self.leastStall.nanoseconds / 3 ? Self.leastStall : .nanoseconds(usual) * 3
    }

    private var stallAt: Instant? {
        guard isOpen, settings.isLive, var lastSign else { return nil }
        if let resumedAt { lastSign = max(lastSign, resumedAt) }
        if let restsUntil { return max(lastSign, restsUntil) + (settings.stallAfter ?? .seconds(5)) }
        return lastSign + (goodSince == nil ? max(stallAfter, Self.firstItemAfter) : stallAfter)
    }

    private mutating func open(at now: Instant) -> [Action] {
        isOpen = true
        refused = []
        openedAt = nil
        goodSince = nil
        restsUntil = nil
        return [.open] + change(to: SourceStatus(.connecting, reason: status.reason, retries: backoff.count))
    }

    /// The connection is gone and is to be made again.
    private mutating func lose(
        _ state: SourceStatus.State, reason: String, wait: Duration, at now: Instant
    ) -> [Action] {
        isOpen = false
        lossReason = reason
        var actions: [Action] = [.close]
        if !isLost { actions.append(.lost(since: lastItem ?? now, reason: reason)) }
        isLost = true
        goodSince = nil
        return actions
            + change(to: SourceStatus(state, reason: reason, retries: backoff.count, retryAt: now + wait))
    }

    private mutating func end(_ state: SourceStatus.State, reason: String?) -> [Action] {
        isOpen = false
        return [.close, .end(reason: reason)] + change(to: SourceStatus(state, reason: reason, retries: backoff.count))
    }

    private mutating func change(to new: SourceStatus) -> [Action] {
        guard new != status else { return [] }
        return [report(new)]
    }

    private mutating func report(_ new: SourceStatus) -> Action {
        status = new
        return .report(new)
    }
}
