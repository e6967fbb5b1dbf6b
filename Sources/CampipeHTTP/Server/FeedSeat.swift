import CampipeKit

/// One viewer's place in one stream: which picture it was sent last. Touched on the server's thread only.
final class FeedSeat: RosterMember {
    let feed: BroadcastFeed
    /// Sits here for as long as it is open, and leaves before it goes.
    unowned let viewer: FeedViewer
    private let name: String?
    /// Who sits here.
    private let mark: ViewerMark?

    /// Among the feed's seats.
    var place = -1
    /// The number of the last picture that was begun.
    var shown = 0 { didSet { counted = shown } }
    /// The number of the last picture that was begun, or is counted as missed.
    private var counted = 0

    init(_ feed: NamedFeed, viewer: FeedViewer) {
        self.feed = feed.feed
        name = feed.name
        mark = feed.mark
        self.viewer = viewer
    }

    private var delivery = DeliveryRate()

    /// How it is served; nil of somebody who is not to be found.
    var rate: ViewerRate? { mark.map { ViewerRate(mark: $0, fps: delivery.fps) } }

    /// A picture went out whole.
    func wasSent(_ bytes: Int) {
        delivery.wasSent()
        feed.tally.delivered += 1
        feed.tally.deliveredBytes += bytes
    }

    /// About once a second.
    func tick(_ now: Instant) { delivery.tick(now) }

    /// Whether the feed's file can be sent to it as it is.
    var takesFile: Bool { name == nil && !viewer.isEncrypted }

    /// Whether there is a picture that was not begun.
    var hasNews: Bool { feed.sequence > shown && feed.newest(named: nil) != nil }

    /// Counts the pictures that it has missed: all before the newest one that were not begun. At once, since a viewer that
    /// takes nothing may never take another.
    func countMissed() {
        let missed = feed.sequence - 1 - counted
        guard missed > 0 else { return }
        feed.tally.skipped += missed
        counted += missed
    }

    /// The newest picture, which counts as begun.
    func take() -> Outgoing? {
        guard let picture = feed.newest(named: name) else { return nil }
        countMissed()
        shown = feed.sequence
        return picture
    }
}
