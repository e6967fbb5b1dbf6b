import CampipeKit

/// What became of the items of links that are gone, so that sums over all links never fall. A value.
///
/// Links that differ only in the subscription that they served are one here: their number grows with the requests that
/// there can be, not with the viewers.
package struct RetiredLinks: Sendable {
    package private(set) var ledgers: [LinkKey: Ledger] = [:]

    package init() {}

    /// A link is gone, and what waited on it is given up; or it is one of which something is still taken.
    mutating func add(_ key: LinkKey, _ ledger: Ledger) {
        var key = key
        key.subscription = 0
        ledgers[key, default: Ledger()].add(ledger)
    }
}
