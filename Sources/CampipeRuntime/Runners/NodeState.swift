package import CampipeKit

/// How a node is, as the user sees it.
package struct NodeState: Sendable, Hashable {
    package enum Phase: String, Sendable, Hashable {
        case connecting, running, stalled, waiting, idle, off, stopped, failed
    }
    package var phase: Phase
    /// Why, when it is not simply so.
    package var reason: String?
    /// Tries since it last ran well.
    package var retries: Int
    /// Of a failure: its kind, for exit codes and retries.
    package var kind: CampipeError.Kind?

    package init(_ phase: Phase, reason: String? = nil, retries: Int = 0, kind: CampipeError.Kind? = nil) {
        self.phase = phase
        self.reason = reason
        self.retries = retries
        self.kind = kind
    }
}
