import CampipeKit

/// What a source's `events` say of losses: `camera_lost` once a loss, said again each second while it lasts, and
/// `camera_found` with how long it was away (design 4.1).
///
/// A value: what happens comes in with its time, what is to be said comes out.
struct LossEvents {
    /// How often a loss is said again, so that a consumer recovers from whatever it missed.
    static let repeatAfter = Duration.seconds(1)

    private let node: String
    private var lost: (event: Event, since: Instant, said: Instant)?

    /// - Parameter node: The source.
    init(node: String) { self.node = node }

    /// When the loss is to be said again; nil while nothing is lost.
    var nextRepeat: Instant? { lost.map { $0.said + Self.repeatAfter } }

    /// The camera was lost.
    ///
    /// - Parameters:
    ///   - since: When its last item came, or when it was first tried.
    ///   - reason: The cause, without secrets.
    mutating func lost(since: Instant, reason: String, at now: Instant, clock: any PipelineClock) -> Event {
        let start = clock.wallTime(at: since).microseconds / 1000
        let event = Event(
            .cameraLost, id: "\(node)-\(start)", phase: .began, captured: now, node: node,
            payload: ["reason": .text(reason), "start": .number(Double(start) / 1000)]
        ).at(clock.wallTime(at: now))
        lost = (event, since, now)
        return event
    }

    /// The loss again, if it is due.
    mutating func `repeat`(at now: Instant) -> Event? {
        guard let loss = lost, now >= loss.said + Self.repeatAfter else { return nil }
        lost?.said = now
        return loss.event.repeated(at: now)
    }

    /// An item came.
    ///
    /// - Returns: What is to be said if the camera was lost before.
    mutating func found(at now: Instant, clock: any PipelineClock) -> Event? {
        guard let loss = lost.take() else { return nil }
        var payload = loss.event.payload
        payload["away"] = .number(Double(((now - loss.since) / .milliseconds(1)).rounded()) / 1000)
        return Event(
            .cameraFound, id: loss.event.id, phase: .ended, captured: now, node: node, payload: payload
        ).at(clock.wallTime(at: now))
    }
}
