import CampipeKit

/// Counts the items that each node of a pipeline gave marked as damaged, over all its instances: those of converters that
/// are gone too. Any thread may call it.
final class DamageCounter: Sendable {
    private let counts = Lock<[NodeKey: Int]>([:])

    func count(_ node: NodeKey, _ count: Int) { counts.withLock { $0[node, default: 0] += count } }

    var current: [NodeKey: Int] { counts.withLock { $0 } }
}
