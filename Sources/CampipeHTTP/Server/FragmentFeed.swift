package import CampipeKit

/// One stream of video, as fragmented MP4, to any number of viewers.
///
/// All viewers share the same reference-counted fragments (`FragmentRing`). Each begins at a keyframe and gets all that
/// follows as fast as it takes it; one that falls behind goes on at a later keyframe. Viewers never slow one another, nor
/// who publishes.
///
/// What is not marked otherwise may be called from any thread.
package final class FragmentFeed: @unchecked Sendable {
    // Unchecked: what stands under "On the server's thread" is touched only there; the rest is constant or in `inbox`.

    /// Who looks, and who of them listens.
    package struct Audience: Hashable, Sendable {
        package var isWatched = false
        package var isHeard = false

        package init(isWatched: Bool = false, isHeard: Bool = false) {
            self.isWatched = isWatched
            self.isHeard = isHeard
        }
    }

    private struct Inbox {
        var ring = FragmentRing()
        /// Of the bytes that fragments were last published with.
        var start: (bytes: Bytes, message: Outgoing)?
        var heardStart: (bytes: Bytes, message: Outgoing)?
        var isRung = false
        var isWatched = false
        var isClosed = false
        var counters = BroadcastFeed.Counters()
    }

    private let loop: EventLoop
    private let clock: any PipelineClock
    private let onDemandChange: @Sendable (Audience) -> Void
    private let inbox = Lock(Inbox())

    init(loop: EventLoop, clock: any PipelineClock, onDemandChange: @escaping @Sendable (Audience) -> Void) {
        self.loop = loop
        self.clock = clock
        self.onDemandChange = onDemandChange
    }

    /// Gives a fragment to all viewers, each as soon as it has room for it. What is held for them is held until `clear`.
    ///
    /// - Parameters:
    ///   - head: `moof` and the head of `mdat`.
    ///   - body: What is in `mdat`.
    ///   - isKey: Whether a player may begin here.
    ///   - initialization: What a player needs before it, the same object for all that it is true of: a viewer is sent
    ///     it before its first fragment, and when it is another one.
    ///   - heard: The same for viewers that want sound; nil where there is none.
    ///   - isSound: Whether it is a piece of sound, for those viewers only.
    package func publish(
        _ head: Bytes, _ body: Bytes, isKey: Bool, initialization: Bytes, heard: Bytes? = nil, isSound: Bool = false
    ) {
        let now = clock.now
        let mustRing = inbox.withLock { inbox -> Bool in
            if !isSound { inbox.counters.published += 1 }
            let start = Self.message(initialization, &inbox.start)
            if heard == nil { inbox.heardStart = nil }
            inbox.ring.append(
                FragmentRing.Entry(
                    message: Outgoing(head, body), start: start, isKey: isKey, at: now,
                    heardStart: heard.map { Self.message($0, &inbox.heardStart) }, isSound: isSound))
            guard inbox.isWatched, !inbox.isRung else { return false }
            inbox.isRung = true
            return true
        }
        if mustRing { loop.execute { self.distribute() } }
    }

    /// The one message of these bytes.
    private static func message(_ bytes: Bytes, _ known: inout (bytes: Bytes, message: Outgoing)?) -> Outgoing {
        if let known, known.bytes === bytes { return known.message }
        let message = Outgoing(bytes)
        known = (bytes, message)
        return message
    }

    /// Lets go of what is held; viewers go on at the next keyframe.
    package func clear() { inbox.withLock { $0.ring.clear() } }

    /// Closes all viewers; they may come again.
    package func hangUp() {
        loop.execute { while let viewer = self.viewers.last { viewer.hangUp() } }
    }

    /// Closes all viewers; whoever comes later is told that the stream is over (503).
    package func close() {
        inbox.withLock { $0.isClosed = true }
        hangUp()
    }

    package var counters: BroadcastFeed.Counters { inbox.withLock { $0.counters } }

    // MARK: On the server's thread

    private var roster = Roster<FragmentViewer>()
    private var viewers: [FragmentViewer] { roster.members }
    private var audience = Audience()

    /// How its viewers are served that can be found. A handler may ask, since it is called on the server's thread.
    package var clients: [ViewerRate] { viewers.compactMap(\.rate) }

    /// Whether no new viewer is taken.
    var isClosed: Bool { inbox.withLock { $0.isClosed } }

    func add(_ viewer: FragmentViewer) {
        roster.add(viewer)
        inbox.withLock { inbox in
            inbox.isWatched = true
            inbox.counters.viewers = viewers.count
            inbox.counters.viewersTotal += 1
        }
        tellAudience()
    }

    func remove(_ viewer: FragmentViewer) {
        guard roster.remove(viewer) else { return }
        inbox.withLock { inbox in
            inbox.counters.viewers = viewers.count
            inbox.isWatched = !viewers.isEmpty
        }
        tellAudience()
    }

    private func tellAudience() {
        let now = Audience(isWatched: !viewers.isEmpty, isHeard: viewers.contains(where: \.hears))
        guard now != audience else { return }
        audience = now
        onDemandChange(now)
    }

    /// Counts the pictures that a viewer has missed, since they are held no more. At once, since a viewer that takes
    /// nothing may never take another.
    ///
    /// - Parameter counted: How many of them are counted already.
    /// - Returns: How many are counted now.
    func countMissed(before place: FragmentRing.Place?, counted: Int) -> Int {
        inbox.withLock { inbox in
            let missed = max(counted, inbox.ring.missed(before: place))
            inbox.counters.skipped += missed - counted
            return missed
        }
    }

    /// The next fragment for a viewer (`FragmentRing.next`).
    ///
    /// - Parameter counted: How many of those that are left out before it are counted already.
    func next(_ place: inout FragmentRing.Place?, hears: Bool, counted: Int) -> FragmentRing.Entry? {
        let now = clock.now
        var moved = place
        let found = inbox.withLock { inbox -> FragmentRing.Entry? in
            guard let (entry, skipped) = inbox.ring.next(&moved, now: now, hears: hears) else { return nil }
            inbox.counters.skipped += max(0, skipped - counted)
            guard hears, entry.heardStart == nil, entry.start === inbox.start?.message else { return entry }
            // Sound came after this picture: who begins here is told of it at once.
            var found = entry
            found.heardStart = inbox.heardStart?.message
            return found
        }
        place = moved
        return found
    }

    func wasSent(_ bytes: Int, isPicture: Bool) {
        inbox.withLock { inbox in
            if isPicture { inbox.counters.delivered += 1 }
            inbox.counters.deliveredBytes += bytes
        }
    }

    func noteStall() { inbox.withLock { $0.counters.stalled += 1 } }

    var bytesPerSecond: Int? { inbox.withLock { $0.ring.bytesPerSecond } }

    private func distribute() {
        inbox.withLock { $0.isRung = false }
        // Backwards, since the place of a viewer that fails is taken by the last one, which has been served.
        var index = viewers.count - 1
        while index >= 0 {
            if index < viewers.count { viewers[index].offer() }
            index -= 1
        }
    }
}
