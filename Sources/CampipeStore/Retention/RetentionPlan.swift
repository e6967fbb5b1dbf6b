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

    /// What to delete, in this order.
    package let deletions: [Deletion]
    /// Whether the policy holds once they are gone; false when what is still open, or not ours, takes the space.
    package let isEnough: Bool

    /// Picks whole files, the oldest first, until the policy holds; never one that is open.
    package init(policy: RetentionPolicy, recordings: [Recording], volume: Volume, now: WallTime) {
        var total = recordings.reduce(0) { $0 + $1.bytes }
        var free = volume.free
        let maxTotal = policy.maxTotal?.bytes ?? .max
        let minFree = policy.minFree?.bytes(ofCapacity: volume.capacity) ?? 0
        var deletions: [Deletion] = []

        let oldestFirst = recordings.filter { !$0.isOpen }
            .sorted { ($0.modified, $0.path) < ($1.modified, $1.path) }
        for recording in oldestFirst {
            let reason: Reason
            if let maxAge = policy.maxAge, now - recording.modified > maxAge {
                reason = .maxAge
            } else if total > maxTotal {
                reason = .maxTotal
            } else if free < minFree {
                reason = .minFree
            } else {
                break
            }
            deletions.append(Deletion(recording: recording, reason: reason))
            total -= recording.bytes
            free += recording.bytes
        }
        self.deletions = deletions
        isEnough = total <= maxTotal && free >= minFree
    }
}
