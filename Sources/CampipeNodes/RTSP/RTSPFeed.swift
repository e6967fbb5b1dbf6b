import CampipeHTTP
import CampipeKit

/// One stream of a camera as the source node has it: its reader while it is wanted, and what was said of it.
struct RTSPFeed {
    /// How long a stream stays open that nobody wants any more.
    static let linger = Duration.seconds(10)
    private static let waits: [Duration] = [.seconds(1), .seconds(2), .seconds(5), .seconds(10), .seconds(30)]

    let request: RTSPRequest
    private(set) var reader: RTSPReader?
    private var unwantedSince: Instant?
    private var failures = 0
    private(set) var retryAt: Instant?

    init(_ request: RTSPRequest) { self.request = request }

    /// When it is to be looked at again though nothing came.
    var nextLook: Instant? { reader == nil ? retryAt : unwantedSince.map { $0 + Self.linger } }

    /// Connects where it is wanted, and leaves when it has not been for a while.
    mutating func manage(
        isWanted: Bool, _ sessions: RTSPSessions, clock: any PipelineClock, wake: @escaping @Sendable () -> Void
    ) throws {
        let now = clock.now
        if isWanted {
            unwantedSince = nil
            guard reader == nil, retryAt.map({ now >= $0 }) ?? true else { return }
            retryAt = nil
            reader = try sessions.join(request, clock: clock, wake: wake)
        } else if reader != nil {
            let since = unwantedSince ?? now
            unwantedSince = since
            if now - since >= Self.linger { close() }
        } else {
            (retryAt, failures) = (nil, 0)
        }
    }

    /// It brings packets.
    mutating func isFine() { failures = 0 }

    /// Its session is over, and is to be begun again after a while.
    mutating func lose(at now: Instant) {
        close()
        retryAt = now + Self.waits[min(failures, Self.waits.count - 1)]
        failures += 1
    }

    mutating func close() {
        reader?.cancel()
        reader = nil
        unwantedSince = nil
    }
}
