package import CampipeKit

/// Decides what becomes of a transform, a join or a sink that failed, by its `on_error` (design 4.5).
package struct RestartPolicy: Sendable {
    /// What is to become of a node that failed.
    package enum Decision: Hashable, Sendable {
        /// A new instance takes its place then; until then its items are dropped.
        case restart(at: Instant)
        /// The item is dropped and the instance goes on; inter-coded, up to the next keyframe.
        case skip
        /// The pipeline stops.
        case stop
        /// It ends, and the others go on: trying again is no use.
        case giveUp
    }

    /// So many restarts a node has that is not live, until it has run well: a batch does not wait for ever.
    package static let usualLimit = 3

    private let onError: OnError
    private let limit: Int?
    private var backoff: Backoff
    private var goodSince: Instant?

    /// - Parameters:
    ///   - onError: What the file says.
    ///   - limit: How many restarts there are until it has run well, and none where it is known to be useless; nil is
    ///     as many as it takes, as for what is live.
    ///   - seed: Of the jitter.
    package init(_ onError: OnError, limit: Int? = nil, seed: UInt64) {
        self.onError = onError
        self.limit = limit
        backoff = Backoff(seed: seed)
    }

    /// Restarts since it last ran well.
    package var restarts: Int { backoff.count }

    /// An instance threw.
    ///
    /// - Parameter isOpening: Whether it threw in `open`, so that there is no instance to go on with.
    package mutating func failed(_ kind: CampipeError.Kind, isOpening: Bool = false, at now: Instant) -> Decision {
        goodSince = nil
        switch onError {
        case .stop: return .stop
        case .skip where !isOpening: return .skip
        case .skip, .restart:
            let isUseless = [.notFound, .unsupported, .configuration].contains(kind)
            if let limit, isUseless || backoff.count >= limit { return .giveUp }
            return .restart(at: now + backoff.next(atCap: isUseless))
        }
    }

    /// It took an item without a fault.
    package mutating func worked(at now: Instant) {
        guard backoff.count > 0 else { return }
        let since = goodSince ?? now
        goodSince = since
        if now - since >= SourceSupervisor.goodAfter { backoff.reset() }
    }
}
