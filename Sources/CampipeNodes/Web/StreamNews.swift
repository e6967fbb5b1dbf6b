package import CampipeKit

/// How the source of a stream gave pictures of late, whoever looks: what a stream that was made nothing for cannot see.
package struct StreamNews: Hashable, Sendable {
    /// When the newest came; nil before the first.
    package var newest: Instant?
    /// How far apart they usually are; nil where that is not known.
    package var interval: Duration?

    package init(newest: Instant? = nil, interval: Duration? = nil) {
        self.newest = newest
        self.interval = interval
    }
}
