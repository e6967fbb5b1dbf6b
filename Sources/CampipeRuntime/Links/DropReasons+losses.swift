import CampipeKit

extension DropReason {
    /// Whether somebody was too slow for what came: of no account to who wants the newest, a loss to who keeps all.
    var isTooSlow: Bool { self == .full || self == .superseded || self == .late }
}

extension Ledger {
    /// What a node that failed was given in vain on this link: while it waited for its restart, and at its end.
    ///
    /// - Parameter taste: Of its input; who wants the newest has lost nothing by what was replaced.
    func lost(to taste: Taste) -> Int {
        let reasons: [DropReason] =
            taste == .complete ? [.failed, .full, .superseded, .late, .brokenReference, .stopped] : [.failed]
        return reasons.reduce(inVain) { $0 + dropped($1) }
    }
}
