import CampipeKit

/// What becomes of a transform, a join or a sink whose instances fail: when the next one is opened, and how the node is
/// meanwhile. A value without clock.
struct NodeRestarts {
    /// What a node that waits for its next instance does now.
    enum Opening: Hashable {
        case now
        case notBefore(Instant)
        /// It ends without one.
        case never
    }

    private var policy: RestartPolicy
    private let isLive: Bool
    private let skipsItems: Bool
    /// Whether it is a sink that connects to somebody: it is connecting until it has taken an item, and runs then.
    private let connects: Bool
    private var reopenAt: Instant?
    /// Why the last instance failed.
    private(set) var lastFailure: CampipeError?

    init(_ assignment: NodeAssignment, _ environment: NodeEnvironment) {
        isLive = assignment.isLive
        skipsItems = assignment.onError == .skip
        connects = assignment.registration.descriptor.connects
        policy = RestartPolicy(
            assignment.onError, limit: assignment.isLive ? nil : environment.restartLimit, seed: environment.seed)
    }

    /// How often it was started again since it last ran well.
    var count: Int { policy.restarts }

    /// How the node is: with the last fault, until it has run well.
    func status(_ state: SourceStatus.State) -> SourceStatus {
        var status = SourceStatus(state, reason: count > 0 ? lastFailure?.description : nil, retries: count)
        if state == .waiting { status.retryAt = reopenAt }
        return status
    }

    /// How a node is that was opened.
    var opened: SourceStatus { status(count == 0 && !connects ? .running : .connecting) }

    /// How a node is that took an item without a fault. One that only keeps it may still fail to do what it is for, so
    /// that it runs again when it has done so for a while.
    var working: SourceStatus { status(count == 0 || connects ? .running : .connecting) }

    /// An instance failed.
    ///
    /// - Parameters:
    ///   - isOpening: Whether it could not be opened.
    ///   - isFinal: Whether another one could do no better.
    ///   - isStopping: Whether the pipeline stops.
    /// - Returns: When the next one is opened; nil when the node has failed for good.
    mutating func failed(
        _ failure: CampipeError, isOpening: Bool, isFinal: Bool, isStopping: Bool, at now: Instant
    ) -> Instant? {
        let decision = policy.failed(failure.kind, isOpening: isOpening || skipsItems, at: now)
        lastFailure = failure
        // Nothing is opened again while the pipeline stops; and what is not live can neither wait nor go on without it.
        let isOver = isLive ? isStopping : isOpening
        guard !isFinal, !isOver, case .restart(let instant) = decision else { return nil }
        reopenAt = instant
        return instant
    }

    /// Whether the next instance is to be opened now.
    ///
    /// - Parameter hasAll: Whether its links have brought all that they will.
    func opening(isStopping: Bool, hasAll: Bool, at now: Instant) -> Opening {
        guard let reopenAt else { return .now }
        // Once the pipeline stops, what is live is not kept for it any more.
        if isLive, isStopping, hasAll { return .never }
        // What is not live is kept, and no time with it.
        return now >= reopenAt || isStopping && !isLive ? .now : .notBefore(reopenAt)
    }

    /// The instance took an item without a fault.
    mutating func worked(at now: Instant) { policy.worked(at: now) }
}
