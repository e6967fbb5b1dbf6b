import CampipeKit

/// What waits to be sent to a server, in order, and when the first is tried again. A value without clock.
struct WebhookQueue: Sendable {
    struct Delivery: Sendable {
        var body: WebhookBody
        /// The kind of event, for the log.
        var kind: String
        var node: String
        fileprivate(set) var tries = 0
    }

    enum Failed: Hashable, Sendable {
        case again(at: Instant)
        /// It was tried often enough, or trying again is useless.
        case givenUp
    }

    static let mostItems = 32
    static let mostBytes = 16 << 20
    /// Between tries: doubled each time, up to this.
    static let longestPause = Duration.seconds(60)
    /// What a server may ask us to wait at most.
    static let longestAsked = Duration.seconds(600)

    private let retries: Int
    private var waiting: [Delivery] = []
    private var notBefore = Instant.distantPast
    private(set) var isUnderway = false
    private var random: UInt64

    /// - Parameters:
    ///   - retries: How often one is tried again.
    ///   - seed: Of the jitter.
    init(retries: Int, seed: UInt64) {
        self.retries = retries
        random = seed
    }

    var count: Int { waiting.count }
    var isEmpty: Bool { waiting.isEmpty }

    /// Adds one.
    ///
    /// - Returns: How many older ones it took the place of; never the one that is underway.
    mutating func add(_ body: WebhookBody, kind: String, node: String) -> Int {
        waiting.append(Delivery(body: body, kind: kind, node: node))
        let first = isUnderway ? 1 : 0
        var removed = 0
        while waiting.count - first > 1,
            waiting.count > Self.mostItems || waiting.reduce(0, { $0 + $1.body.bytes.count }) > Self.mostBytes
        {
            waiting.remove(at: first)
            removed += 1
        }
        return removed
    }

    /// The one to send now; it is underway until `delivered` or `failed`.
    mutating func next(at now: Instant) -> Delivery? {
        guard !isUnderway, now >= notBefore, !waiting.isEmpty else { return nil }
        isUnderway = true
        waiting[0].tries += 1
        return waiting[0]
    }

    mutating func delivered() {
        isUnderway = false
        notBefore = .distantPast
        if !waiting.isEmpty { waiting.removeFirst() }
    }

    /// The one that is underway failed.
    ///
    /// - Parameters:
    ///   - isPassing: Whether it may go another time.
    ///   - asked: How long the server asks us to wait.
    mutating func failed(isPassing: Bool, asked: Duration?, at now: Instant) -> Failed {
        guard isPassing, let tries = waiting.first?.tries, tries <= retries else {
            delivered()
            return .givenUp
        }
        isUnderway = false
        let doubled = min(Self.longestPause, .seconds(1 << min(tries - 1, 10)))
        let pause = asked.map { min($0, Self.longestAsked) } ?? doubled * (0.5 + 0.5 * chance())
        notBefore = now + pause
        return .again(at: notBefore)
    }

    /// What waits is tried once more at once, and not again: it is the end.
    mutating func hurry() { notBefore = .distantPast }

    /// Takes all away.
    mutating func clear() -> Int {
        defer { waiting = [] }
        isUnderway = false
        return waiting.count
    }

    /// 0…1 (splitmix64).
    private mutating func chance() -> Double {
        random &+= 0x9e37_79b9_7f4a_7c15
        var value = random
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return Double((value ^ (value >> 31)) >> 11) / Double(1 << 53 as UInt64)
    }
}
