import CampipeKit
import Synchronization

/// What a node has told, from any thread, that is not on its output yet; bounded, the oldest goes first.
final class ToldEvents: Sendable {
    private static let most = 1024

    private let events = Lock<[Event]>([])
    /// So that a turn in which nothing was told takes no lock.
    private let isThere = Atomic<Bool>(false)

    /// Adds one.
    ///
    /// - Returns: Whether another had to go for it.
    func add(_ event: Event) -> Bool {
        let isFull = events.withLock { events in
            events.append(event)
            guard events.count > Self.most else { return false }
            events.removeFirst()
            return true
        }
        isThere.store(true, ordering: .sequentiallyConsistent)
        return isFull
    }

    /// All that was added since the last call; nil where nothing was.
    func take() -> [Event]? {
        guard isThere.load(ordering: .sequentiallyConsistent), isThere.exchange(false, ordering: .acquiring) else {
            return nil
        }
        return events.withLock { taken(&$0) }
    }
}
