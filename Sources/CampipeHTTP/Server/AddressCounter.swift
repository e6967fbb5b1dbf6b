/// How many connections each address has, so that one client does not take all. A value without I/O.
///
/// Of IPv6 the first 64 bits count, which is what a house is given. This machine's own clients are not counted: a proxy
/// in front is one of them.
struct AddressCounter {
    private var counts: [String: Int] = [:]
    private let most: Int

    init(most: Int) { self.most = most }

    /// How many addresses have some.
    var count: Int { counts.count }

    /// Counts one more connection.
    ///
    /// - Returns: Whether it may be; else it is not counted.
    mutating func add(_ address: String) -> Bool {
        guard let key = Self.key(address) else { return true }
        let count = counts[key] ?? 0
        guard count < most else { return false }
        counts[key] = count + 1
        return true
    }

    /// A connection that was counted is over.
    mutating func remove(_ address: String) {
        guard let key = Self.key(address), let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }

    private static func key(_ address: String) -> String? {
        address.isEmpty || ClientSocket.isLocal(address) ? nil : GuessLimiter.key(address)
    }
}
