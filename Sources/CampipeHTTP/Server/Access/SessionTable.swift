import CampipeKit

/// What was found out a while ago and holds for some time yet: sessions by their token, accounts by their password. A
/// value without clock.
///
/// It keeps so many entries at most, and of one account so many; the one that ends first makes room, of an account's
/// that has too many one of its own.
struct SessionTable {
    private struct Entry {
        var account: String
        var end: Instant
    }
    private var entries: [SecretDigest: Entry] = [:]
    private let capacity: Int
    private let mostEach: Int
    private let lifetime: Duration

    /// - Parameter mostEach: How many entries an account may have; nil leaves it to the capacity.
    init(capacity: Int, mostEach: Int? = nil, lifetime: Duration) {
        self.capacity = capacity
        self.mostEach = mostEach ?? capacity
        self.lifetime = lifetime
    }

    var count: Int { entries.count }

    mutating func add(_ digest: SecretDigest, account: String, now: Instant) {
        if entries[digest] == nil {
            if entries.count >= capacity { entries = entries.filter { $0.value.end > now } }
            let own = entries.filter { $0.value.account == account }
            let full = own.count >= mostEach ? own : entries.count >= capacity ? entries : [:]
            if let first = full.min(by: { $0.value.end < $1.value.end }) { entries[first.key] = nil }
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
