package import CampipeKit

/// What has to go so that a policy holds: a decision, made from what is on the disk.
package struct RetentionPlan: Hashable, Sendable {
    /// One recorded file.
    package struct Recording: Hashable, Sendable {
        package var path: String
        package var bytes: Int
        /// When it was last written.
        package var modified: WallTime
        /// Whether it is still being written; then it stays.
        package var isOpen: Bool
        /// Whether something happened in it.
        package var hasEvent: Bool
        /// Its place in the order in which they were written, which no clock says. Of equal ones `modified` decides.
        package var place: Int

        package init(
            path: String, bytes: Int, modified: WallTime, isOpen: Bool = false, hasEvent: Bool = false, place: Int = 0
        ) {
            self.path = path
            self.bytes = bytes
            self.modified = modified
            self.isOpen = isOpen
            self.hasEvent = hasEvent
            self.place = place
        }
    }

    /// The file system that the recordings are on.
    package struct Volume: Hashable, Sendable {
        package var capacity: Int
        package var free: Int

        package init(capacity: Int, free: Int) {
            self.capacity = capacity
            self.free = free
        }
    }

    package enum Reason: String, Hashable, Sendable {
        case maxAge = "max_age"
        case withEvent = "with_event"
        case maxTotal = "max_total"
        case minFree = "min_free"
    }

    package struct Deletion: Hashable, Sendable {
        package var recording: Recording
        package var reason: Reason
    }

    /// A limit that does not hold though nothing more may go.
    package struct Shortfall: Hashable, Sendable {
        package var reason: Reason
        /// By how much.
        package var bytes: Int
    }

    /// What to delete, in this order.
    package let deletions: [Deletion]
    /// What does not hold once they are gone, since what is open, the newest, or not ours takes the space; nil when all
    /// does.
    package let shortfall: Shortfall?
    /// How many are too old by a clock that is not believed, and stay.
    package let refused: Int

    /// Picks whole files until the policy holds, the oldest first; never one that is open, and the newest that is whole
    /// only for its age: a limit below one recording would keep nothing at all.
    ///
    /// For space, those with an event go last where the policy keeps them longer.
    ///
    /// - Parameter isWary: Whether the clock was set (`ClockGuard`): then none goes for its age if more than a tenth of
    ///   all would. Space is freed all the same, by the order of writing.
    package init(
        policy: RetentionPolicy, recordings: [Recording], volume: Volume, now: WallTime, isWary: Bool = false
    ) {
        let oldestFirst = recordings.filter { !$0.isOpen }
            .sorted { ($0.place, $0.modified, $0.path) < ($1.place, $1.modified, $1.path) }
        func isTooOld(_ recording: Recording) -> Bool {
            policy.greatestAge(hasEvent: recording.hasEvent).map { now - recording.modified > $0 } ?? false
        }
        let tooOld = oldestFirst.count(where: isTooOld)
        refused = isWary && tooOld * 10 > recordings.count ? tooOld : 0

        var space = SpaceLeft(policy, recordings, volume)
        var deletions: [Deletion] = []
        var rest: [Recording] = []
        for recording in oldestFirst {
            guard refused == 0, isTooOld(recording) else {
                rest.append(recording)
                continue
            }
            let isKeptLonger = recording.hasEvent && policy.withEvent != nil
            deletions.append(Deletion(recording: recording, reason: isKeptLonger ? .withEvent : .maxAge))
            space.free(recording)
        }
        if space.shortfall != nil {
            // The newest stays.
            rest = rest.dropLast()
            let last = policy.withEvent == nil ? [] : rest.filter(\.hasEvent)
            let first = policy.withEvent == nil ? rest : rest.filter { !$0.hasEvent }
            for recording in first + last {
                guard let shortfall = space.shortfall else { break }
                deletions.append(Deletion(recording: recording, reason: shortfall.reason))
                space.free(recording)
            }
        }
        self.deletions = deletions
        shortfall = space.shortfall
    }
}

/// What the limits on space say while recordings go.
private struct SpaceLeft {
    private var total: Int
    private var free: Int
    private let maxTotal: Int
    private let minFree: Int

    init(_ policy: RetentionPolicy, _ recordings: [RetentionPlan.Recording], _ volume: RetentionPlan.Volume) {
        total = recordings.reduce(0) { $0 + $1.bytes }
        free = volume.free
        maxTotal = policy.maxTotal?.bytes ?? .max
        minFree = policy.minFree?.bytes(ofCapacity: volume.capacity) ?? 0
    }

    mutating func free(_ recording: RetentionPlan.Recording) {
        total -= recording.bytes
        free += recording.bytes
    }

    /// The first limit that does not hold.
    var shortfall: RetentionPlan.Shortfall? {
        if total > maxTotal { return .init(reason: .maxTotal, bytes: total - maxTotal) }
        if free < minFree { return .init(reason: .minFree, bytes: minFree - free) }
        return nil
    }
}
