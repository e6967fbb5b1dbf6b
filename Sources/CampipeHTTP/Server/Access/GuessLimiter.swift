import CampipeKit

/// How many wrong passwords an address may still try. A value without clock.
///
/// Each has ten tries; one comes back every ten seconds. Of IPv6 the first 64 bits count, which is what a house is
/// given. It keeps so many addresses at most; the one that was least at fault makes room.
struct GuessLimiter {
    private static let tries = 10
    private static let recovery = Duration.seconds(10)

    private var fullAt: [String: Instant] = [:]
    private let capacity: Int

    init(capacity: Int = 4096) { self.capacity = capacity }

    var count: Int { fullAt.count }

    /// Takes one try.
    ///
    /// - Returns: Nil when it may be made, else how long to wait for the next.
    mutating func take(_ address: String, now: Instant) -> Duration? {
        let key = Self.key(address)
        let full = max(fullAt[key] ?? now, now)
        let next = full + Self.recovery
        let excess = (next - now) - Self.recovery * Self.tries
        if excess > .zero { return excess }
        if fullAt[key] == nil, fullAt.count >= capacity {
            fullAt = fullAt.filter { $0.value > now }
            if fullAt.count >= capacity, let first = fullAt.min(by: { $0.value < $1.value }) { fullAt[first.key] = nil }
        }
        fullAt[key] = next
        return nil
    }

    /// Gives a try back: it was right.
    mutating func giveBack(_ address: String, now: Instant) {
        let key = Self.key(address)
        guard let full = fullAt[key] else { return }
        let earlier = full - Self.recovery
        fullAt[key] = earlier > now ? earlier : nil
    }

    /// The address, or the first half of one of IPv6.
    static func key(_ address: String) -> String {
        guard address.contains(":") else { return address }
        if address.hasPrefix("::ffff:") { return String(address.dropFirst(7)) }
        let plain = address.prefix { $0 != "%" }
        let halves = plain.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        var groups = halves[0].split(separator: ":").map(String.init)
        if halves.count == 2 {
            let behind = halves[1].split(separator: ":").count
            groups += [String](repeating: "0", count: max(0, 8 - groups.count - behind))
            groups += halves[1].split(separator: ":").map(String.init)
        }
        return groups.prefix(4).joined(separator: ":") + "::/64"
    }
}
