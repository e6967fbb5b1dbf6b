import CampipeKit
struct SideProgress { var watermark: Instant; var hasEnded: Bool; var isOpen: Bool }
struct SideAligner {
    enum Decision { case go, wait, waitUntil(Instant) }
    let isLive: Bool; let joinWait: Duration
    var since: Instant?
    init(isLive: Bool, joinWait: Duration) { self.isLive = isLive; self.joinWait = joinWait }
    mutating func decide(head: Instant, sides: [SideProgress], now: Instant) -> Decision {
        if sides.allSatisfy({ $0.hasEnded || !$0.isOpen || $0.watermark >= head }) { return .go }
        guard isLive else { return .wait }
        let start = since ?? now
        since = start
        return now >= start + joinWait ? .go : .waitUntil(start + joinWait)
    }
    mutating func passed() { since = nil }
    mutating func reset() { since = nil }
}
struct GateState {
    var isOpen = false
    var active: Set<String> = []
    init(_ clauses: [WhenClause], isLive: Bool) {}
    mutating func apply(_ event: Event, clause: Int) -> GateChange? {
        switch event.phase { case .began: active.insert(event.id); case .ended: active.remove(event.id); case .happened: break }
        guard isOpen != !active.isEmpty else { return nil }
        isOpen.toggle()
        return GateChange(isOpen: isOpen, at: event.captured, event: event)
    }
    mutating func expire(at: Instant) -> GateChange? { nil }
}
struct RestartPolicy {
    var retries = 0
    init(seed: UInt64) {}
    mutating func failed(at: Instant) -> Instant { retries += 1; return at + .milliseconds(500) }
    mutating func succeeded(at: Instant) { }
}
package struct AgeHistogram { package init() {}; mutating func add(_ d: Duration) {} }
