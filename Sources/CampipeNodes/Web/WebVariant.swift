import CampipeHTTP
import CampipeKit

/// A picture as it goes to viewers.
struct ShownPicture: Sendable {
    var jpeg: Bytes
    var size: Size?
    /// On the pipeline's line of time: of what is live when it was captured, else when it came.
    var taken: Instant
    /// For people.
    var time: WallTime
    /// Some of it had to be guessed, or did not come.
    var isDamaged = false

    /// Whether it is shown where this was the last whole one: a damaged one only when that is a second old.
    func isWorthShowing(after lastWhole: Instant?) -> Bool {
        guard isDamaged, let lastWhole else { return true }
        return taken - lastWhole >= .seconds(1)
    }
}

/// One distinct request of viewers: its stream, and who waits for a snapshot of it. A value of `WebStream`'s.
struct WebVariant: Sendable {
    /// Somebody who waits for a picture.
    struct Waiter: Sendable {
        var responder: Responder
        /// Waited long enough: takes what there is.
        var isDue = false
    }

    let request: ViewerRequest
    let feed: BroadcastFeed
    var health: StreamHealth
    /// The newest picture of this variant.
    var latest: ShownPicture?
    /// When the newest whole one was taken.
    var lastWhole: Instant?
    var isWatched = false
    /// Until when a viewer is awaited that was told to come: one that hangs up meanwhile never sits down.
    var expectedUntil: Instant?
    /// Whether a timer will look at that.
    var hasSeatingTimer = false
    /// By a number that the timeout knows.
    var waiting: [Int: Waiter] = [:]
    /// What the graph makes for it, by its number; nil while nobody looks.
    var subscription: Demand.ID?
    /// Whether a picture came for the subscription.
    var isFed = false

    init(_ request: ViewerRequest, feed: BroadcastFeed, health: StreamHealth) {
        self.request = request
        self.feed = feed
        self.health = health
    }

    var hasUsers: Bool { isWatched || expectedUntil != nil || !waiting.isEmpty }
}

/// What is to be painted and shown in the place of a picture that does not come.
struct StillOrder: Sendable {
    enum Subject: Sendable {
        /// The last picture, so old.
        case aged(ShownPicture, Duration)
        case noSignal(Size)
        /// The sink's `when` is not true.
        case waiting(Size)
    }
    var request: ViewerRequest
    var subject: Subject
}
