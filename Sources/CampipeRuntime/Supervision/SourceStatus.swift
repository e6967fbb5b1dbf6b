package import CampipeKit

/// How a node is, for logs, the API and readiness. A source is as its supervisor says; any other node is `running`,
/// `waiting` for its next instance, `connecting` from then until that has worked well for 30 s, `stopped` or `failed`; a
/// sink that connects to somebody is `connecting` until it has taken an item, and `running` then. One that runs is
/// `waiting` too while it waits for something outside, such as room on a disk, and `stalled` in a call that does not return.
package struct SourceStatus: Hashable, Sendable {
    /// What a node is at; its name is what users see.
    package enum State: String, Sendable, CaseIterable {
        /// It was opened, or is being opened, maybe again; nothing has come yet.
        case connecting
        /// Items come.
        case running
        /// Nothing came for too long; it is about to be opened again. Of a node that is no source: it is stuck.
        case stalled
        /// It failed, and is tried again at `retryAt`; or it looks by itself whether it can go on.
        case waiting
        /// Nobody wants it (`on_demand`).
        case idle
        /// It is switched off.
        case off
        /// It ended, or was stopped.
        case stopped
        /// It failed, and is not tried again.
        case failed
    }

    package var state: State
    /// The last thing that went wrong, until it has run well for 30 s.
    package var reason: String?
    /// Tries since it last ran well.
    package var retries: Int
    package var retryAt: Instant?

    package init(_ state: State, reason: String? = nil, retries: Int = 0, retryAt: Instant? = nil) {
        self.state = state
        self.reason = reason
        self.retries = retries
        self.retryAt = retryAt
    }
}
