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

        package init(path: String, bytes: Int, modified: WallTime, isOpen: Bool = false) {
            self.path = path
            self.bytes = bytes
            self.modified = modified
            self.isOpen = isOpen
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

    /// Picks whole files, the oldest first, until the policy holds; never one that is open, and the newest that is whole
    /// only for its age: a limit below one recording would keep nothing at all.
    package init(policy: RetentionPolicy, recordings: [Recording], volume: Volume, now: WallTime) {
        var total = recordings.reduce(0) { $0 + $1.bytes }
        var free = volume.free
        let maxTotal = policy.maxTotal?.bytes ?? .max
        let minFree = policy.minFree?.bytes(ofCapacity: volume.capacity) ?? 0
        var deletions: [Deletion] = []

        let oldestFirst = recordings.filter { !$0.isOpen }
            .sorted { ($0.modified, $0.path) < ($1.modified, $1.path) }
        for (index, recording) in oldestFirst.enumerated() {
            let isNewest = index == oldestFirst.count - 1
            let reason: Reason
            if let maxAge = policy.maxAge, now - recording.modified > maxAge {
                reason = .maxAge
            } else if total > maxTotal, !isNewest {
                reason = .maxTotal
            } else if free < minFree, !isNewest {
                reason = .minFree
            } else {
                break
            }
            deletions.append(Deletion(recording: recording, reason: reason))
            total -= recording.bytes
            free += recording.bytes
        }
        self.deletions = deletions
        shortfall =
            if total > maxTotal {
                Shortfall(reason: .maxTotal, bytes: total - maxTotal)
            } else if free < minFree {
                Shortfall(reason: .minFree, bytes: minFree - free)
            } else {
                nil
            }
    }
}
