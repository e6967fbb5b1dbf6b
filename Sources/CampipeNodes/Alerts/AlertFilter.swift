import CampipeKit

/// Decides which events are told: those of the kinds that count, at the hours that count, and not too often. A value.
///
/// The end of something follows its beginning where that was decided here: who was told of a loss is told when it is over,
/// and who was not is not.
struct AlertFilter: Sendable {
    enum Verdict: Hashable, Sendable {
        case tell
        /// It says again what was said: of no account.
        case isRepeat
        case leaveOut
    }

    private struct Sort: Hashable {
        var kind: EventKind
        var node: String
    }

    /// Beginnings that are remembered for their ends.
    private static let mostOpen = 1024

    private let kinds: Set<EventKind>?
    private let cooldown: Duration
    private let schedule: AlertSchedule?
    private var lastTold: [Sort: Instant] = [:]
    /// What goes on, and whether its beginning was told; with the order in which they began.
    private var open: [String: Bool] = [:]
    private var began: [String] = []

    /// - Parameter kinds: Those that count; nil is all.
    init(kinds: Set<EventKind>? = nil, cooldown: Duration = .zero, schedule: AlertSchedule? = nil) {
        self.kinds = kinds
        self.cooldown = cooldown
        self.schedule = schedule
    }

    /// - Parameter time: When it happened, read off a clock on the wall.
    mutating func verdict(on event: Event, at time: DayTime) -> Verdict {
        if event.isRepeat { return .isRepeat }
        guard kinds?.contains(event.kind) != false else { return .leaveOut }
        if event.phase == .ended, let wasTold = open.removeValue(forKey: event.id) {
            began.removeAll { $0 == event.id }
            return wasTold ? .tell : .leaveOut
        }
        let isTold = isDue(event, at: time)
        if event.phase == .began { remember(event.id, isTold) }
        return isTold ? .tell : .leaveOut
    }

    private mutating func isDue(_ event: Event, at time: DayTime) -> Bool {
        guard schedule?.includes(time) != false else { return false }
        let sort = Sort(kind: event.kind, node: event.node)
        if let last = lastTold[sort], event.captured - last < cooldown { return false }
        lastTold[sort] = event.captured
        return true
    }

    private mutating func remember(_ id: String, _ isTold: Bool) {
        if open.updateValue(isTold, forKey: id) == nil { began.append(id) }
        if began.count > Self.mostOpen { open[began.removeFirst()] = nil }
    }
}
