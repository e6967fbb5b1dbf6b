package import CampipeKit

/// Decides how loudly a source's states are said: each cause once, and that it runs again once, until it has run well.
/// Of a loss that lasts more is said, and of a camera that flaps how often it was lost, but never much.
///
/// A camera that is away for a day, or that flaps, would fill the log otherwise. A value.
package struct SourceStory: Sendable {
    /// How a status is to be said.
    package struct Telling: Hashable, Sendable {
        package var level: Log.Level
        /// How many losses there were that no line told of, this one among them; 0 where the line is about none.
        package var losses = 0
        /// How long it was away, once it is back.
        package var away: Duration?
    }

    /// A loss of as long is said, whatever its cause.
    package static let longLoss = Duration.seconds(3)
    /// Not more often at first. Of a camera that is lost again and again, less and less often: at last hourly.
    package static let pause = Duration.seconds(10)
    private static let pauses: [Duration] = [pause, .seconds(60), .seconds(600), .seconds(3600)]
    /// How many lines of losses go by each of them.
    private static let linesAPause = 5
    /// After so long without a loss it is no such camera any more.
    private static let quiet = Duration.seconds(600)
    /// After so long how often it was lost is said of a camera that flaps quickly.
    package static let summaryAfter = Duration.seconds(60)

    /// The states and causes that were said since it last ran well. Some name how long something took, so digits do not
    /// count; there are few of them, or nothing more is said.
    private var said: Set<String> = []
    private static let limit = 16
    private var lostSince: Instant?
    private var hasSaidLoss = false
    private var lastSaid: Instant?
    private var lastLoss: Instant?
    /// Lines that told of losses since it was quiet.
    private var lines = 0
    /// Losses since one was said.
    private var untold = 0

    package init() {}

    /// How a status is to be said; told of every one that is new.
    package mutating func tell(_ status: SourceStatus, at now: Instant) -> Telling {
        let isFirst = said.count < Self.limit && said.insert(key(status)).inserted
        if status.state == .waiting || status.state == .stalled {
            if lostSince == nil { untold += 1 }
            if lostSince == nil, let lastLoss, now - lastLoss >= Self.quiet { lines = 0 }
            lastLoss = now
            let since = lostSince ?? now
            lostSince = since
            let isLong = !hasSaidLoss && now - since >= Self.longLoss && hasPassed(pause, at: now)
            guard isFirst || isLong else { return Telling(level: .debug) }
            hasSaidLoss = true
            return Telling(level: .warning, losses: losses(at: now))
        }
        // It has run well: whatever comes next is news, unless it has come too often.
        if status.retries == 0, lines < 2 * Self.linesAPause { said = [] }
        let away = lostSince.map { now - $0 }
        let wasSaid = hasSaidLoss
        lostSince = nil
        hasSaidLoss = false
        let isLong = away.map { $0 >= Self.longLoss } == true && hasPassed(pause, at: now)
        let isSummary = untold > 0 && hasPassed(max(pause, Self.summaryAfter), at: now)
        guard isFirst || wasSaid || isLong || isSummary else { return Telling(level: .debug) }
        return Telling(level: .info, losses: wasSaid ? 0 : losses(at: now), away: away)
    }

    /// When a loss that no line told of is to be said if it goes on: told of again then, it is; nil when none is.
    package var dueAt: Instant? {
        guard let lostSince, !hasSaidLoss else { return nil }
        return max(lostSince + Self.longLoss, lastSaid.map { $0 + pause } ?? .distantPast)
    }

    /// What is said now tells of all losses up to now.
    private mutating func losses(at now: Instant) -> Int {
        lastSaid = now
        if untold > 0 { lines += 1 }
        defer { untold = 0 }
        return untold
    }

    private var pause: Duration { Self.pauses[min(lines / Self.linesAPause, Self.pauses.count - 1)] }

    private func hasPassed(_ duration: Duration, at now: Instant) -> Bool {
        lastSaid.map { now - $0 >= duration } ?? true
    }

    private func key(_ status: SourceStatus) -> String {
        guard status.state == .waiting || status.state == .stalled else { return status.state.rawValue }
        let digits = (status.reason ?? "").utf8.filter { !(48...57).contains($0) }
        return status.state.rawValue + String(decoding: digits, as: UTF8.self)
    }
}
