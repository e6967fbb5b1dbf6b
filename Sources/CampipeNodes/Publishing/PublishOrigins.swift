import CampipeKit

/// Where the times of each `publish` sink begin: they go on when a new instance takes its place. Any thread may call it.
package final class PublishOrigins: Sendable {
    private let origins = Lock<[String: MediaTime]>([:])

    package init() {}

    /// What a node's times count from: its first packet ever.
    func origin(of node: String, first: MediaTime) -> MediaTime {
        origins.withLock { origins in
            let origin = origins[node] ?? first
            origins[node] = origin
            return origin
        }
    }
}
