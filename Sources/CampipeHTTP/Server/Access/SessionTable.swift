import CampipeKit

/// What was found out a while ago and holds for some time yet: sessions by their token, accounts by their password. A
/// value without clock.
///
/// It keeps so many entries at most; the one that ends first makes room.
struct SessionTable {
    private struct Entry {
        var account: String
        var end: Instant
    }
    private var entries: [SecretDigest: Entry] = [:]
    private let capacity: Int
    private let lifetime: Duration

    init(capacity: Int, lifetime: Duration) {
        self.capacity = capacity
        self.lifetime = lifetime
    }

    var count: Int { entries.count }

    mutating func add(_ digest: SecretDigest, account: String, now: Instant) {
        if entries[digest] == nil, entries.count >= capacity {
            entries = entries.filter { $0.value.end > now }
            if entries.count >= capacity, let first = entries.min(by: { $0.value.end < $1.value.end }) {
                entries[first.key] = nil
            }
        }
        entries[digest] = Entry(account: account, end: now + lifetime)
    }

    /// The account that an entry stands for; nil when there is none, or its time is over.
    mutating func account(_ digest: SecretDigest, now: Instant) -> String? {
        guard let entry = entries[digest] else { return nil }
        if entry.end > now { return entry.account }
        entries[digest] = nil
        return nil
    }
}
