/// One viewer's place in one stream: which picture it was sent last. Touched on the server's thread only.
final class FeedSeat {
    let feed: BroadcastFeed
    /// Sits here for as long as it is open, and leaves before it goes.
    unowned let viewer: FeedViewer
    private let name: String?

    /// Its index among the feed's seats; the feed's.
    var place = -1
    /// The number of the last picture that was begun.
    var shown = 0

    init(_ feed: NamedFeed, viewer: FeedViewer) {
        self.feed = feed.feed
        name = feed.name
        self.viewer = viewer
    }

    /// Whether there is a picture that was not begun.
    var hasNews: Bool { feed.sequence > shown && feed.newest(named: nil) != nil }

    /// The newest picture, which counts as begun; those that were passed over are counted.
    func take() -> Outgoing? {
        guard let picture = feed.newest(named: name) else { return nil }
        feed.tally.skipped += feed.sequence - shown - 1
        shown = feed.sequence
        return picture
    }
}
