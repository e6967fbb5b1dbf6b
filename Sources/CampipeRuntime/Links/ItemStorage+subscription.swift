import CampipeKit

extension ItemStorage {
    /// This header as the one that a subscription of a sink is given. Another one: other sinks may hold it, and whether
    /// one of them has let go of it is nothing to build upon for a few bytes.
    func marked(_ subscription: Demand.ID) -> ItemStorage {
        if self.subscription == subscription { return self }
        let item = copy()
        item.subscription = subscription
        return item
    }
}
