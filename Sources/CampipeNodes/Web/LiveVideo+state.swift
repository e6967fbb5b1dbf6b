import CampipeHTTP
import CampipeKit
import CampipeMedia

/// What it knows between two calls, and what it has decided to do.
extension LiveVideo {
    struct Waiter {
        enum Wish {
            /// - Parameter isPage: Whether the page of the stream asks, which shows pictures where there is no video.
            case stream(ViewerMark, hears: Bool, isPage: Bool)
            case piece(HLSWindow.Piece, HTTPHeaders)
        }
        var responder: Responder
        var wish: Wish

        var hears: Bool { if case .stream(_, let hears, _) = wish { hears } else { true } }
    }

    struct State {
        var muxer = FragmentMuxer()
        /// Of the newest fragments; nil until there are some.
        var initialization: Initialization?
        var window: HLSWindow?
        /// What the window was begun with; nil while it waits for the first picture, and for sound.
        var windowStart: Bytes?
        var players = HLSAudience()
        /// What they were given.
        var given = (pictures: 0, bytes: 0)
        var nextSegment = 0
        var askedAt = Instant.distantPast
        var audience = FragmentFeed.Audience()
        /// How many viewers were told to come, and may not have sat down yet.
        var expected = 0
        /// How many of them want sound.
        var expectedToHear = 0
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

        var sound = LiveSound()

        var hasUsers: Bool { audience.isWatched || expected > 0 || !waiting.isEmpty || window != nil }
        var hasListeners: Bool {
            audience.isHeard || expectedToHear > 0 || window != nil || waiting.values.contains(where: \.hears)
        }
    }

    /// What is done outside of the lock.
    struct Deeds {
        var answers: [(Responder, HTTPAnswer)] = []
        var demands: [(Demand.ID, Want?)] = []
        var expects = 0
        var looksAgain = false
        var hangsUp = false
        var clears = false
        var published: [Fragment] = []
        var start: Initialization?
        var heard: Initialization?
        var expectsToHear = 0
    }
}
