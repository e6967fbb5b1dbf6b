import CampipeKit
struct RestartPolicy {
    var retries = 0
    init(seed: UInt64) {}
    mutating func failed(at: Instant) -> Instant { retries += 1; return at + .milliseconds(500) }
    mutating func succeeded(at: Instant) { }
}
package struct AgeHistogram { package init() {}; mutating func add(_ d: Duration) {} }
