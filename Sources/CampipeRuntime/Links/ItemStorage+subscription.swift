import CampipeKit

extension ItemStorage {
    /// This header as the one that a subscription of a sink is given: another one if others hold it.
    consuming func marked(_ subscription: Demand.ID) -> ItemStorage {
        if self.subscription == subscription { return self }
        var item: ItemStorage = self
        if !isKnownUniquelyReferenced(&item) { item = item.copy() }
        item.subscription = subscription
        return item
    }
}
