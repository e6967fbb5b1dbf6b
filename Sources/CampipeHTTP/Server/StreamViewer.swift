import CampipeKit

/// How a viewer stands with its socket.
enum ViewerPace {
    /// Nothing is owed.
    case idle
    /// It took something, and more waits.
    case moving
    /// It took nothing, and something waits.
    case stuck
    /// The socket is gone.
    case failed
}

/// A connection that is sent a stream until one side ends it. Touched on the server's thread only.
protocol StreamViewer: AnyObject {
    /// Sends what the socket takes.
    func pump() -> ViewerPace
    /// Leaves what it looks at.
    func leave()
    /// It took nothing for too long, and will be closed.
    func noteStall()
    /// About once a second.
    func tick(_ now: Instant)
}
